//! Latencies in a fixed amount of memory: an HDR histogram that never resizes.
//!
//! The bounds are fixed (1 ns to one hour, three significant digits) so that any two histograms of
//! Dyno can be added; a value beyond them is clamped to the bound. The exact minimum, maximum and
//! sum are kept as well, because a bucket is up to 0.1 % wide.

use base64::engine::general_purpose::STANDARD as BASE64;
use base64::Engine;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

/// The smallest value that gets its own bucket, in nanoseconds.
pub const LOWEST_NS: u64 = 1;
/// The largest value that gets its own bucket, in nanoseconds: one hour.
pub const HIGHEST_NS: u64 = 3_600_000_000_000;
const DIGITS: u8 = 3;

/// Why a histogram can't be made, written or read.
#[derive(Debug, thiserror::Error)]
pub enum HistogramError {
    /// It can't be encoded.
    #[error("can't encode a histogram: {0}")]
    Encode(String),
    /// The text is not a histogram.
    #[error("not an encoded histogram: {0}")]
    Decode(String),
}

/// A histogram of nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    buckets: hdrhistogram::Histogram<u64>,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram::new()
    }
}

impl Histogram {
    /// An empty histogram; about 270 kB.
    pub fn new() -> Histogram {
        let buckets = hdrhistogram::Histogram::new_with_bounds(LOWEST_NS, HIGHEST_NS, DIGITS)
            .expect("these constants are bounds that the library accepts");
        Histogram {
            buckets,
            min_ns: u64::MAX,
            max_ns: 0,
            sum_ns: 0,
        }
    }

    /// Adds one value; beyond the bounds it counts as the bound.
    pub fn record(&mut self, value_ns: u64) {
        let value_ns = value_ns.clamp(LOWEST_NS, HIGHEST_NS);
        self.buckets.saturating_record(value_ns);
        self.min_ns = self.min_ns.min(value_ns);
        self.max_ns = self.max_ns.max(value_ns);
        self.sum_ns = self.sum_ns.saturating_add(value_ns);
    }

