//! The gatherer: empties the rings, keeps the intervals, makes arrivals ahead of time, and
//! completes the account at the end. Its own wake-ups are the heartbeat of the host.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::{Lane, Phase, PhaseEnd};
use crate::clock::Clock;
use crate::drive::LoopEnd;
use crate::histogram::Histogram;
use crate::interval::{Interval, Intervals};
use crate::turns::{ArrivalMaker, Arrivals};
use crate::until::Until;

/// How often the rings are emptied.
const VISIT: Duration = Duration::from_millis(20);
/// How long after its end an interval is handed over, so that a sample stamped just before the
/// boundary has time to arrive.
const GRACE_NS: u64 = 100_000_000;

/// What an open load needs in addition to its workers.
pub(super) struct OpenSide {
    list: Arc<Arrivals>,
    maker: ArrivalMaker,
    send_lag: Histogram,
    backlog_max: u64,
}

impl OpenSide {
    /// Makes the first arrivals, so that nobody waits for them at the start.
    pub(super) fn new(list: Arc<Arrivals>, mut maker: ArrivalMaker) -> OpenSide {
        maker.make(&list);
        OpenSide {
            list,
            maker,
            send_lag: Histogram::new(),
            backlog_max: 0,
        }
    }

    /// Ops that are due `after_start_ns` after the start and that nobody took.
    fn backlog(&mut self, after_start_ns: u64) -> u64 {
        let due = self.maker.due_until(after_start_ns);
        let backlog = due - self.list.taken_of(due);
        self.backlog_max = self.backlog_max.max(backlog);
        backlog
    }
}

pub(super) struct Gatherer {
    start_ns: u64,
    duration_ns: Option<u64>,
    intervals: Intervals,
    open: Option<OpenSide>,
    /// True if a stop came before the phase's time was over.
    was_cut_short: bool,
    until: Until,
    /// True if a signal ended the phase before its time was over.
    ended_early: bool,
}

impl Gatherer {
    pub(super) fn new<C>(phase: &Phase<C>, open: Option<OpenSide>, until: Until) -> Gatherer {
        Gatherer {
            start_ns: 0,
            duration_ns: phase.model.duration_ns(),
            intervals: Intervals::new(0, phase.interval_ns),
            open,
            was_cut_short: false,
            until,
            ended_early: false,
        }
    }

    /// The workers have been released.
    pub(super) fn begin(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
        self.intervals.begin(start_ns);
    }

