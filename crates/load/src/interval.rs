//! Slices of a phase, each with its own tally, and the phase's tally as their sum.
//!
//! Pure: it is told about samples and times, and hands over finished intervals. An op counts in the
//! interval in which it ended; one that ends right on a boundary counts before it. An interval in
//! which nothing ended is handed over too, because a stall is made of just those.

use std::collections::BTreeMap;

use crate::outcome::Sample;
use crate::tally::Tally;

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
}

/// The slices of one phase while it goes on.
#[derive(Debug)]
pub struct Intervals {
    start_ns: u64,
    interval_ns: u64,
    /// The first one that was not handed over yet.
    next_index: u64,
    open: BTreeMap<u64, Tally>,
    /// Emptied tallies, so that their histograms' memory is used again.
    spare: Vec<Tally>,
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
            open: BTreeMap::new(),
            spare: Vec::new(),
            whole: Tally::default(),
        }
    }

    /// Counts an op. If its interval was handed over already, it counts in the oldest open one, so
    /// that nothing is lost.
    pub fn record(&mut self, sample: &Sample) {
        let after_start_ns = sample.ended_ns.saturating_sub(self.start_ns);
        let index = after_start_ns.saturating_sub(1) / self.interval_ns;
        let spare = &mut self.spare;
        self.open
            .entry(index.max(self.next_index))
            .or_insert_with(|| spare.pop().unwrap_or_default())
            .record(sample);
    }

    /// Hands over every interval that ended at `now_ns` or before.
    pub fn close_until(&mut self, now_ns: u64, emit: &mut impl FnMut(Interval<'_>)) {
        while self.start_of(self.next_index + 1) <= now_ns {
            self.close_next(self.interval_ns, emit);
        }
    }

    /// Hands over what is left of a phase that ended at `end_ns`, and returns the sum of all.
    pub fn finish(mut self, end_ns: u64, emit: &mut impl FnMut(Interval<'_>)) -> Tally {
        self.close_until(end_ns, emit);
        let rest_ns = end_ns.saturating_sub(self.start_of(self.next_index));
        if rest_ns > 0 || !self.open.is_empty() {
            self.close_next(rest_ns, emit);
        }
        assert!(self.open.is_empty(), "a sample ended after its phase");
        self.whole
    }

    fn start_of(&self, index: u64) -> u64 {
        // Computed from the index: adding lengths up would add rounding errors up too.
        self.start_ns + index * self.interval_ns
    }

    fn close_next(&mut self, duration_ns: u64, emit: &mut impl FnMut(Interval<'_>)) {
        let index = self.next_index;
        let mut tally = match self.open.remove(&index) {
            Some(tally) => tally,
            None => self.spare.pop().unwrap_or_default(),
        };
        emit(Interval {
            index,
            start_ns: self.start_of(index),
            duration_ns,
            tally: &tally,
        });
        self.whole.merge(&tally);
        tally.clear();
        self.spare.push(tally);
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
            outcome,
            intended_ns: started_ns,
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
