//! Whole phases on real threads and descriptors: accounts and ends, nothing that depends on speed.

use super::*;
use crate::clock::Monotonic;
use crate::outcome::Outcome;
use crate::turns::{RateStep, Turn};
use crate::worker::OpState;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

/// Does nothing, quickly; every seventh op fails, and one worker may give up. `B`: it blocks.
struct Quick<const B: bool> {
    index: u64,
    gives_up_at: u64,
    done: Vec<u64>,
}

impl<const B: bool> Worker for Quick<B> {
    fn blocks(&self) -> bool {
        B
    }

    fn next_op(&mut self, turn: Turn) -> u16 {
        self.index = turn.index;
        (turn.index % 3) as u16
    }

    fn begin_op(&mut self) -> OpState {
        self.done.push(self.index);
        OpState::Ended(if self.index % 7 == 0 {
            Outcome::Failed(1213)
        } else {
            Outcome::Ok
        })
    }

    fn needs_mending(&self) -> bool {
        self.index == self.gives_up_at
    }

    fn mend(&mut self) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

fn closed(ops: Option<u64>, duration_ns: Option<u64>) -> Model {
    Model::Closed {
        limits: Limits { ops, duration_ns },
        think: None,
        ramp_ns: 0,
    }
}

fn open(duration_s: f64, rate_per_s: f64, gaps: Gaps) -> Model {
    Model::Open {
        profile: Profile::new(&[RateStep {
            duration_s,
            from_per_s: rate_per_s,
            to_per_s: rate_per_s,
        }]),
        gaps,
        seed: 1,
    }
}

fn phase(model: Model) -> Phase<Monotonic> {
    Phase {
        clock: Monotonic::start(),
        stop: Stop::new(),
        model,
        interval_ns: 5_000_000,
        patience: Duration::from_millis(50),
        drain_ns: 100_000_000,
        limit_ns: None,
        until_signal: false,
    }
}

/// The end of a phase, the ops that were done in order, and how many were in intervals.
fn run<const B: bool>(
    workers: usize,
    model: Model,
    gives_up_at: u64,
) -> (PhaseEnd<Quick<B>>, Vec<u64>, u64) {
    let new = || Quick {
        index: 0,
        gives_up_at,
        done: Vec::new(),
    };
    let workers: Vec<Quick<B>> = (0..workers).map(|_| new()).collect();
    let mut in_intervals = 0;
    let end = run_phase(&phase(model), workers, |interval| {
        let counts = &interval.tally.counts;
        in_intervals += counts.ok + counts.failed.values().sum::<u64>();
    })
    .unwrap();
    let workers = end.workers.iter();
    let mut done: Vec<u64> = workers.flat_map(|worker| worker.done.clone()).collect();
    done.sort_unstable();
    (end, done, in_intervals)
}

/// Does one op and hangs in the second; the run is then to stop.
struct Hangs {
    nth: u64,
    stop: Stop,
}

impl Worker for Hangs {
    fn blocks(&self) -> bool {
        true
    }

    fn next_op(&mut self, turn: Turn) -> u16 {
        self.nth = turn.nth;
        0
    }

