//! The loop that drives workers through a phase: the hot path of every load.
//!
//! One thread drives many workers that don't block, or one that does. It begins ops when they are
//! due, resumes those whose descriptors are ready, and hands over a sample of each. Between the
//! start and the end of an op nothing is allocated, locked or written, and the clock is read twice.

mod class;
mod lane;
mod poller;
#[cfg(test)]
mod tests;

pub use class::yield_to_the_server;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;
use std::time::Duration;

use crate::clock::Clock;
use crate::outcome::{Outcome, Sample};
use crate::stop::Stop;
use crate::turns::{Next, Turns};
use crate::until::Until;
use crate::worker::{OpState, Worker};
use lane::{Lane, State};
use poller::Poller;

/// How often to look for ops that take too long.
const INSPECTION_NS: u64 = 200_000_000;

/// What a loop knows about its phase.
#[derive(Debug, Clone)]
pub(crate) struct Rules<C> {
    pub(crate) clock: C,
    pub(crate) stop: Stop,
    /// After `stop`, how long to wait for ops that are under way.
    pub(crate) patience: Duration,
    /// An op that takes longer is given up.
    pub(crate) limit_ns: Option<u64>,
    /// When ops that are still under way are broken off.
    pub(crate) drained_ns: Option<u64>,
    /// The same, counted from `until`.
    pub(crate) drain_ns: u64,
    /// From when no op begins, in a phase that a signal ends.
    pub(crate) until: Until,
}

/// How a loop ended.
#[derive(Debug)]
pub(crate) struct LoopEnd<W> {
    pub(crate) workers: Vec<W>,
    /// Ops that the schedules held for its workers.
    pub(crate) scheduled: u64,
    /// Of these: never begun, or broken off without a sample.
    pub(crate) unfinished: u64,
    /// True if a worker could not go on.
    pub(crate) gave_up: bool,
}

type Mended<W> = (usize, W, ControlFlow<()>);

pub(crate) struct Loop<C, W, R> {
    rules: Rules<C>,
    lanes: Vec<Lane<W>>,
    poller: Poller,
    /// Lanes that may begin an op.
    ready: VecDeque<usize>,
    /// Lanes that wait for a time.
    timers: BinaryHeap<Reverse<(u64, usize)>>,
    /// What is ready after a wait; its memory is kept.
    places: Vec<usize>,
    /// Its workers block.
    blocks: bool,
    running: usize,
    mending: usize,
    mended: (Sender<Mended<W>>, Receiver<Mended<W>>),
    record: R,
    inspected_ns: u64,
    stopped_ns: Option<u64>,
    gave_up: bool,
}