    /// Adds all values of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        // Destructured field by field, so that a new field can't be forgotten here.
        let Histogram {
            buckets,
            min_ns,
            max_ns,
            sum_ns,
        } = other;
        self.buckets
            .add(buckets)
            .expect("both have the same bounds, so every value fits");
        self.min_ns = self.min_ns.min(*min_ns);
        self.max_ns = self.max_ns.max(*max_ns);
        self.sum_ns = self.sum_ns.saturating_add(*sum_ns);
    }

    /// Empties it but keeps its memory.
    pub fn clear(&mut self) {
        self.buckets.clear();
        (self.min_ns, self.max_ns, self.sum_ns) = (u64::MAX, 0, 0);
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.buckets.len()
    }

    /// The smallest value, exactly; 0 if there is none.
    pub fn min_ns(&self) -> u64 {
        if self.count() == 0 {
            0
        } else {
            self.min_ns
        }
    }

    /// The largest value, exactly; 0 if there is none.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// The exact mean, except for rounding; 0 if there is no value.
    pub fn mean_ns(&self) -> u64 {
        self.sum_ns.checked_div(self.count()).unwrap_or(0)
    }

    /// The value that the share `quantile` (0 to 1) of all values does not exceed: the upper end of
    /// its bucket, but never more than the largest value. 0 if there is no value.
    pub fn quantile_ns(&self, quantile: f64) -> u64 {
        self.buckets.value_at_quantile(quantile).min(self.max_ns)
    }

    /// The V2 compressed encoding of HdrHistogram, in base64. Other HdrHistogram libraries read it.
    pub fn encode(&self) -> Result<String, HistogramError> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.buckets, &mut bytes)
            .map_err(|error| HistogramError::Encode(format!("{error:?}")))?;
        Ok(BASE64.encode(bytes))
    }

    /// Reads what [`Histogram::encode`] wrote. Minimum, maximum and sum are then only as exact as
    /// the buckets.
    pub fn decode(text: &str) -> Result<Histogram, HistogramError> {
        let bytes = BASE64
            .decode(text)
            .map_err(|error| HistogramError::Decode(error.to_string()))?;
        let read: hdrhistogram::Histogram<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| HistogramError::Decode(format!("{error:?}")))?;
        let mut whole = Histogram::new();
        for step in read.iter_recorded() {
            let (value_ns, count) = (step.value_iterated_to(), step.count_at_value());
            let value_ns = value_ns.clamp(LOWEST_NS, HIGHEST_NS);
            whole.buckets.saturating_record_n(value_ns, count);
            whole.min_ns = whole.min_ns.min(value_ns);
            whole.max_ns = whole.max_ns.max(value_ns);
            whole.sum_ns = whole.sum_ns.saturating_add(value_ns.saturating_mul(count));
        }
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn histogram(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        values.iter().for_each(|&value| histogram.record(value));
        histogram
    }

    fn values() -> impl Strategy<Value = Vec<u64>> {
        // Log-uniform, so that every order of magnitude up to beyond the bound comes up.
        prop::collection::vec((0_u32..45, 0.5_f64..1.0), 1..60).prop_map(|parts| {
            parts
                .iter()
                .map(|&(power, share)| ((1_u64 << power) as f64 * share) as u64)
                .collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn merging_is_commutative_and_associative(a in values(), b in values(), c in values()) {
            let (a, b, c) = (histogram(&a), histogram(&b), histogram(&c));
            let join = |left: &Histogram, right: &Histogram| {
                let mut joined = left.clone();
                joined.merge(right);
                joined
            };
            prop_assert_eq!(join(&a, &b), join(&b, &a));
            prop_assert_eq!(join(&join(&a, &b), &c), join(&a, &join(&b, &c)));
        }

        #[test]
        fn merged_shards_are_the_whole(all in values(), shards in 1_usize..5) {
            let mut merged = Histogram::new();
            for shard in 0..shards {
                let part: Vec<u64> = all.iter().copied().skip(shard).step_by(shards).collect();
                merged.merge(&histogram(&part));
            }
            prop_assert_eq!(merged, histogram(&all));
        }

        #[test]
        fn a_quantile_is_at_most_a_bucket_off(all in values(), quantile in 0.0_f64..=1.0) {
            let histogram = histogram(&all);
            let mut sorted: Vec<u64> =
                all.iter().map(|&value| value.clamp(LOWEST_NS, HIGHEST_NS)).collect();
            sorted.sort_unstable();
            let rank = ((quantile * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
            let exact = sorted[rank - 1];
            let seen = histogram.quantile_ns(quantile);
            // Three digits: a bucket is at most a thousandth of its value wide.
            prop_assert!(seen >= exact && seen <= exact + exact / 1000 + 1, "{seen} for {exact}");
            prop_assert_eq!(histogram.max_ns(), *sorted.last().unwrap());
            prop_assert_eq!(histogram.min_ns(), sorted[0]);
        }

        #[test]
        fn what_was_written_is_read_back(all in values()) {
            let histogram = histogram(&all);
            let read = Histogram::decode(&histogram.encode().unwrap()).unwrap();
            prop_assert_eq!(&read.buckets, &histogram.buckets);
        }
    }

    #[test]
    fn beyond_the_bounds_is_held_at_the_bounds() {
        let histogram = histogram(&[0, u64::MAX]);
        assert_eq!(
            (histogram.min_ns(), histogram.max_ns()),
            (LOWEST_NS, HIGHEST_NS)
        );
        assert_eq!(histogram.count(), 2);
    }

    #[test]
    fn nothing_recorded_is_all_zero() {
        let empty = Histogram::new();
        assert_eq!(
            (
                empty.count(),
                empty.min_ns(),
                empty.max_ns(),
                empty.mean_ns()
            ),
            (0, 0, 0, 0)
        );
        assert_eq!(empty.quantile_ns(0.99), 0);
    }
}
