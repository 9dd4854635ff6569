//! LinkBench's buckets of latency, and the one that holds a percentile.

use load::Histogram;

/// The percentiles of the final figures.
pub const PERCENTILES: [u64; 5] = [25, 50, 75, 95, 99];

/// The bucket of a latency in microseconds: its low end, and its high end (exclusive).
pub fn bucket(us: u64) -> (u64, u64) {
    let width = match us {
        0..=999 => 100,
        1_000..=99_999 => 1_000,
        100_000..=999_999 => 100_000,
        1_000_000..=9_999_999 => 1_000_000,
        _ => return (10_000_000, 100_000_000),
    };
    let low = us / width * width;
    (low, low + width)
}

/// The bucket that holds the `percentile` (1 to 99) of all latencies, in microseconds.
///
/// It is the bucket of the histogram's value, which is off by less than 0.1 %: a percentile that
/// close to a bucket's end may be counted in the next one.
pub fn of_percentile(latencies: &Histogram, percentile: u64) -> (u64, u64) {
    let count = latencies.count();
    let rank = (count * percentile / 100).max(1);
    // Half a rank lower, so that rounding can't select the next one.
    let quantile = (rank as f64 - 0.5) / count.max(1) as f64;
    bucket(latencies.quantile_ns(quantile) / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_linkbench() {
        for (us, wanted) in [
            (0, (0, 100)),
            (99, (0, 100)),
            (100, (100, 200)),
            (999, (900, 1_000)),
            (1_000, (1_000, 2_000)),
            (99_999, (99_000, 100_000)),
            (100_000, (100_000, 200_000)),
            (999_999, (900_000, 1_000_000)),
            (9_999_999, (9_000_000, 10_000_000)),
            (10_000_000, (10_000_000, 100_000_000)),
            (500_000_000, (10_000_000, 100_000_000)),
        ] {
            assert_eq!(bucket(us), wanted, "{us}");
        }
    }

    #[test]
    fn a_percentile_is_of_its_rank() {
        let mut latencies = Histogram::new();
        // 1 to 100 ms, each in the middle of its bucket.
        (0..100).for_each(|ms| latencies.record(ms * 1_000_000 + 550_000));
        assert_eq!(of_percentile(&latencies, 25), (24_000, 25_000));
        assert_eq!(of_percentile(&latencies, 50), (49_000, 50_000));
        assert_eq!(of_percentile(&latencies, 99), (98_000, 99_000));
        let mut one = Histogram::new();
        one.record(1_550_000);
        assert_eq!(of_percentile(&one, 25), (1_000, 2_000));
    }
}