impl<C: Clock, W: Worker + 'static, R: FnMut(Sample)> Loop<C, W, R> {
    /// A loop over these workers; every op that ended is handed to `record`.
    pub(crate) fn new(
        rules: Rules<C>,
        workers: Vec<(W, Turns)>,
        record: R,
    ) -> io::Result<Loop<C, W, R>> {
        let poller = Poller::new()?;
        let blocks = workers.iter().any(|(worker, _)| worker.blocks());
        let mut lanes: Vec<Lane<W>> = workers
            .into_iter()
            .map(|(worker, turns)| Lane::new(worker, turns))
            .collect();
        let now_ns = rules.clock.now_ns();
        for (place, lane) in lanes.iter_mut().enumerate() {
            lane.watch(&poller, place)?;
            let pause_ns = lane.worker.as_mut().map_or(0, Worker::pause_ns);
            lane.turns.rest(pause_ns, now_ns);
        }
        Ok(Loop {
            rules,
            ready: (0..lanes.len()).collect(),
            timers: BinaryHeap::with_capacity(lanes.len()),
            lanes,
            poller,
            places: Vec::new(),
            blocks,
            running: 0,
            mending: 0,
            mended: channel(),
            record,
            inspected_ns: 0,
            stopped_ns: None,
            gave_up: false,
        })
    }

    /// Drives all workers to the end of the phase.
    pub(crate) fn run(mut self) -> io::Result<LoopEnd<W>> {
        if !self.blocks && self.lanes.len() > 1 {
            yield_to_the_server();
        }
        loop {
            let now_ns = self.rules.clock.now_ns();
            self.take_mended();
            self.wake(now_ns);
            if self.rules.until.is_over(now_ns) {
                self.close();
            }
            let is_stopped = self.rules.stop.is_set();
            if !is_stopped {
                // Lanes that become ready meanwhile wait until the descriptors have been checked.
                for _ in 0..self.ready.len() {
                    if let Some(place) = self.ready.pop_front() {
                        self.begin(place, now_ns)?;
                    }
                }
            }
            if self.is_over(is_stopped, now_ns) {
                return Ok(self.end());
            }
            if self.running > 0 || self.mending > 0 || self.ready.is_empty() || is_stopped {
                self.wait(is_stopped)?;
            }
            self.inspect(now_ns);
        }
    }

    fn is_over(&mut self, is_stopped: bool, now_ns: u64) -> bool {
        let idle = self.running == 0 && self.mending == 0;
        if !is_stopped {
            return idle && self.ready.is_empty() && self.timers.is_empty();
        }
        let since_ns = *self.stopped_ns.get_or_insert(now_ns);
        idle || Duration::from_nanos(now_ns.saturating_sub(since_ns)) > self.rules.patience
    }

    /// Makes lanes ready whose time has come.
    fn wake(&mut self, now_ns: u64) {
        while let Some(&Reverse((due_ns, place))) = self.timers.peek() {
            if due_ns > now_ns {
                break;
            }
            self.timers.pop();
            self.ready.push_back(place);
        }
    }

    /// A signal ended the phase: a worker that waits for its next op gets none.
    fn close(&mut self) {
        while let Some(Reverse((_, place))) = self.timers.pop() {
            self.lanes[place].close();
        }
    }

    /// Waits for descriptors and times, and goes on with what is ready.
    fn wait(&mut self, is_stopped: bool) -> io::Result<()> {
        let for_ns = if is_stopped {
            None
        } else if self.ready.is_empty() {
            let next = self.timers.peek();
            next.map(|Reverse((due_ns, _))| due_ns.saturating_sub(self.rules.clock.now_ns()))
        } else {
            Some(0)
        };
        // Taken out, because resuming an op needs the whole loop.
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.extend(self.poller.wait(for_ns)?);
        for &place in &places {
            self.resume(place)?;
        }
        self.places = places;
        Ok(())
    }

    /// Begins the lane's next op, if it has one that is due.
    fn begin(&mut self, place: usize, now_ns: u64) -> io::Result<()> {
        let lane = &mut self.lanes[place];
        if self.rules.until.is_over(now_ns) {
            lane.close();
            return Ok(());
        }
        let Some(worker) = &mut lane.worker else {
            return Ok(());
        };
        match lane.turns.next(now_ns) {
            Next::Wait(until_ns) => {
                lane.state = State::Waiting;
                self.timers.push(Reverse((until_ns, place)));
            }
            Next::Over => lane.state = State::Over,
            Next::Take {
                turn,
                due_ns,
                could_ns,
            } => {
                lane.op = worker.next_op(turn);
                let started_ns = self.rules.clock.now_ns();
                lane.started_ns = started_ns;
                lane.intended_ns = due_ns.unwrap_or(started_ns);
                lane.could_ns = if due_ns.is_some() {
                    could_ns
                } else {
                    started_ns
                };
                lane.state = State::Running;
                self.running += 1;
                let progress = worker.begin_op();
                lane.watch_writing(&self.poller, place)?;
                self.go_on(place, progress, false)?;
            }
        }
        Ok(())
    }

    fn resume(&mut self, place: usize) -> io::Result<()> {
        let lane = &mut self.lanes[place];
        // A descriptor may report that its server went away while no op is under way.
        if let (State::Running, Some(worker)) = (lane.state, &mut lane.worker) {
            let progress = worker.resume_op();
            lane.watch_writing(&self.poller, place)?;
            self.go_on(place, progress, true)?;
        }
        Ok(())
    }

    /// After a step of an op. If it ended and `next` is set, the lane's next op begins at once.
    fn go_on(&mut self, place: usize, progress: OpState, next: bool) -> io::Result<()> {
        let OpState::Ended(outcome) = progress else {
            return Ok(());
        };
        let ended_ns = self.rules.clock.now_ns();
        self.finish(place, outcome, ended_ns);
        if self.lanes[place].state != State::Ready {
            return Ok(());
        }
        if next && !self.rules.stop.is_set() {
            return self.begin(place, ended_ns);
        }
        self.ready.push_back(place);
        Ok(())
    }

    fn finish(&mut self, place: usize, outcome: Outcome, ended_ns: u64) {
        let lane = &mut self.lanes[place];
        self.running -= 1;
        lane.state = State::Ready;
        let sample = lane.sample(outcome, ended_ns);
        (self.record)(sample);
        lane.turns.ended(ended_ns);
        if let Some(worker) = &mut lane.worker {
            worker.after_op(&sample);
            lane.turns.rest(worker.pause_ns(), ended_ns);
            // After the drain there is no next op, and the next phase begins with whole workers.
            if worker.needs_mending() && !self.is_drained(ended_ns) {
                self.mend(place);
            }
        }
    }

    /// True once ops under way are no longer waited for.
    fn is_drained(&self, now_ns: u64) -> bool {
        let ended_ns = now_ns.saturating_sub(self.rules.drain_ns);
        self.rules.drained_ns.is_some_and(|end_ns| now_ns > end_ns)
            || self.rules.until.is_over(ended_ns)
    }

    /// Mends a worker: in a separate thread if others would have to wait for it.
    fn mend(&mut self, place: usize) {
        let Some(mut worker) = self.lanes[place].worker.take() else {
            return;
        };
        self.lanes[place].state = State::Mending;
        self.mending += 1;
        let sender = self.mended.0.clone();
        let job = move || {
            let went = worker.mend();
            // Nobody listens any more once the loop has ended.
            let _ = sender.send((place, worker, went));
        };
        if self.blocks {
            job();
        } else {
            thread::spawn(job);
        }
    }

    fn take_mended(&mut self) {
        while let Ok((place, worker, went)) = self.mended.1.try_recv() {
            self.mending -= 1;
            let lane = &mut self.lanes[place];
            lane.worker = Some(worker);
            // Free only now: the time for mending is not the load generator's lag.
            lane.turns.ended(self.rules.clock.now_ns());
            if went.is_break() || lane.watch(&self.poller, place).is_err() {
                lane.state = State::Over;
                self.gave_up = true;
                self.rules.stop.set();
            } else {
                lane.state = State::Ready;
                self.ready.push_back(place);
            }
        }
    }

    /// Gives up ops that take too long: longer than the limit, or than the phase waits for them.
    fn inspect(&mut self, now_ns: u64) {
        if now_ns < self.inspected_ns + INSPECTION_NS {
            return;
        }
        self.inspected_ns = now_ns;
        let is_drained = self.is_drained(now_ns);
        for place in 0..self.lanes.len() {
            let lane = &mut self.lanes[place];
            let took_ns = now_ns.saturating_sub(lane.started_ns);
            let too_long = self
                .rules
                .limit_ns
                .is_some_and(|limit_ns| took_ns > limit_ns);
            if lane.state != State::Running || !(too_long || is_drained) {
                continue;
            }
            if let Some(worker) = &mut lane.worker {
                let outcome = worker.give_up_op();
                let outcome = if is_drained {
                    Outcome::Unfinished
                } else {
                    outcome
                };
                self.finish(place, outcome, self.rules.clock.now_ns());
                if self.lanes[place].state == State::Ready {
                    self.ready.push_back(place);
                }
            }
        }
    }

    /// Completes the account; whatever is still under way is broken off.
    fn end(mut self) -> LoopEnd<W> {
        let (mut scheduled, mut unfinished) = (0, 0);
        let mut workers = Vec::with_capacity(self.lanes.len());
        for lane in &mut self.lanes {
            scheduled += lane.turns.scheduled();
            unfinished += lane.turns.left();
            if lane.state == State::Running {
                unfinished += 1;
                if let Some(worker) = &mut lane.worker {
                    worker.give_up_op();
                }
            }
            workers.extend(lane.worker.take());
        }
        LoopEnd {
            workers,
            scheduled,
            unfinished,
            gave_up: self.gave_up,
        }
    }
}
