//! Runs all workers of a phase and gathers what they measured.
//!
//! Loops drive the workers. Each runs in a thread and puts samples into its own wait-free ring; the
//! calling thread empties the rings, keeps the histograms and hands over the intervals. So a loop
//! touches a few bytes per op instead of a histogram, and shares nothing with the others.

mod gather;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rtrb::{Consumer, Producer, RingBuffer};

use crate::clock::{Clock, Monotonic};
use crate::drive::{Loop, LoopEnd, Rules};
use crate::histogram::Histogram;
use crate::interval::Interval;
use crate::outcome::Sample;
use crate::share::Share;
use crate::stop::Stop;
use crate::tally::Tally;
use crate::turns::{Arrivals, Closed, Gaps, Limits, Open, Profile, Think, Turns};
use crate::until::Until;
use crate::worker::Worker;
use gather::Gatherer;

/// How many samples all loops together may be ahead of the gatherer.
const RING_SAMPLES: usize = 1 << 16;
/// The same for each loop, when there are many.
const RING_SAMPLES_MIN: usize = 256;
/// A loop needs little stack; there may be a thousand of them.
const STACK_BYTES: usize = 256 * 1024;
/// What a worker that blocks may call into isn't known.
const STACK_BYTES_BLOCKING: usize = 1024 * 1024;
/// Processors per loop: most of them are the server's if it shares the host.
const PROCESSORS_A_LOOP: usize = 4;
/// The length of intervals that nobody looks at.
const UNSEEN_INTERVAL_NS: u64 = 10_000_000_000;
/// Enough for running ops, if no other wait after `stop` is given.
const PATIENCE: Duration = Duration::from_secs(5);

/// When ops are due.
#[derive(Debug, Clone)]
pub enum Model {
    /// When their worker is free.
    Closed {
        /// How much to do.
        limits: Limits,
        /// The pause after each op.
        think: Option<Think>,
        /// The workers begin one after another over this time.
        ramp_ns: u64,
    },
    /// At instants that the server can't influence.
    Open {
        /// How many a second, over time.
        profile: Profile,
        /// How they are spread.
        gaps: Gaps,
        /// Where exponential gaps are drawn from.
        seed: u64,
    },
}

impl Model {
    /// For how long new ops begin, if that is known.
    fn duration_ns(&self) -> Option<u64> {
        match self {
            Model::Closed { limits, .. } => limits.duration_ns,
            Model::Open { profile, .. } => Some(profile.duration_ns()),
        }
    }
}

/// What a phase is to do.
#[derive(Debug, Clone)]
pub struct Phase<C> {
    /// The clock of the run.
    pub clock: C,
    /// Set by anybody to end the phase early; set by the phase if a worker gives up.
    pub stop: Stop,
    /// When ops are due.
    pub model: Model,
    /// Length of an interval.
    pub interval_ns: u64,
    /// After `stop`, how long to wait for running ops before they are abandoned.
    pub patience: Duration,
    /// After the last op may begin, how long running ones may take.
    pub drain_ns: u64,
    /// An op that takes longer is given up, if its worker can.
    pub limit_ns: Option<u64>,
    /// Whether `stop` can signal "enough": the phase then ends as if its time were over.
    pub until_signal: bool,
}

impl Phase<Monotonic> {
    /// Ops one after another on each worker, all from the start; the clock starts now. For callers
    /// that don't look at intervals: these are long.
    pub fn closed(stop: Stop, limits: Limits, drain_ns: u64) -> Phase<Monotonic> {
        Phase {
            clock: Monotonic::start(),
            stop,
            model: Model::Closed {
                limits,
                think: None,
                ramp_ns: 0,
            },
            interval_ns: UNSEEN_INTERVAL_NS,
            patience: PATIENCE,
            drain_ns,
            limit_ns: None,
            until_signal: false,
        }
    }
}