    fn begin_op(&mut self) -> OpState {
        if self.nth > 0 {
            self.stop.set();
            thread::sleep(Duration::from_secs(3600));
        }
        OpState::Ended(Outcome::Ok)
    }
}

#[test]
fn a_worker_that_hangs_is_left_to_itself_and_accounted_for() {
    let second = Some(1_000_000_000);
    for (model, unfinished) in [(closed(Some(10), None), 9), (closed(None, second), 1)] {
        let phase = phase(model);
        let worker = Hangs {
            nth: 0,
            stop: phase.stop.clone(),
        };
        let end = run_phase(&phase, vec![worker], |_| ()).unwrap();
        let counts = &end.tally.counts;
        assert_eq!((counts.ok, counts.unfinished), (1, unfinished));
        assert!(end.workers.is_empty());
    }
}

fn all_are_done_once<const B: bool>() {
    for workers in [1, 2, 5] {
        // More than a ring holds, so that full rings occur too.
        let (end, done, in_intervals) = run::<B>(workers, closed(Some(80_000), None), u64::MAX);
        assert_eq!(done, (0..80_000).collect::<Vec<_>>(), "{workers} workers");
        let counts = &end.tally.counts;
        assert_eq!((counts.scheduled, counts.unfinished), (80_000, 0));
        assert_eq!(counts.failed[&1213], 80_000_u64.div_ceil(7));
        assert_eq!(in_intervals, 80_000);
        assert!(!end.gave_up && end.send_lag.is_none() && end.backlog_max.is_none());
    }
}

#[test]
fn the_ops_are_the_same_whatever_the_number_of_workers() {
    all_are_done_once::<true>();
    all_are_done_once::<false>();
}

fn one_gives_up<const B: bool>() {
    let (end, done, in_intervals) = run::<B>(3, closed(Some(10_000_000), None), 3000);
    assert!(end.gave_up);
    assert_eq!(end.tally.counts.scheduled, 10_000_000);
    assert_eq!(end.tally.counts.unfinished, 10_000_000 - done.len() as u64);
    assert_eq!(in_intervals, done.len() as u64);
}

#[test]
fn one_that_gives_up_stops_all_and_the_account_holds() {
    one_gives_up::<true>();
    one_gives_up::<false>();
}

#[test]
fn a_phase_of_a_duration_lasts_that_long() {
    let (end, done, _) = run::<true>(2, closed(None, Some(30_000_000)), u64::MAX);
    assert!(end.end_ns - end.start_ns >= 30_000_000);
    assert_eq!(end.tally.counts.scheduled, done.len() as u64);
}

#[test]
fn an_open_load_does_each_arrival_once_and_not_before_it_is_due() {
    for gaps in [Gaps::Fixed, Gaps::Poisson] {
        for workers in [1, 4] {
            let (end, done, _) = run::<false>(workers, open(0.2, 2000.0, gaps), u64::MAX);
            let counts = &end.tally.counts;
            assert!(end.end_ns - end.start_ns >= 150_000_000, "{gaps:?}");
            // On a busy machine the last ones may be too late to begin.
            let begun = counts.scheduled - counts.skipped;
            assert_eq!(done, (0..begun).collect::<Vec<_>>(), "{gaps:?}");
            assert_eq!(end.send_lag.unwrap().count(), begun);
            if gaps == Gaps::Fixed {
                assert_eq!(counts.scheduled, 400);
            }
        }
    }
}

/// Sends a byte to an echo and waits for it, without blocking.
struct Echoes {
    stream: UnixStream,
}

/// An echo behind each worker, which answers after `delay`; the first `silent` never answer.
fn echoes(count: usize, silent: usize, delay: Duration) -> Vec<Echoes> {
    let make = |number| {
        let (stream, mut other) = UnixStream::pair().unwrap();
        stream.set_nonblocking(true).unwrap();
        thread::spawn(move || {
            let mut byte = [0];
            while other.read_exact(&mut byte).is_ok() {
                thread::sleep(if number < silent {
                    Duration::MAX
                } else {
                    delay
                });
                if other.write_all(&byte).is_err() {
                    return;
                }
            }
        });
        Echoes { stream }
    };
    (0..count).map(make).collect()
}

impl Worker for Echoes {
    fn next_op(&mut self, _turn: Turn) -> u16 {
        0
    }

    fn begin_op(&mut self) -> OpState {
        self.stream.write_all(&[1]).unwrap();
        OpState::Waits
    }

    fn resume_op(&mut self) -> OpState {
        match self.stream.read(&mut [0]) {
            Ok(1) => OpState::Ended(Outcome::Ok),
            _ => OpState::Waits,
        }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.stream.as_fd())
    }

    fn give_up_op(&mut self) -> Outcome {
        Outcome::Failed(3024)
    }
}

#[test]
fn workers_that_wait_for_descriptors_share_a_thread() {
    let ms = Duration::from_millis(1);
    let phase = phase(closed(Some(2000), None));
    let end = run_phase(&phase, echoes(50, 0, ms), |_| ()).unwrap();
    assert_eq!(
        (end.tally.counts.ok, end.tally.counts.scheduled),
        (2000, 2000)
    );
    let (_, _, op) = end.tally.ops().next().unwrap();
    assert!(op.latency.min_ns() >= 1_000_000);
    assert_eq!(end.workers.len(), 50);
}

#[test]
fn ops_that_outlast_the_drain_are_unfinished_and_their_workers_stay() {
    let ms = Duration::from_millis(1);
    let phase = phase(closed(None, Some(50_000_000)));
    let end = run_phase(&phase, echoes(4, 1, ms), |_| ()).unwrap();
    let counts = &end.tally.counts;
    assert_eq!((counts.unfinished, end.workers.len()), (1, 4));
    assert!(counts.ok >= 3 && counts.is_balanced(), "{counts:?}");
    assert!(end.drain_ns >= 100_000_000);
}

#[test]
fn ops_that_outlast_their_limit_fail_as_their_worker_says() {
    let mut phase = phase(closed(Some(1), None));
    phase.limit_ns = Some(100_000_000);
    let end = run_phase(&phase, echoes(1, 1, Duration::ZERO), |_| ()).unwrap();
    assert_eq!(end.tally.counts.failed[&3024], 1);
}