    /// Empties the rings until all loops are done, or until its patience with them runs out.
    pub(super) fn gather<C: Clock, W>(
        &mut self,
        phase: &Phase<C>,
        lanes: &mut [Lane<W>],
        on_interval: &mut impl FnMut(Interval<'_>),
    ) {
        let mut stopped_at: Option<Instant> = None;
        loop {
            // Checked before the rings are emptied: a lane that is done has put all samples there.
            for lane in lanes.iter_mut() {
                lane.is_done = lane.has_ended();
            }
            let all_done = lanes.iter().all(|lane| lane.is_done);
            self.hear(phase);
            let seen_ns = phase.clock.now_ns();
            self.empty(lanes);
            self.look_ahead(seen_ns);
            if phase.stop.is_set() && stopped_at.is_none() {
                stopped_at = Some(Instant::now());
                let after_start_ns = seen_ns.saturating_sub(self.start_ns);
                self.was_cut_short = self.duration_ns.is_none_or(|end| after_start_ns < end);
            }
            // Loops end by themselves when their patience runs out; this is for those that hang.
            let patience = phase.patience + 10 * VISIT;
            if all_done || stopped_at.is_some_and(|since| since.elapsed() > patience) {
                return;
            }
            self.intervals
                .close_until(seen_ns.saturating_sub(GRACE_NS), on_interval);
            self.sleep(&phase.clock);
        }
    }

    /// After the signal that ends the phase, ops begin for a little longer: by then every loop has
    /// seen the signal, and what is due before is kept apart from what is due after.
    fn hear<C: Clock>(&mut self, phase: &Phase<C>) {
        if self.ended_early || !phase.until_signal || !phase.stop.is_enough() {
            return;
        }
        loop {
            let until_ns = phase.clock.now_ns() + VISIT.as_nanos() as u64;
            let lasts_ns = until_ns.saturating_sub(self.start_ns);
            if self.duration_ns.is_some_and(|end| lasts_ns >= end) {
                return;
            }
            self.until.set(until_ns);
            // If this thread was held up, it was set too late: try again.
            if phase.clock.now_ns() < until_ns {
                self.duration_ns = Some(lasts_ns);
                self.ended_early = true;
                return;
            }
        }
    }

    /// Sleeps until the next visit. The time it overslept is the heartbeat.
    fn sleep<C: Clock>(&mut self, clock: &C) {
        let before_ns = clock.now_ns();
        thread::park_timeout(VISIT);
        let woken_ns = clock.now_ns();
        let late_ns = (woken_ns - before_ns).saturating_sub(VISIT.as_nanos() as u64);
        self.intervals.heartbeat(woken_ns, late_ns);
    }

    fn empty<W>(&mut self, lanes: &mut [Lane<W>]) {
        for lane in lanes.iter_mut() {
            while let Ok(sample) = lane.ring.pop() {
                self.intervals.record(&sample);
                if let Some(open) = &mut self.open {
                    open.send_lag.record(sample.send_lag_ns());
                }
                lane.seen += 1;
            }
        }
    }

    /// Makes arrivals, and counts how many are late.
    fn look_ahead(&mut self, seen_ns: u64) {
        let Some(open) = &mut self.open else {
            return;
        };
        open.maker.make(&open.list);
        let mut after_start_ns = seen_ns.saturating_sub(self.start_ns);
        if self.ended_early {
            // Ops that would have been due later don't count as backlog.
            after_start_ns = after_start_ns.min(self.duration_ns.unwrap_or(u64::MAX));
        }
        let backlog = open.backlog(after_start_ns);
        self.intervals.backlog(seen_ns, backlog);
    }

    /// Completes the account: what was scheduled, and what was never begun or left running.
    pub(super) fn settle<C: Clock, W>(
        self,
        phase: &Phase<C>,
        lanes: Vec<Lane<W>>,
        on_interval: &mut impl FnMut(Interval<'_>),
    ) -> io::Result<PhaseEnd<W>> {
        // Taken from the loops, not from the clock: the gatherer may be late.
        let ended_ns = |lane: &Lane<W>| lane.ended_ns.load(Ordering::SeqCst);
        let end_ns = if lanes.iter().all(|lane| lane.is_done) {
            lanes.iter().map(ended_ns).max().unwrap_or(self.start_ns)
        } else {
            phase.clock.now_ns()
        };
        let tally = self.intervals.finish(end_ns, on_interval);
        let begun_until_ns = self
            .duration_ns
            .map(|duration_ns| self.start_ns + duration_ns);
        let mut end = PhaseEnd {
            workers: Vec::new(),
            start_ns: self.start_ns,
            end_ns,
            drain_ns: begun_until_ns.map_or(0, |until_ns| end_ns.saturating_sub(until_ns)),
            tally,
            send_lag: None,
            backlog_max: None,
            gave_up: false,
            ended_early: self.ended_early,
        };
        for lane in lanes {
            account(lane, &mut end)?;
        }
        let ended_ns = self.duration_ns.filter(|_| self.ended_early);
        if let Some(open) = self.open {
            account_open(open, ended_ns, self.was_cut_short, &mut end);
        }
        let counts = &end.tally.counts;
        assert!(counts.is_balanced(), "an op got lost: {counts:?}");
        Ok(end)
    }
}

/// Adds what one loop left undone.
fn account<W>(lane: Lane<W>, end: &mut PhaseEnd<W>) -> io::Result<()> {
    let counts = &mut end.tally.counts;
    if lane.is_done {
        let joined = lane.thread.join();
        let LoopEnd {
            workers,
            scheduled,
            unfinished,
            gave_up,
        } = joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        counts.scheduled += scheduled;
        counts.unfinished += unfinished;
        end.gave_up |= gave_up;
        end.workers.extend(workers);
    } else {
        // The loop was left behind with one op running.
        let scheduled = lane.scheduled.max(lane.seen + 1);
        counts.scheduled += scheduled;
        counts.unfinished += scheduled - lane.seen;
    }
    Ok(())
}

/// Every arrival of the phase (or, if a signal ended it, every arrival until then) was done, or too
/// late to begin, or never begun because of a stop, or broken off.
fn account_open<W>(
    mut open: OpenSide,
    ended_ns: Option<u64>,
    was_cut_short: bool,
    end: &mut PhaseEnd<W>,
) {
    let total = match ended_ns {
        Some(ended_ns) => open.maker.due_until(ended_ns),
        None => open.maker.total(),
    };
    let counts = &mut end.tally.counts;
    let done = counts.ok + counts.failed.values().sum::<u64>();
    counts.scheduled = total;
    counts.skipped = match ended_ns {
        _ if was_cut_short => 0,
        // The loops gave back what they held: only what began and was broken off is unfinished.
        Some(_) => total - done - counts.unfinished,
        None => total - open.list.taken_of(total),
    };
    counts.unfinished = total - done - counts.skipped;
    end.send_lag = Some(open.send_lag);
    end.backlog_max = Some(open.backlog_max);
}
