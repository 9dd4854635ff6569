//! Slices of a phase, each with its own tally and bins, and the phase's tally as their sum.
//!
//! Pure: it takes samples and times, and hands over finished intervals. An op counts in the
//! interval, and in the bin, in which it ended; one that ends exactly on a boundary counts before
//! it. Intervals in which nothing ended are handed over too: a stall consists of them.

use std::collections::VecDeque;

use crate::outcome::{Class, Sample};
use crate::tally::Tally;

/// The length of a bin: short enough for stalls that people notice.
pub const BIN_NS: u64 = 100_000_000;

/// A tenth of a second, for stalls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bin {
    /// Ops that ended in it.
    pub ended: u64,
    /// How late, at most, this program itself was woken in it.
    pub heartbeat_late_ns: u64,
}

/// One finished slice of a phase. Times are nanoseconds on the clock of the run.
#[derive(Debug)]
pub struct Interval<'a> {
    /// Number within the phase, from 0.
    pub index: u64,
    /// Where it begins.
    pub start_ns: u64,
    /// How long it is; the last one of a phase may be shorter.
    pub duration_ns: u64,
    /// What ended in it.
    pub tally: &'a Tally,
    /// Its tenths of a second, in order; the last one may be shorter.
    pub bins: &'a [Bin],
    /// Open load: ops that were due and hadn't begun at the last look.
    pub backlog: Option<u64>,
}

/// An interval that hasn't been handed over yet.
#[derive(Debug, Default)]
struct Slot {
    tally: Tally,
    /// How many samples fell into it.
    samples: u64,
    bins: Vec<Bin>,
    backlog: Option<u64>,
}

/// The slices of one phase while it goes on.
#[derive(Debug)]
pub struct Intervals {
    start_ns: u64,
    interval_ns: u64,
    /// The number of the first open one.
    next_index: u64,
    /// From that one on, without gaps.
    open: VecDeque<Slot>,
    /// Empty slots, kept to reuse their histograms' memory.
    spare: Vec<Slot>,
    whole: Tally,
}

impl Intervals {
    /// Slices of `interval_ns` of a phase that began at `start_ns`.
    pub fn new(start_ns: u64, interval_ns: u64) -> Intervals {
        assert!(interval_ns > 0, "an interval must have a length");
        Intervals {
            start_ns,
            interval_ns,
            next_index: 0,
            open: VecDeque::new(),
            spare: Vec::new(),
            whole: Tally::default(),
        }
    }

    /// The phase begins: called before anything else.
    pub(crate) fn begin(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
    }

    /// Counts an op. If its interval has already been handed over, it counts in the oldest open
    /// one, so that nothing is lost.
    #[inline]
    pub fn record(&mut self, sample: &Sample) {
        let (slot, bin) = self.slot_at(sample.ended_ns);
        slot.tally.record(sample);
        slot.samples += 1;
        slot.bins[bin].ended += u64::from(Class::from_outcome(sample.outcome).is_some());
    }

    /// This program was woken at `woken_ns`, `late_ns` later than it asked for.
    pub fn heartbeat(&mut self, woken_ns: u64, late_ns: u64) {
        // All of the time it overslept is the host's stall, not only the last bin of it.
        let mut at_ns = woken_ns.saturating_sub(late_ns).max(self.start_ns) + 1;
        loop {
            let (slot, bin) = self.slot_at(at_ns.min(woken_ns));
            let latest = &mut slot.bins[bin].heartbeat_late_ns;
            *latest = (*latest).max(late_ns);
            if at_ns >= woken_ns {
                return;
            }
            at_ns += BIN_NS;
        }
    }

    /// At `seen_ns` this many ops were due but hadn't begun.
    pub fn backlog(&mut self, seen_ns: u64, ops: u64) {
        self.slot_at(seen_ns).0.backlog = Some(ops);
    }

    /// The interval that an instant falls into, and the place of its bin.
    #[inline]
    fn slot_at(&mut self, at_ns: u64) -> (&mut Slot, usize) {
        let after_ns = at_ns.saturating_sub(self.start_ns).saturating_sub(1);
        let index = after_ns / self.interval_ns;
        let (index, within_ns) = if index < self.next_index {
            (self.next_index, 0)
        } else {
            (index, after_ns % self.interval_ns)
        };
        let place = (index - self.next_index) as usize;
        while self.open.len() <= place {
            let mut slot = self.spare.pop().unwrap_or_default();
            let bins = self.interval_ns.div_ceil(BIN_NS) as usize;
            slot.bins.resize(bins, Bin::default());
            self.open.push_back(slot);
        }
        (&mut self.open[place], (within_ns / BIN_NS) as usize)
    }