#[test]
fn what_an_overloaded_server_leaves_over_is_skipped_and_was_backlog() {
    // Four connections with 10 ms per op can do 400 a second, and 2000 are asked for.
    let workers = echoes(4, 0, Duration::from_millis(10));
    let mut backlogs = Vec::new();
    let phase = phase(open(0.3, 2000.0, Gaps::Fixed));
    let end = run_phase(&phase, workers, |interval| {
        backlogs.extend(interval.backlog)
    })
    .unwrap();
    let counts = &end.tally.counts;
    assert_eq!(counts.scheduled, 600);
    assert!(counts.ok <= 124 && counts.skipped >= 476, "{counts:?}");
    assert!(end.backlog_max.unwrap() > 300);
    assert!(backlogs.is_sorted(), "{backlogs:?}");
    // The connections were busy all the time: waiting for one is not the generator's lag.
    let (_, _, op) = end.tally.ops().next().unwrap();
    assert!(op.latency.max_ns() > 150_000_000);
    assert!(end.send_lag.unwrap().quantile_ns(0.5) < 100_000_000);
}

/// A phase of a minute that a signal ends after `after`.
fn ended_after<W: Worker + 'static>(
    model: Model,
    workers: Vec<W>,
    after: Duration,
) -> (PhaseEnd<W>, u64) {
    let phase = Phase {
        until_signal: true,
        ..phase(model)
    };
    let flag = phase.stop.enough_flag();
    thread::spawn(move || {
        thread::sleep(after);
        flag.store(true, Ordering::SeqCst);
    });
    let mut in_intervals = 0;
    let end = run_phase(&phase, workers, |interval| {
        let counts = &interval.tally.counts;
        in_intervals += counts.ok + counts.failed.values().sum::<u64>();
    })
    .unwrap();
    let lasted_ns = end.end_ns - end.start_ns;
    // It may begin a little after the clock of its end does.
    assert!(end.ended_early);
    assert!(lasted_ns < 30_000_000_000, "{lasted_ns}");
    (end, in_intervals)
}

#[test]
fn a_closed_phase_ends_when_it_is_told() {
    let minute = closed(None, Some(60_000_000_000));
    let workers = echoes(4, 0, Duration::from_millis(1));
    let (end, in_intervals) = ended_after(minute.clone(), workers, Duration::from_millis(60));
    let counts = &end.tally.counts;
    assert_eq!((counts.ok, counts.unfinished), (counts.scheduled, 0));
    assert_eq!((in_intervals, end.workers.len()), (counts.ok, 4));
    // One op outlasts the drain, which counts from the signal that ended the phase.
    let workers = echoes(4, 1, Duration::from_millis(1));
    let (end, _) = ended_after(minute, workers, Duration::from_millis(60));
    assert_eq!((end.tally.counts.unfinished, end.workers.len()), (1, 4));
    assert!(end.drain_ns >= 100_000_000);
}

#[test]
fn an_open_phase_that_is_told_to_end_has_the_arrivals_until_then() {
    // Far apart, so that workers wait for arrivals that never come.
    let workers = echoes(3, 0, Duration::from_millis(1));
    let slow = open(60.0, 2.0, Gaps::Fixed);
    let (end, _) = ended_after(slow, workers, Duration::from_millis(100));
    let counts = &end.tally.counts;
    assert_eq!((counts.scheduled, counts.ok, counts.skipped), (1, 1, 0));
    // And more than the workers can do, so that some are left.
    let workers = echoes(4, 0, Duration::from_millis(10));
    let (end, in_intervals) = ended_after(
        open(60.0, 2000.0, Gaps::Fixed),
        workers,
        Duration::from_millis(400),
    );
    let counts = &end.tally.counts;
    assert!(counts.skipped > 100 && counts.unfinished == 0, "{counts:?}");
    assert_eq!(in_intervals, counts.ok);
    let lasted_s = (end.end_ns - end.start_ns - end.drain_ns) as f64 / 1e9;
    let due = lasted_s * 2000.0;
    assert!(
        (counts.scheduled as f64 - due).abs() <= 2.0,
        "{counts:?} {due}"
    );
    assert!(end.backlog_max.unwrap() <= counts.scheduled);
}

#[test]
fn a_phase_that_lasts_its_time_is_not_told() {
    let phase = phase(closed(None, Some(50_000_000)));
    phase.stop.enough_flag().store(true, Ordering::SeqCst);
    let end = run_phase(&phase, echoes(1, 0, Duration::ZERO), |_| ()).unwrap();
    assert!(!end.ended_early && end.end_ns - end.start_ns >= 50_000_000);
    phase.stop.forget_enough();
    assert!(!phase.stop.is_enough());
}
