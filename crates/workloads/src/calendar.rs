//! Dates of the calendar.

/// The first day that [`date`] can write: 1000-01-01, the first of the servers' DATE.
pub const FIRST: i64 = -354_285;
/// The last: 9999-12-31.
pub const LAST: i64 = 2_932_896;

/// Writes `YYYY-MM-DD` for a day since 1970-01-01, from [`FIRST`] to [`LAST`].
pub fn date(days: i64, out: &mut Vec<u8>) {
    let (year, month, day) = civil(days);
    let mut digits = itoa::Buffer::new();
    out.extend_from_slice(digits.format(year).as_bytes());
    for part in [month, day] {
        out.push(b'-');
        let text = digits.format(part).as_bytes();
        if text.len() == 1 {
            out.push(b'0');
        }
        out.extend_from_slice(text);
    }
}

/// The date of a day since 1970-01-01, by counting in eras of 400 years that start in March
/// (Hinnant, "chrono-Compatible Low-Level Date Algorithms"), from the year 0 on.
fn civil(days: i64) -> (u64, u64, u64) {
    let shifted = (days + 719_468) as u64;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year_of_era + shifted / 146_097 * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(days: i64) -> String {
        let mut out = Vec::new();
        date(days, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(text(0), "1970-01-01");
        assert_eq!(text(-1), "1969-12-31");
        assert_eq!(text(11_016), "2000-02-29");
        assert_eq!(text(FIRST), "1000-01-01");
        assert_eq!(text(LAST), "9999-12-31");
    }
}
