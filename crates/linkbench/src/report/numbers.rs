//! Numbers as Java's formats write them.

/// `#.##` with this number of decimals: rounded half to even, without trailing zeros.
pub fn decimal(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Microseconds as milliseconds, rounded to hundredths.
pub fn bound(us: u64) -> String {
    decimal(us as f64 / 1000.0, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_at_the_end_go() {
        assert_eq!(decimal(0.5, 2), "0.5");
        assert_eq!(decimal(12.0, 3), "12");
        assert_eq!(decimal(0.0625, 3), "0.062");
        assert_eq!(decimal(100.0, 0), "100");
        assert_eq!(decimal(0.001, 2), "0");
        assert_eq!(bound(100), "0.1");
        assert_eq!(bound(99_000), "99");
    }
}
