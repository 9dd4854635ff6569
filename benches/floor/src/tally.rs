//! Counts of one loop: ops, a coarse histogram of latency, what it cost. Merged at the end.

use crate::usage::Usage;

// 16 buckets per power of two: a quantile is exact to 6 %.
const SHIFT: u32 = 4;
const BUCKETS: usize = (64 - SHIFT as usize + 1) << SHIFT;

/// What one loop, or all, did in the window.
#[derive(Clone)]
pub struct Tally {
    /// When the first request could be sent.
    pub begun_ns: u64,
    /// When the last reply had arrived.
    pub ended_ns: u64,
    /// Ops that were answered.
    pub ops: u64,
    /// CPU time and context switches.
    pub usage: Usage,
    latency_ns_max: u64,
    counts: Box<[u32]>,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            begun_ns: u64::MAX,
            ended_ns: 0,
            ops: 0,
            usage: Usage::default(),
            latency_ns_max: 0,
            counts: vec![0; BUCKETS].into_boxed_slice(),
        }
    }
}

impl Tally {
    /// Counts one op.
    pub fn record(&mut self, latency_ns: u64) {
        self.ops += 1;
        self.latency_ns_max = self.latency_ns_max.max(latency_ns);
        self.counts[bucket(latency_ns)] += 1;
    }

    /// All loops together.
    pub fn sum(parts: &[Tally]) -> Tally {
        let mut all = Tally::default();
        for part in parts {
            let Tally {
                begun_ns,
                ended_ns,
                ops,
                usage,
                latency_ns_max,
                counts,
            } = part;
            all.begun_ns = all.begun_ns.min(*begun_ns);
            all.ended_ns = all.ended_ns.max(*ended_ns);
            all.ops += ops;
            all.usage.add(usage);
            all.latency_ns_max = all.latency_ns_max.max(*latency_ns_max);
            for (sum, count) in all.counts.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        all
    }

    /// From the start of the first loop to the end of the last.
    pub fn elapsed_s(&self) -> f64 {
        self.ended_ns.saturating_sub(self.begun_ns) as f64 / 1e9
    }

    /// The latency that a share of the ops didn't exceed, in microseconds: its bucket's middle.
    pub fn latency_us(&self, share: f64) -> f64 {
        let rank = (share * self.ops as f64).ceil() as u64;
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= rank.max(1) {
                let middle = (low_ns(index) + low_ns(index + 1)) as f64 / 2.0;
                return middle.min(self.latency_ns_max as f64) / 1e3;
            }
        }
        0.0
    }

    /// The longest latency, exact, in microseconds.
    pub fn latency_us_max(&self) -> f64 {
        self.latency_ns_max as f64 / 1e3
    }
}

/// Below 2^SHIFT every value has a bucket; above, the leading bits choose it.
fn bucket(value: u64) -> usize {
    let octave = (64 - value.leading_zeros()).saturating_sub(SHIFT + 1);
    ((octave as usize) << SHIFT) + (value >> octave) as usize
}

/// The smallest value of a bucket; inverse of `bucket`.
fn low_ns(index: usize) -> u64 {
    let octave = (index >> SHIFT).saturating_sub(1);
    ((index - (octave << SHIFT)) as u64) << octave
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bucket() {
        let values =
            (0..60u32).flat_map(|bits| [1u64 << bits, (1u64 << bits) + 1, (3u64 << bits) - 1]);
        for value in (0..5000).chain(values) {
            let index = bucket(value);
            assert!(low_ns(index) <= value, "{value}");
            assert!(value < low_ns(index + 1), "{value}");
            assert!(
                low_ns(index + 1) - low_ns(index) <= 1 + value / 16,
                "{value}"
            );
        }
        assert!(bucket(u64::MAX) < BUCKETS);
    }

    #[test]
    fn quantiles_of_a_sum_are_those_of_all_values() {
        let mut parts = [Tally::default(), Tally::default()];
        for value in 1..=1000u64 {
            parts[(value % 2) as usize].record(value * 1000);
        }
        let all = Tally::sum(&parts);
        assert_eq!(all.ops, 1000);
        assert!((all.latency_us(0.5) / 500.0 - 1.0).abs() < 0.07);
        assert!((all.latency_us(0.99) / 990.0 - 1.0).abs() < 0.07);
        assert_eq!(all.latency_us_max(), 1000.0);
    }
}
