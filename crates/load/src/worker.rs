//! The worker loop, and what it drives.
//!
//! [`run_worker`] is the hot loop and the only seam of the I/O strategy: today each worker has a
//! thread and blocks in its connection. Whatever replaces that calls the same three methods.

use std::ops::ControlFlow;

use crate::clock::Clock;
use crate::outcome::{Outcome, Sample};
use crate::schedule::{Schedule, Turn};
use crate::stop::Stop;

/// Does ops, one at a time. It belongs to one thread, so it needs no locks.
pub trait Worker: Send {
    /// Draws and prepares the op of this turn, and says which one it is (an index into the
    /// workload's list of names). Not timed.
    fn next_op(&mut self, turn: Turn) -> u16;

    /// Does the op that was drawn last. This alone is timed.
    fn run_op(&mut self) -> Outcome;

    /// Told what was measured. Not timed. `Break` says that this worker can't go on, and the ops
    /// left to it are unfinished.
    fn after_op(&mut self, sample: &Sample) -> ControlFlow<()> {
        let _ = sample;
        ControlFlow::Continue(())
    }
}

/// How a worker's part of a phase ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerEnd {
    /// Ops that the schedule held for this worker.
    pub scheduled: u64,
    /// Ops that were never begun.
    pub left: u64,
    /// True if the worker could not go on.
    pub gave_up: bool,
}

/// Closed loop: an op is due when the one before it has ended. Every op that was begun is handed to
/// `record`, whatever became of it. Ends with the schedule, with `stop`, or when the worker gives
/// up.
///
/// The loop itself allocates nothing, locks nothing and writes nothing; the op is drawn before the
/// clock is read, and the clock is read twice an op.
pub fn run_worker<C: Clock, W: Worker>(
    clock: &C,
    stop: &Stop,
    mut schedule: Schedule,
    worker: &mut W,
    mut record: impl FnMut(Sample),
) -> WorkerEnd {
    let mut gave_up = false;
    while !gave_up && !stop.is_set() {
        let Some(turn) = schedule.next(|| clock.now_ns()) else {
            break;
        };
        let op = worker.next_op(turn);
        let started_ns = clock.now_ns();
        let outcome = worker.run_op();
        let ended_ns = clock.now_ns();
        let sample = Sample {
            op,
            outcome,
            intended_ns: started_ns,
            started_ns,
            ended_ns,
        };
        record(sample);
        gave_up = worker.after_op(&sample).is_break();
    }
    WorkerEnd {
        scheduled: schedule.scheduled(),
        left: schedule.left(),
        gave_up,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Scripted;
    use crate::interval::Intervals;
    use crate::schedule::Extent;

    /// A worker whose ops take what the script says; `None` means that it gives up there.
    struct Scripter<'a> {
        clock: &'a Scripted,
        script: &'a [Option<u64>],
        nth: usize,
    }

    impl Worker for Scripter<'_> {
        fn next_op(&mut self, turn: Turn) -> u16 {
            // Drawing takes time too, and none of it may be counted.
            self.clock.advance_ns(5);
            self.nth = turn.nth as usize;
            0
        }

        fn run_op(&mut self) -> Outcome {
            self.clock.advance_ns(self.script[self.nth].unwrap_or(1));
            self.script[self.nth].map_or(Outcome::Failed(2013), |_| Outcome::Ok)
        }

        fn after_op(&mut self, sample: &Sample) -> ControlFlow<()> {
            assert_eq!(sample.lag_ns(), 0, "a closed loop has no lag");
            match self.script[self.nth] {
                Some(_) => ControlFlow::Continue(()),
                None => ControlFlow::Break(()),
            }
        }
    }

    fn run(script: &[Option<u64>], extent: Extent) -> (WorkerEnd, Vec<Sample>) {
        let clock = Scripted::new();
        let mut worker = Scripter {
            clock: &clock,
            script,
            nth: 0,
        };
        let mut samples = Vec::new();
        let schedule = Schedule::new(extent, 0, 0, 1);
        let end = run_worker(&clock, &Stop::new(), schedule, &mut worker, |sample| {
            samples.push(sample)
        });
        (end, samples)
    }

    #[test]
    fn only_the_op_is_timed() {
        let (end, samples) = run(&[Some(10), Some(1000), Some(10)], Extent::Ops(3));
        assert_eq!(
            end,
            WorkerEnd {
                scheduled: 3,
                left: 0,
                gave_up: false
            }
        );
        let took: Vec<u64> = samples.iter().map(Sample::latency_ns).collect();
        assert_eq!(took, [10, 1000, 10]);
        assert_eq!(samples[2].started_ns, 5 + 10 + 5 + 1000 + 5);
    }

    #[test]
    fn a_worker_that_gives_up_leaves_the_rest() {
        let (end, samples) = run(&[Some(10), None, Some(10), Some(10)], Extent::Ops(4));
        assert_eq!(
            end,
            WorkerEnd {
                scheduled: 4,
                left: 2,
                gave_up: true
            }
        );
        assert_eq!(samples[1].outcome, Outcome::Failed(2013));
    }

    #[test]
    fn a_time_is_over_for_ops_that_have_not_begun() {
        // 5 to draw and 20 to do, until 60 have passed: begun at 5, 30 and 55, and not at 80.
        let (end, samples) = run(&[Some(20); 9], Extent::Duration(60));
        assert_eq!(
            end,
            WorkerEnd {
                scheduled: 3,
                left: 0,
                gave_up: false
            }
        );
        assert_eq!(samples.last().unwrap().ended_ns, 75);
    }

    #[test]
    fn a_stall_shows_in_the_intervals_it_emptied() {
        // Ops of 95 with 5 between: ten a second of 1000. The sixth takes 2095 instead.
        let mut script = [Some(95); 40];
        script[5] = Some(2095);
        let (_, samples) = run(&script, Extent::Ops(40));
        let mut intervals = Intervals::new(0, 1000);
        let mut counts = Vec::new();
        samples.iter().for_each(|sample| intervals.record(sample));
        let whole = intervals.finish(6000, &mut |interval| counts.push(interval.tally.counts.ok));
        // 5 ops by 500, the sixth ends at 2600, then one each 100 up to 6000.
        assert_eq!(counts, [5, 0, 5, 10, 10, 10]);
        let (_, _, op) = whole.ops().next().unwrap();
        assert_eq!(
            (op.latency.max_ns(), op.latency.quantile_ns(0.95)),
            (2095, 95)
        );
    }

    #[test]
    fn nothing_begins_after_stop() {
        let clock = Scripted::new();
        let stop = Stop::new();
        stop.set();
        let mut worker = Scripter {
            clock: &clock,
            script: &[Some(1)],
            nth: 0,
        };
        let schedule = Schedule::new(Extent::Ops(1), 0, 0, 1);
        let end = run_worker(&clock, &stop, schedule, &mut worker, |_| {
            panic!("no op may run")
        });
        assert_eq!(
            end,
            WorkerEnd {
                scheduled: 1,
                left: 1,
                gave_up: false
            }
        );
    }
}
