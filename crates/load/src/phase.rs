//! Runs all workers of a phase and gathers what they measured.
//!
//! Each worker has a thread and a wait-free ring of its own, into which it puts its samples; the
//! calling thread empties the rings, keeps the histograms and hands over the intervals. So a worker
//! touches a few bytes an op instead of a histogram, and shares nothing with the others.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rtrb::{Consumer, Producer, RingBuffer};

use crate::clock::Clock;
use crate::interval::{Interval, Intervals};
use crate::outcome::Sample;
use crate::schedule::{Extent, Schedule};
use crate::stop::Stop;
use crate::tally::Tally;
use crate::worker::{run_worker, Worker, WorkerEnd};

/// Samples that a worker can be ahead of the gatherer. At one visit each 20 ms this is enough for
/// 200,000 ops a second and worker; a worker with a full ring waits between two ops.
const RING_SAMPLES: usize = 4096;
/// How often the gatherer empties the rings.
const VISIT: Duration = Duration::from_millis(20);
/// How long after its end an interval is handed over, so that a sample that was stamped just before
/// the boundary has time to arrive.
const GRACE_NS: u64 = 100_000_000;

/// What a phase is to do.
#[derive(Debug, Clone)]
pub struct Phase<C> {
    /// The clock of the run.
    pub clock: C,
    /// Set by anybody to end the phase early; set by the phase when a worker gives up.
    pub stop: Stop,
    /// How much.
    pub extent: Extent,
    /// Length of an interval.
    pub interval_ns: u64,
    /// After `stop`, how long to wait for ops that are running before they are left to themselves.
    pub patience: Duration,
}

/// How a phase went.
#[derive(Debug)]
pub struct PhaseEnd<W> {
    /// The workers, for the next phase; without those that were left to themselves.
    pub workers: Vec<W>,
    /// When the workers were let go.
    pub start_ns: u64,
    /// When the last of them was done.
    pub end_ns: u64,
    /// All ops.
    pub tally: Tally,
    /// True if a worker could not go on.
    pub gave_up: bool,
}

/// One worker, seen from the gatherer.
struct Lane<W> {
    thread: JoinHandle<(W, WorkerEnd)>,
    ring: Consumer<Sample>,
    /// The worker's schedule as it was at the start.
    schedule: Schedule,
    /// When the worker was done; 0 while it is not.
    ended_ns: Arc<AtomicU64>,
    /// True once it was seen to be done, before the ring was emptied for the last time.
    is_done: bool,
    /// Samples received.
    seen: u64,
}

impl<W> Lane<W> {
    /// A thread that panicked never says when it was done.
    fn has_ended(&self) -> bool {
        self.ended_ns.load(Ordering::SeqCst) > 0 || self.thread.is_finished()
    }
}

