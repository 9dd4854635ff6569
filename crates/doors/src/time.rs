//! Times that options give in seconds.

use std::time::Duration;

use crate::Failure;

/// No run and no statement takes longer: 100 days.
const LONGEST: Duration = Duration::from_secs(100 * 86_400);

/// The value of the option `--name`: at least `least` and at most 100 days.
pub fn seconds(name: &str, text: &str, least: Duration) -> Result<Duration, Failure> {
    let number = text.trim().parse::<f64>().ok();
    let time = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    time.filter(|time| (least..=LONGEST).contains(time))
        .ok_or_else(|| {
            let least_s = least.as_secs_f64();
            let above = match least_s < 0.001 {
                true => "above 0".to_owned(),
                false => format!("from {least_s}"),
            };
            Failure::refused(
                format!("--{name}={text} isn't a time"),
                format!("give seconds {above} up to 100 days, such as --{name}=60"),
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_above_zero_and_not_endless() {
        let of = |text| seconds("time", text, Duration::from_nanos(1));
        assert_eq!(of("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "x", "1e99", "nan", "1e-12", "8640001", ""] {
            assert!(of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_too_short_is_refused_with_the_least() {
        let failure = seconds("wait", "0.01", Duration::from_millis(100)).unwrap_err();
        assert_eq!(failure.message, "--wait=0.01 isn't a time");
        assert!(failure.hint.contains("from 0.1 "), "{}", failure.hint);
    }
}
