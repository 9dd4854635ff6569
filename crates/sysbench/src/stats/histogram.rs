//! Buckets on a logarithmic scale, as in sysbench: their index, value, percentile, picture.
//!
//! A percentile is a bucket's value: with 1,024 buckets from 1 µs to 100 s, steps of 1.8 %.

/// The buckets of latencies, in milliseconds: the logarithms are those of 0.001 and 100000.
pub const LATENCY_BUCKETS: Buckets = Buckets {
    count: 1024,
    min_ln: -6.907_755_278_982_137,
    max_ln: 11.512_925_464_970_229,
};

/// A scale: a number of buckets between two values.
#[derive(Debug, Clone, Copy)]
pub struct Buckets {
    count: usize,
    min_ln: f64,
    max_ln: f64,
}

impl Buckets {
    /// A scale of `count` buckets from `min` to `max`.
    pub fn new(count: usize, min: f64, max: f64) -> Buckets {
        Buckets {
            count: count.max(1),
            min_ln: min.ln(),
            max_ln: max.ln(),
        }
    }

    /// The number of buckets.
    pub fn count(self) -> usize {
        self.count
    }

    /// The bucket of a value; values beyond the ends are in the outermost buckets.
    pub fn index(self, value: f64) -> usize {
        let last = (self.count - 1) as f64;
        let place = (value.ln() - self.min_ln) * last / (self.max_ln - self.min_ln);
        // NaN becomes 0.
        (place + 0.5).clamp(0.0, last) as usize
    }

    /// The value of a bucket.
    pub fn value(self, index: usize) -> f64 {
        let step = (self.max_ln - self.min_ln) / (self.count.max(2) - 1) as f64;
        (index as f64 * step + self.min_ln).exp()
    }

    /// The value below which `percent` of the counted values lie; 0 if there are none.
    pub fn percentile(self, counts: &[u64], percent: f64) -> f64 {
        let total: u64 = counts.iter().sum();
        if total == 0 {
            return 0.0;
        }
        let wanted = (total as f64 * percent / 100.0 + 0.5).floor() as u64;
        let mut seen = 0;
        for (index, count) in counts.iter().enumerate() {
            seen += count;
            if seen >= wanted.max(1) {
                return self.value(index);
            }
        }
        self.value(self.count - 1)
    }

    /// One line with a bar for each bucket that isn't empty; nothing at all if all are.
    pub fn picture(self, counts: &[u64]) -> String {
        const WIDTH: u64 = 40;
        let greatest = counts.iter().copied().max().unwrap_or_default();
        if greatest == 0 {
            return String::new();
        }
        let mut picture =
            "       value  ------------- distribution ------------- count\n".to_owned();
        for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let stars = (*count as f64 * WIDTH as f64 / greatest as f64 + 0.5) as usize;
            let (value, bar) = (self.value(index), "*".repeat(stars));
            picture += &format!("{value:>12.3} |{bar:<40} {count}\n");
        }
        picture
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_and_their_picture_are_those_of_sysbench() {
        // What sysbench 1.0.20 prints for the numbers from 1 to 100 in ten buckets.
        let buckets = Buckets::new(10, 1.0, 100.0);
        let mut counts = [0; 10];
        for value in 1..=100 {
            counts[buckets.index(f64::from(value))] += 1;
        }
        let expected = "       value  ------------- distribution ------------- count
       1.000 |*                                        1
       1.668 |*                                        1
       2.783 |*                                        1
       4.642 |***                                      2
       7.743 |*****                                    4
      12.915 |*********                                7
      21.544 |**************                           11
      35.938 |*************************                19
      59.948 |**************************************** 31
     100.000 |******************************           23
";
        assert_eq!(buckets.picture(&counts), expected);
    }

    #[test]
    fn a_percentile_is_the_value_of_a_bucket_near_it() {
        let mut counts = vec![0; LATENCY_BUCKETS.count()];
        assert_eq!(LATENCY_BUCKETS.percentile(&counts, 95.0), 0.0);
        for ms in 1..=1000 {
            counts[LATENCY_BUCKETS.index(f64::from(ms))] += 1;
        }
        for (percent, expected) in [(50.0, 500.0), (95.0, 950.0), (99.9, 999.0)] {
            let seen = LATENCY_BUCKETS.percentile(&counts, percent);
            assert!(
                (seen / expected - 1.0).abs() < 0.018,
                "{seen} for {percent} %"
            );
        }
    }

    #[test]
    fn values_beyond_the_scale_are_in_its_last_buckets() {
        assert_eq!(LATENCY_BUCKETS.index(0.0), 0);
        assert_eq!(LATENCY_BUCKETS.index(f64::NAN), 0);
        assert_eq!(LATENCY_BUCKETS.index(1e9), 1023);
        assert!((LATENCY_BUCKETS.value(1023) - 100_000.0).abs() < 1e-6);
        assert!((LATENCY_BUCKETS.value(0) - 0.001).abs() < 1e-12);
    }
}