/// How a phase went.
#[derive(Debug)]
pub struct PhaseEnd<W> {
    /// The workers, for the next phase; without those that were abandoned.
    pub workers: Vec<W>,
    /// When the workers were released.
    pub start_ns: u64,
    /// When the last of them was done.
    pub end_ns: u64,
    /// From when no more ops could begin until the end.
    pub drain_ns: u64,
    /// All ops.
    pub tally: Tally,
    /// Open load: how late ops began although they were due and a worker was free.
    pub send_lag: Option<Histogram>,
    /// Open load: the most ops that were due and had not begun.
    pub backlog_max: Option<u64>,
    /// True if a worker could not go on.
    pub gave_up: bool,
    /// True if a signal ended it before its time was over.
    pub ended_early: bool,
}

/// One loop, seen from the gatherer.
struct Lane<W> {
    thread: JoinHandle<io::Result<LoopEnd<W>>>,
    ring: Consumer<Sample>,
    /// What its schedules held at the start, as far as that is known.
    scheduled: u64,
    /// When it was done; 0 while it is not.
    ended_ns: Arc<AtomicU64>,
    /// True once it was seen to be done, before the last time the ring was emptied.
    is_done: bool,
    /// Number of samples taken from the ring.
    seen: u64,
}

impl<W> Lane<W> {
    fn has_ended(&self) -> bool {
        self.ended_ns.load(Ordering::SeqCst) > 0 || self.thread.is_finished()
    }
}

/// Makes the turns of one worker, given the phase's start and the worker's number here.
type MakeTurns = Arc<dyn Fn(u64, u64) -> Turns + Send + Sync>;