    /// Hands over every interval that ended at `now_ns` or before.
    pub fn close_until(&mut self, now_ns: u64, emit: &mut impl FnMut(Interval<'_>)) {
        while self.start_of(self.next_index + 1) <= now_ns {
            self.close_next(self.interval_ns, emit);
        }
    }

    /// Hands over what is left of a phase that ended at `end_ns`, and returns the total.
    pub fn finish(mut self, end_ns: u64, emit: &mut impl FnMut(Interval<'_>)) -> Tally {
        self.close_until(end_ns, emit);
        let rest_ns = end_ns.saturating_sub(self.start_of(self.next_index));
        let has_ops = self.open.iter().any(|slot| slot.samples > 0);
        if rest_ns > 0 || has_ops {
            self.close_next(rest_ns, emit);
        }
        let lost = self.open.iter().any(|slot| slot.samples > 0);
        assert!(!lost, "a sample ended after its phase");
        self.whole
    }

    fn start_of(&self, index: u64) -> u64 {
        // Computed from the index: adding up lengths would add up rounding errors.
        self.start_ns + index * self.interval_ns
    }

    fn close_next(&mut self, duration_ns: u64, emit: &mut impl FnMut(Interval<'_>)) {
        let start_ns = self.start_of(self.next_index);
        // Creates the interval if nothing fell into it.
        self.slot_at(start_ns + 1);
        let Some(mut slot) = self.open.pop_front() else {
            return;
        };
        let bins = (duration_ns.div_ceil(BIN_NS) as usize).clamp(1, slot.bins.len());
        // Ops that ended after the last whole bin of a short interval still count in that bin.
        let late: u64 = slot.bins[bins..].iter().map(|bin| bin.ended).sum();
        slot.bins[bins - 1].ended += late;
        emit(Interval {
            index: self.next_index,
            start_ns,
            duration_ns,
            tally: &slot.tally,
            bins: &slot.bins[..bins],
            backlog: slot.backlog,
        });
        self.whole.merge(&slot.tally);
        slot.tally.clear();
        slot.samples = 0;
        slot.bins.clear();
        slot.backlog = None;
        self.spare.push(slot);
        self.next_index += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Outcome;
    use proptest::prelude::*;

    fn ended(at_ns: u64, took_ns: u64) -> Sample {
        let started_ns = at_ns - took_ns;
        let outcome = Outcome::Ok;
        Sample {
            op: 0,
            retries: 0,
            outcome,
            intended_ns: started_ns,
            could_ns: started_ns,
            started_ns,
            ended_ns: at_ns,
        }
    }

    /// Index, start, duration and ok count of each interval.
    type Seen = Vec<(u64, u64, u64, u64)>;

    fn note(seen: &mut Seen) -> impl FnMut(Interval<'_>) + '_ {
        |interval| {
            let Interval {
                index,
                start_ns,
                duration_ns,
                tally,
                ..
            } = interval;
            seen.push((index, start_ns, duration_ns, tally.counts.ok));
        }
    }

    #[test]
    fn a_long_op_counts_where_it_ended_and_empty_intervals_are_told() {
        let mut seen = Seen::new();
        let mut intervals = Intervals::new(1000, 100);
        intervals.record(&ended(1050, 50));
        intervals.record(&ended(1100, 50)); // on the boundary: still in the first
        intervals.record(&ended(1450, 350)); // spans three boundaries
        let whole = intervals.finish(1450, &mut note(&mut seen));
        let expected = vec![
            (0, 1000, 100, 2),
            (1, 1100, 100, 0),
            (2, 1200, 100, 0),
            (3, 1300, 100, 0),
        ];
        assert_eq!(seen[..4], expected);
        assert_eq!(seen[4..], [(4, 1400, 50, 1)]);
        assert_eq!(whole.counts.ok, 3);
    }

    #[test]
    fn a_phase_that_ends_on_a_boundary_has_no_stub() {
        let mut seen = Seen::new();
        let mut intervals = Intervals::new(0, 100);
        (1..=20).for_each(|nth| intervals.record(&ended(nth * 10, 10)));
        intervals.finish(200, &mut note(&mut seen));
        assert_eq!(seen, [(0, 0, 100, 10), (1, 100, 100, 10)]);
    }

    #[test]
    fn a_late_sample_is_not_lost() {
        let mut seen = Seen::new();
        let mut intervals = Intervals::new(0, 100);
        intervals.close_until(250, &mut note(&mut seen));
        intervals.record(&ended(90, 10));
        intervals.finish(300, &mut note(&mut seen));
        assert_eq!(seen, [(0, 0, 100, 0), (1, 100, 100, 0), (2, 200, 100, 1)]);
    }

    #[test]
    fn bins_are_tenths_of_a_second_and_know_the_heartbeat() {
        let second = 1_000_000_000;
        let mut bins = Vec::new();
        let mut intervals = Intervals::new(0, second);
        intervals.record(&ended(50_000_000, 1));
        intervals.record(&ended(100_000_000, 1)); // on the boundary: still in the first
        intervals.record(&ended(100_000_001, 1));
        intervals.record(&ended(second + 120_000_000, 1));
        intervals.heartbeat(250_000_000, 70_000_000);
        intervals.heartbeat(260_000_000, 20_000_000);
        intervals.backlog(900_000_000, 17);
        let mut backlogs = Vec::new();
        intervals.finish(second + 130_000_000, &mut |interval| {
            bins.push(interval.bins.to_vec());
            backlogs.push(interval.backlog);
        });
        let counts: Vec<u64> = bins[0].iter().map(|bin| bin.ended).collect();
        assert_eq!(counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bins[0][2].heartbeat_late_ns, 70_000_000);
        assert_eq!((bins[1].len(), bins[1][1].ended), (2, 1));
        assert_eq!(backlogs, [Some(17), None]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn the_sum_of_intervals_is_the_phase(
            mut ends in prop::collection::vec(1_u64..1000, 0..50), interval_ns in 50_u64..400
        ) {
            ends.sort_unstable();
            let mut sum = Tally::default();
            let mut direct = Tally::default();
            let mut intervals = Intervals::new(0, interval_ns);
            for &end in &ends {
                intervals.record(&ended(end, 1));
                direct.record(&ended(end, 1));
                intervals.close_until(end / 2, &mut |interval| sum.merge(interval.tally));
            }
            let whole = intervals.finish(1000, &mut |interval| sum.merge(interval.tally));
            prop_assert_eq!(&whole, &direct);
            prop_assert_eq!(&sum, &direct);
        }
    }
}