/// Runs a phase to its end. `on_interval` is called on the calling thread as intervals end.
///
/// Panics if an op got lost between a worker and the tally: that would be a defect of this crate.
pub fn run_phase<C, W>(
    phase: &Phase<C>,
    workers: Vec<W>,
    mut on_interval: impl FnMut(Interval<'_>),
) -> PhaseEnd<W>
where
    C: Clock + Clone + Send + 'static,
    W: Worker + 'static,
{
    let barrier = Arc::new(Barrier::new(workers.len() + 1));
    let start = Arc::new(AtomicU64::new(0));
    let count = workers.len() as u64;
    let mut lanes: Vec<Lane<W>> = Vec::with_capacity(workers.len());
    for (number, worker) in workers.into_iter().enumerate() {
        let (producer, ring) = RingBuffer::new(RING_SAMPLES);
        let (phase, barrier, start) = (phase.clone(), Arc::clone(&barrier), Arc::clone(&start));
        let schedule = Schedule::new(phase.extent, 0, number as u64, count);
        let gatherer = thread::current();
        let ended_ns = Arc::new(AtomicU64::new(0));
        let say_ended = Arc::clone(&ended_ns);
        let thread = thread::spawn(move || {
            barrier.wait();
            let start_ns = start.load(Ordering::SeqCst);
            let schedule = Schedule::new(phase.extent, start_ns, number as u64, count);
            let end = drive(&phase, schedule, worker, producer);
            say_ended.store(phase.clock.now_ns().max(1), Ordering::SeqCst);
            gatherer.unpark();
            end
        });
        lanes.push(Lane {
            thread,
            ring,
            schedule,
            ended_ns,
            is_done: false,
            seen: 0,
        });
    }
    let start_ns = phase.clock.now_ns();
    start.store(start_ns, Ordering::SeqCst);
    barrier.wait();
    let mut intervals = Intervals::new(start_ns, phase.interval_ns);
    gather(phase, &mut lanes, &mut intervals, &mut on_interval);
    // What the workers say, and not now: the gatherer may be late.
    let ended_ns = |lane: &Lane<W>| lane.ended_ns.load(Ordering::SeqCst);
    let end_ns = if lanes.iter().all(|lane| lane.is_done) {
        lanes.iter().map(ended_ns).max().unwrap_or(start_ns)
    } else {
        phase.clock.now_ns()
    };
    let tally = intervals.finish(end_ns, &mut on_interval);
    settle(
        phase,
        lanes,
        PhaseEnd {
            workers: Vec::new(),
            start_ns,
            end_ns,
            tally,
            gave_up: false,
        },
    )
}

/// Empties the rings until all workers are done, or until patience with them is over.
fn gather<C: Clock, W>(
    phase: &Phase<C>,
    lanes: &mut [Lane<W>],
    intervals: &mut Intervals,
    on_interval: &mut impl FnMut(Interval<'_>),
) {
    let mut stopped_at: Option<Instant> = None;
    loop {
        // Asked before the rings are emptied: what is done now has put all its samples there.
        lanes
            .iter_mut()
            .for_each(|lane| lane.is_done = lane.has_ended());
        let all_done = lanes.iter().all(|lane| lane.is_done);
        let seen_ns = phase.clock.now_ns();
        for lane in lanes.iter_mut() {
            while let Ok(sample) = lane.ring.pop() {
                intervals.record(&sample);
                lane.seen += 1;
            }
        }
        if phase.stop.is_set() && stopped_at.is_none() {
            stopped_at = Some(Instant::now());
        }
        if all_done || stopped_at.is_some_and(|since| since.elapsed() > phase.patience) {
            return;
        }
        intervals.close_until(seen_ns.saturating_sub(GRACE_NS), on_interval);
        thread::park_timeout(VISIT);
    }
}

/// Completes the account: what was scheduled, and what was never begun or left running.
fn settle<C, W>(phase: &Phase<C>, lanes: Vec<Lane<W>>, mut end: PhaseEnd<W>) -> PhaseEnd<W> {
    for Lane {
        thread,
        ring: _,
        schedule,
        ended_ns: _,
        is_done,
        seen,
    } in lanes
    {
        let counts = &mut end.tally.counts;
        if is_done {
            let joined = thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let (
                worker,
                WorkerEnd {
                    scheduled,
                    left,
                    gave_up,
                },
            ) = joined;
            counts.scheduled += scheduled;
            counts.unfinished += left;
            end.gave_up |= gave_up;
            end.workers.push(worker);
        } else {
            // Left to itself with one op running.
            let scheduled = match phase.extent {
                Extent::Ops(_) => schedule.scheduled(),
                Extent::Duration(_) => seen + 1,
            };
            counts.scheduled += scheduled;
            counts.unfinished += scheduled - seen;
        }
    }
    assert!(
        end.tally.counts.is_balanced(),
        "an op got lost: {:?}",
        end.tally.counts
    );
    end
}

fn drive<C: Clock, W: Worker>(
    phase: &Phase<C>,
    schedule: Schedule,
    mut worker: W,
    mut ring: Producer<Sample>,
) -> (W, WorkerEnd) {
    let end = run_worker(&phase.clock, &phase.stop, schedule, &mut worker, |sample| {
        while ring.push(sample).is_err() {
            thread::yield_now();
        }
    });
    if end.gave_up {
        phase.stop.set();
    }
    (worker, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Monotonic;
    use crate::outcome::Outcome;
    use crate::schedule::Turn;
    use std::ops::ControlFlow;

    /// Does nothing, quickly; every seventh op fails, and one worker may give up.
    struct Quick {
        index: u64,
        gives_up_at: u64,
        done: Vec<u64>,
    }

    impl Worker for Quick {
        fn next_op(&mut self, turn: Turn) -> u16 {
            self.index = turn.index;
            (turn.index % 3) as u16
        }

        fn run_op(&mut self) -> Outcome {
            self.done.push(self.index);
            if self.index % 7 == 0 {
                Outcome::Failed(1213)
            } else {
                Outcome::Ok
            }
        }

        fn after_op(&mut self, _sample: &Sample) -> ControlFlow<()> {
            if self.index == self.gives_up_at {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    }

    fn phase(extent: Extent) -> Phase<Monotonic> {
        Phase {
            clock: Monotonic::start(),
            stop: Stop::new(),
            extent,
            interval_ns: 5_000_000,
            patience: Duration::from_millis(50),
        }
    }

    fn run(workers: usize, extent: Extent, gives_up_at: u64) -> (PhaseEnd<Quick>, Vec<u64>, u64) {
        let new = || Quick {
            index: 0,
            gives_up_at,
            done: Vec::new(),
        };
        let workers: Vec<Quick> = (0..workers).map(|_| new()).collect();
        let mut in_intervals = 0;
        let end = run_phase(&phase(extent), workers, |interval| {
            let counts = &interval.tally.counts;
            in_intervals += counts.ok + counts.failed.values().sum::<u64>();
        });
        let mut done: Vec<u64> = end
            .workers
            .iter()
            .flat_map(|worker| worker.done.clone())
            .collect();
        done.sort_unstable();
        (end, done, in_intervals)
    }

    /// Does one op, and hangs in the second.
    struct Hangs;

    impl Worker for Hangs {
        fn next_op(&mut self, _turn: Turn) -> u16 {
            0
        }

        fn run_op(&mut self) -> Outcome {
            Outcome::Ok
        }

        fn after_op(&mut self, _sample: &Sample) -> ControlFlow<()> {
            thread::sleep(Duration::from_secs(3600));
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn a_worker_that_hangs_is_left_to_itself_and_accounted_for() {
        for (extent, unfinished) in [(Extent::Ops(10), 9), (Extent::Duration(1_000_000_000), 1)] {
            let phase = phase(extent);
            let stop = phase.stop.clone();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(10));
                stop.set();
            });
            let end = run_phase(&phase, vec![Hangs], |_| ());
            let counts = &end.tally.counts;
            assert_eq!((counts.ok, counts.unfinished), (1, unfinished));
            assert!(end.workers.is_empty());
        }
    }

    #[test]
    fn the_ops_are_the_same_whatever_the_number_of_workers() {
        for workers in [1, 2, 5] {
            // More than a ring holds, so that full rings are met too.
            let (end, done, in_intervals) = run(workers, Extent::Ops(20_000), u64::MAX);
            assert_eq!(done, (0..20_000).collect::<Vec<_>>(), "{workers} workers");
            let counts = &end.tally.counts;
            assert_eq!((counts.scheduled, counts.unfinished), (20_000, 0));
            assert_eq!(counts.failed[&1213], 20_000_u64.div_ceil(7));
            assert_eq!(in_intervals, 20_000);
            assert!(!end.gave_up);
        }
    }

    #[test]
    fn one_that_gives_up_stops_all_and_the_account_holds() {
        let (end, done, in_intervals) = run(3, Extent::Ops(10_000_000), 3000);
        assert!(end.gave_up);
        assert_eq!(end.tally.counts.scheduled, 10_000_000);
        assert_eq!(end.tally.counts.unfinished, 10_000_000 - done.len() as u64);
        assert_eq!(in_intervals, done.len() as u64);
    }

    #[test]
    fn a_phase_of_a_duration_lasts_that_long() {
        let (end, done, _) = run(2, Extent::Duration(30_000_000), u64::MAX);
        assert!(end.end_ns - end.start_ns >= 30_000_000);
        assert_eq!(end.tally.counts.scheduled, done.len() as u64);
    }
}