/// Runs a phase to its end. `on_interval` is called on the calling thread as intervals end.
///
/// Fails if the system gives no threads or descriptors. Panics if an op got lost between a worker
/// and the tally: that would be a defect of this crate.
pub fn run_phase<C, W>(
    phase: &Phase<C>,
    workers: Vec<W>,
    on_interval: impl FnMut(Interval<'_>),
) -> io::Result<PhaseEnd<W>>
where
    C: Clock + Clone + Send + 'static,
    W: Worker + 'static,
{
    let share = Share::of_all(workers.len().max(1) as u64);
    run_share(phase, workers, share, || (), on_interval)
}

/// The same for workers that are a share of all those of several programs. `release` is called when
/// all of them are ready, and the phase begins when it returns.
pub fn run_share<C, W>(
    phase: &Phase<C>,
    workers: Vec<W>,
    share: Share,
    release: impl FnOnce(),
    mut on_interval: impl FnMut(Interval<'_>),
) -> io::Result<PhaseEnd<W>>
where
    C: Clock + Clone + Send + 'static,
    W: Worker + 'static,
{
    let (make_turns, arrivals) = turns(&phase.model, share);
    let until = Until::default();
    let mut gatherer = Gatherer::new(phase, arrivals, until.clone());
    let count = workers.len();
    let loops = loops_for(count, workers.iter().any(W::blocks));
    let barrier = Arc::new(Barrier::new(loops + 1));
    let start = Arc::new(AtomicU64::new(0));
    let mut parts: Vec<Vec<(u64, W)>> = (0..loops).map(|_| Vec::new()).collect();
    for (number, worker) in workers.into_iter().enumerate() {
        parts[number % loops].push((number as u64, worker));
    }
    let mut lanes = Vec::with_capacity(loops);
    for part in parts {
        let start = (Arc::clone(&start), Arc::clone(&barrier), until.clone());
        let lane = spawn(phase, part, count as u64, &make_turns, start);
        match lane {
            Ok(lane) => lanes.push(lane),
            Err(error) => return Err(abandon(phase, lanes.len(), loops, &barrier, error)),
        }
    }
    release();
    let start_ns = phase.clock.now_ns();
    start.store(start_ns, Ordering::SeqCst);
    barrier.wait();
    gatherer.begin(start_ns);
    gatherer.gather(phase, &mut lanes, &mut on_interval);
    gatherer.settle(phase, lanes, &mut on_interval)
}

/// Releases, with nothing to do, the threads that wait for one that couldn't be started.
fn abandon<C>(
    phase: &Phase<C>,
    started: usize,
    loops: usize,
    barrier: &Arc<Barrier>,
    error: io::Error,
) -> io::Error {
    phase.stop.set();
    for _ in started..=loops {
        let barrier = Arc::clone(barrier);
        // If not even this thread can be made, the others wait until the program ends.
        let _ = thread::Builder::new().spawn(move || barrier.wait());
    }
    io::Error::new(
        error.kind(),
        format!("{loops} threads are needed, and the system gave {started}: {error}"),
    )
}

/// How many threads drive this number of workers: one each if they block, or if there is a
/// processor for each, so that none is held up by another one's answer.
fn loops_for(workers: usize, blocks: bool) -> usize {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    if blocks || workers <= processors {
        return workers.max(1);
    }
    (processors / PROCESSORS_A_LOOP).clamp(1, workers)
}

/// How turns are made, and what an open load needs in addition.
fn turns(model: &Model, share: Share) -> (MakeTurns, Option<gather::OpenSide>) {
    match model.clone() {
        Model::Closed {
            limits,
            think,
            ramp_ns,
        } => {
            let make = move |start_ns, number| {
                let place = (share.first + number, share.of);
                Turns::Closed(Closed::new(limits, think, ramp_ns, start_ns, place))
            };
            (Arc::new(make), None)
        }
        Model::Open {
            profile,
            gaps,
            seed,
        } => {
            let duration_ns = profile.duration_ns();
            let (list, maker) = Arrivals::new(profile, gaps, seed, share);
            let list = Arc::new(list);
            let taking = Arc::clone(&list);
            let make = move |start_ns, _| {
                let list = Arc::clone(&taking);
                Turns::Open(Open::new(list, start_ns, start_ns + duration_ns))
            };
            (Arc::new(make), Some(gather::OpenSide::new(list, maker)))
        }
    }
}

fn spawn<C, W>(
    phase: &Phase<C>,
    part: Vec<(u64, W)>,
    count: u64,
    make_turns: &MakeTurns,
    (start, barrier, until): (Arc<AtomicU64>, Arc<Barrier>, Until),
) -> io::Result<Lane<W>>
where
    C: Clock + Clone + Send + 'static,
    W: Worker + 'static,
{
    let ring_samples = (RING_SAMPLES / count.max(1) as usize * part.len()).max(RING_SAMPLES_MIN);
    let (producer, ring) = RingBuffer::new(ring_samples);
    let gatherer = thread::current();
    let ended_ns = Arc::new(AtomicU64::new(0));
    let say_ended = Arc::clone(&ended_ns);
    let numbers = part.iter().map(|(number, _)| *number);
    let scheduled = numbers.map(|number| make_turns(0, number).scheduled());
    let scheduled = scheduled.sum();
    let (phase, make_turns) = (phase.clone(), Arc::clone(make_turns));
    let stack_bytes = match part.iter().any(|(_, worker)| worker.blocks()) {
        true => STACK_BYTES_BLOCKING,
        false => STACK_BYTES,
    };
    let job = move || {
        barrier.wait();
        let start_ns = start.load(Ordering::SeqCst);
        let turned = part.into_iter().map(|(number, worker)| {
            let turns = make_turns(start_ns, number);
            (worker, turns)
        });
        let end = drive(&phase, (start_ns, until), turned.collect(), producer);
        say_ended.store(phase.clock.now_ns().max(1), Ordering::SeqCst);
        gatherer.unpark();
        end
    };
    let thread = thread::Builder::new().stack_size(stack_bytes).spawn(job)?;
    Ok(Lane {
        thread,
        ring,
        scheduled,
        ended_ns,
        is_done: false,
        seen: 0,
    })
}

fn drive<C: Clock + Clone, W: Worker + 'static>(
    phase: &Phase<C>,
    (start_ns, until): (u64, Until),
    workers: Vec<(W, Turns)>,
    mut ring: Producer<Sample>,
) -> io::Result<LoopEnd<W>> {
    let drained_ns = phase.model.duration_ns();
    let rules = Rules {
        clock: phase.clock.clone(),
        stop: phase.stop.clone(),
        patience: phase.patience,
        limit_ns: phase.limit_ns,
        drained_ns: drained_ns.map(|duration_ns| start_ns + duration_ns + phase.drain_ns),
        drain_ns: phase.drain_ns,
        until,
    };
    let record = |sample| {
        while ring.push(sample).is_err() {
            thread::yield_now();
        }
    };
    let end = Loop::new(rules, workers, record).and_then(Loop::run);
    if !matches!(&end, Ok(end) if !end.gave_up) {
        phase.stop.set();
    }
    end
}
