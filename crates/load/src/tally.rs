//! The account of a phase or an interval: every scheduled op, by what became of it.

use std::collections::BTreeMap;

use crate::histogram::Histogram;
use crate::outcome::{Class, Outcome, Sample};

/// How many ops were scheduled and what became of them.
///
/// `scheduled = ok + failed + skipped + unfinished`, always, where failed is the sum over all error
/// numbers. Within an interval `scheduled` is not known and stays 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// All ops that the schedule held.
    pub scheduled: u64,
    /// Done.
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
    /// The latest start of all.
    pub lag_ns_max: u64,
}

impl OpTally {
    fn merge(&mut self, other: &OpTally) {
        let OpTally {
            latency,
            lag_ns_max,
        } = other;
        self.latency.merge(latency);
        self.lag_ns_max = self.lag_ns_max.max(*lag_ns_max);
    }

    fn clear(&mut self) {
        let OpTally {
            latency,
            lag_ns_max,
        } = self;
        latency.clear();
        *lag_ns_max = 0;
    }
}

/// Counts and latencies, by op and class of outcome.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// The account.
    pub counts: Counts,
    ops: BTreeMap<(u16, Class), OpTally>,
}

/// Ops that were emptied but keep their memory are no difference.
impl PartialEq for Tally {
    fn eq(&self, other: &Tally) -> bool {
        self.counts == other.counts && self.ops().eq(other.ops())
    }
}

impl Tally {
    /// Counts one op.
    pub fn record(&mut self, sample: &Sample) {
        match sample.outcome {
            Outcome::Ok => self.counts.ok += 1,
            Outcome::Failed(code) => *self.counts.failed.entry(code).or_default() += 1,
            Outcome::Skipped => self.counts.skipped += 1,
            Outcome::Unfinished => self.counts.unfinished += 1,
        }
        if let Some(class) = Class::of(sample.outcome) {
            let op = self.ops.entry((sample.op, class)).or_default();
            op.latency.record(sample.latency_ns());
            op.lag_ns_max = op.lag_ns_max.max(sample.lag_ns());
        }
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: &Tally) {
        let Tally { counts, ops } = other;
        self.counts.merge(counts);
        for (key, op) in ops {
            self.ops.entry(*key).or_default().merge(op);
        }
    }

    /// Empties it and keeps the memory of its histograms.
    pub fn clear(&mut self) {
        self.counts = Counts::default();
        self.ops.values_mut().for_each(OpTally::clear);
    }

    /// Every op and class of outcome that occurred, in order.
    pub fn ops(&self) -> impl Iterator<Item = (u16, Class, &OpTally)> {
        let occurred = self.ops.iter().filter(|(_, op)| op.latency.count() > 0);
        occurred.map(|(&(op, class), tally)| (op, class, tally))
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
            0_u64..1000,
            0_u64..1000,
            1_u64..1_000_000,
        );
        prop::collection::vec(
            one.prop_map(|(op, outcome, intended_ns, lag_ns, service_ns)| Sample {
                op,
                outcome,
                intended_ns,
                started_ns: intended_ns + lag_ns,
                ended_ns: intended_ns + lag_ns + service_ns,
            }),
            0..40,
        )
    }

    fn of(samples: &[Sample]) -> Tally {
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
            let (mut forth, mut back) = (of(left), of(right));
            forth.merge(&of(right));
            back.merge(&of(left));
            let whole = of(&all);
            prop_assert_eq!(&forth, &whole);
            prop_assert_eq!(&back, &whole);
            prop_assert!(whole.counts.is_balanced());
        }

        #[test]
        fn a_cleared_tally_counts_like_a_new_one(before in samples(), after in samples()) {
            let mut used = of(&before);
            used.clear();
            used.merge(&of(&after));
            prop_assert_eq!(used, of(&after));
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
