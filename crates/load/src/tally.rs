//! The account of a phase or an interval: every scheduled op, by its outcome.

use std::collections::BTreeMap;

use crate::histogram::Histogram;
use crate::outcome::{Class, Outcome, Sample};

/// How many ops were scheduled and how they ended.
///
/// Always `scheduled = ok + failed + skipped + unfinished`, where failed is the sum over all error
/// numbers. Within an interval `scheduled` isn't known and stays 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// All ops in the schedule.
    pub scheduled: u64,
    /// Successful.
    pub ok: u64,
    /// Refused, by error number.
    pub failed: BTreeMap<u16, u64>,
    /// Too late to begin.
    pub skipped: u64,
    /// Broken off or never begun.
    pub unfinished: u64,
}

impl Counts {
    /// Adds another account.
    pub fn merge(&mut self, other: &Counts) {
        let Counts {
            scheduled,
            ok,
            failed,
            skipped,
            unfinished,
        } = other;
        self.scheduled += scheduled;
        self.ok += ok;
        for (&code, count) in failed {
            *self.failed.entry(code).or_default() += count;
        }
        self.skipped += skipped;
        self.unfinished += unfinished;
    }

    /// True when every scheduled op is accounted for.
    pub fn is_balanced(&self) -> bool {
        let failed: u64 = self.failed.values().sum();
        self.scheduled == self.ok + failed + self.skipped + self.unfinished
    }
}

/// The latencies of one op with one class of outcome.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpTally {
    /// From when the op was due until its end.
    pub latency: Histogram,
}

/// The classes of each op, in the order of [`Class`].
const CLASSES: [Class; 2] = [Class::Ok, Class::Failed];

/// Counts and latencies, by op and class of outcome.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// The account.
    pub counts: Counts,
    /// How often ops were retried.
    pub retries: u64,
    /// By op and class: op 0 ok, op 0 failed, op 1 ok and so on. Created when first needed.
    ops: Vec<Option<Box<OpTally>>>,
}

/// Ops that were emptied but keep their memory make no difference.
impl PartialEq for Tally {
    fn eq(&self, other: &Tally) -> bool {
        self.counts == other.counts && self.retries == other.retries && self.ops().eq(other.ops())
    }
}

impl Tally {
    /// Counts one op.
    #[inline]
    pub fn record(&mut self, sample: &Sample) {
        match sample.outcome {
            Outcome::Ok => self.counts.ok += 1,
            Outcome::Failed(code) => *self.counts.failed.entry(code).or_default() += 1,
            Outcome::Skipped => self.counts.skipped += 1,
            Outcome::Unfinished => self.counts.unfinished += 1,
        }
        self.retries += u64::from(sample.retries);
        if let Some(class) = Class::from_outcome(sample.outcome) {
            let place = usize::from(sample.op) * CLASSES.len() + class as usize;
            self.op(place).latency.record(sample.latency_ns());
        }
    }

    fn op(&mut self, place: usize) -> &mut OpTally {
        if self.ops.len() <= place {
            self.ops.resize(place + 1, None);
        }
        self.ops[place].get_or_insert_with(Box::default)
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: &Tally) {
        let Tally {
            counts,
            retries,
            ops,
        } = other;
        self.counts.merge(counts);
        self.retries += retries;
        for (place, op) in ops.iter().enumerate() {
            if let Some(op) = op.as_ref().filter(|op| op.latency.count() > 0) {
                self.op(place).latency.merge(&op.latency);
            }
        }
    }

    /// Empties it but keeps the memory of its histograms.
    pub fn clear(&mut self) {
        self.counts = Counts::default();
        self.retries = 0;
        for op in self.ops.iter_mut().flatten() {
            if op.latency.count() > 0 {
                op.latency.clear();
            }
        }
    }

    /// Every op and class of outcome that occurred, in order.
    pub fn ops(&self) -> impl Iterator<Item = (u16, Class, &OpTally)> {
        let made = self.ops.iter().enumerate();
        made.filter_map(|(place, op)| {
            let op = op.as_deref().filter(|op| op.latency.count() > 0)?;
            let class = CLASSES[place % CLASSES.len()];
            Some(((place / CLASSES.len()) as u16, class, op))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn samples() -> impl Strategy<Value = Vec<Sample>> {
        let outcome = prop_oneof![
            Just(Outcome::Ok),
            (1_u16..4).prop_map(Outcome::Failed),
            Just(Outcome::Skipped),
            Just(Outcome::Unfinished),
        ];
        let one = (
            0_u16..3,
            outcome,
            0_u16..3,
            0_u64..1000,
            0_u64..1000,
            1_u64..1_000_000,
        );
        prop::collection::vec(
            one.prop_map(
                |(op, outcome, retries, intended_ns, lag_ns, service_ns)| Sample {
                    op,
                    retries,
                    outcome,
                    intended_ns,
                    could_ns: intended_ns,
                    started_ns: intended_ns + lag_ns,
                    ended_ns: intended_ns + lag_ns + service_ns,
                },
            ),
            0..40,
        )
    }

    fn tally(samples: &[Sample]) -> Tally {
        let mut tally = Tally::default();
        for sample in samples {
            tally.counts.scheduled += 1;
            tally.record(sample);
        }
        tally
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn shards_merged_in_any_order_are_the_whole(all in samples(), cut in 0_usize..40) {
            let (left, right) = all.split_at(cut.min(all.len()));
            let (mut forth, mut back) = (tally(left), tally(right));
            forth.merge(&tally(right));
            back.merge(&tally(left));
            let whole = tally(&all);
            prop_assert_eq!(&forth, &whole);
            prop_assert_eq!(&back, &whole);
            prop_assert!(whole.counts.is_balanced());
        }

        #[test]
        fn a_cleared_tally_counts_like_a_new_one(before in samples(), after in samples()) {
            let mut used = tally(&before);
            used.clear();
            used.merge(&tally(&after));
            prop_assert_eq!(used, tally(&after));
        }
    }

    #[test]
    fn a_lost_op_is_noticed() {
        let counts = Counts {
            scheduled: 2,
            ok: 1,
            ..Counts::default()
        };
        assert!(!counts.is_balanced());
    }
}
