//! What a phase owes its readers, in cases that are easy to get wrong.

#![allow(clippy::unwrap_used)]

use load::*;
use std::ops::ControlFlow;
use std::time::Duration;

const MS: u64 = 1_000_000;

struct Noop {
    slow: bool,
    mend: bool,
    bad: bool,
    nth: u64,
}
impl Worker for Noop {
    fn next_op(&mut self, turn: Turn) -> u16 {
        self.nth = turn.index;
        0
    }
    fn begin_op(&mut self) -> OpState {
        self.bad = self.mend && self.nth == 5;
        if self.slow {
            return OpState::Waits;
        }
        OpState::Ended(if self.bad {
            Outcome::Failed(2013)
        } else {
            Outcome::Ok
        })
    }
    fn needs_mending(&self) -> bool {
        self.bad
    }
    fn mend(&mut self) -> ControlFlow<()> {
        std::thread::sleep(Duration::from_millis(300));
        self.bad = false;
        ControlFlow::Continue(())
    }
}
fn noop() -> Noop {
    Noop {
        slow: false,
        mend: false,
        bad: false,
        nth: 0,
    }
}

fn open(rate: f64, duration_s: f64) -> Model {
    Model::Open {
        profile: Profile::new(&[RateStep {
            duration_s,
            from_per_s: rate,
            to_per_s: rate,
        }]),
        gaps: Gaps::Fixed,
        seed: 1,
    }
}
fn phase(model: Model) -> Phase<Monotonic> {
    Phase {
        clock: Monotonic::start(),
        stop: Stop::new(),
        model,
        interval_ns: 100 * MS,
        patience: Duration::from_millis(100),
        drain_ns: 200 * MS,
        limit_ns: None,
        until_signal: false,
    }
}

#[test]
fn open_lasts_as_long_as_its_steps() {
    let end = run_phase(&phase(open(2.0, 0.5)), vec![noop()], |_| ()).unwrap();
    assert!(
        end.end_ns - end.start_ns >= 500 * MS,
        "lasted {} ms",
        (end.end_ns - end.start_ns) / MS
    );
}
#[test]
fn think_lasts_as_long_as_its_time() {
    let model = Model::Closed {
        limits: Limits {
            ops: None,
            duration_ns: Some(500 * MS),
        },
        think: Some(Think {
            pauses: Pauses::Constant,
            mean_ns: 400 * MS,
            draws: Purpose::new(1, "t"),
        }),
        ramp_ns: 0,
    };
    let end = run_phase(&phase(model), vec![noop()], |_| ()).unwrap();
    assert!(
        end.end_ns - end.start_ns >= 500 * MS,
        "lasted {} ms",
        (end.end_ns - end.start_ns) / MS
    );
}
#[test]
fn fifty_five_at_1_1_a_second_in_50_s() {
    // 1.1 * 50 = 55.00000000000001
    let end_of = |rate: f64, duration_s: f64| {
        let profile = Profile::new(&[RateStep {
            duration_s,
            from_per_s: rate,
            to_per_s: rate,
        }]);
        (0..100_000)
            .filter_map(|n| profile.when_ns(f64::from(n)))
            .collect::<Vec<_>>()
    };
    let dues = end_of(1.1, 50.0);
    assert_eq!(
        (dues.len(), *dues.last().unwrap() < 50_000 * MS),
        (55, true)
    );
}
#[test]
fn mending_is_no_send_lag() {
    let worker = Noop {
        mend: true,
        ..noop()
    };
    let end = run_phase(&phase(open(1000.0, 0.5)), vec![worker], |_| ()).unwrap();
    let lag = end.send_lag.unwrap().max_ns() / MS;
    assert!(
        lag < 200,
        "send lag {lag} ms while the only worker was being mended"
    );
}
#[test]
fn unfinished_is_not_ended() {
    let worker = Noop {
        slow: true,
        ..noop()
    };
    let mut ended = 0;
    let end = run_phase(&phase(open(1000.0, 0.1)), vec![worker], |interval| {
        ended += interval.bins.iter().map(|bin| bin.ended).sum::<u64>();
    })
    .unwrap();
    let c = &end.tally.counts;
    assert_eq!(
        (c.ok, c.unfinished, c.skipped, c.scheduled),
        (0, 1, 99, 100)
    );
    assert_eq!(ended, 0, "an op that was broken off");
}
#[test]
fn every_interval_of_an_open_phase_has_a_backlog() {
    let worker = Noop {
        slow: true,
        ..noop()
    };
    let mut seen = Vec::new();
    run_phase(&phase(open(1000.0, 0.3)), vec![worker], |interval| {
        seen.push(interval.backlog)
    })
    .unwrap();
    assert!(seen.iter().all(Option::is_some), "{seen:?}");
}
#[test]
fn a_late_heartbeat_marks_all_bins() {
    let mut intervals = Intervals::new(0, 1000 * MS);
    // Should have been woken at 220 ms and was at 720 ms.
    intervals.heartbeat(720 * MS, 500 * MS);
    let mut late = Vec::new();
    intervals.finish(1000 * MS, &mut |interval| {
        late = interval
            .bins
            .iter()
            .map(|bin| bin.heartbeat_late_ns / MS)
            .collect()
    });
    assert!(late[3] > 0 && late[5] > 0, "{late:?}");
}

struct Hangs(u64, Stop);
impl Worker for Hangs {
    fn next_op(&mut self, turn: Turn) -> u16 {
        self.0 = turn.index;
        0
    }
    fn begin_op(&mut self) -> OpState {
        if self.0 == 5 {
            self.1.set();
            std::thread::sleep(Duration::from_secs(3600));
        }
        OpState::Waits
    }
}
#[test]
fn a_loop_left_to_itself_is_accounted_for() {
    let phase = phase(open(1000.0, 0.1));
    let workers = (0..6).map(|_| Hangs(0, phase.stop.clone())).collect();
    let end = run_phase(&phase, workers, |_| ()).unwrap();
    let c = &end.tally.counts;
    assert_eq!((c.scheduled, c.unfinished), (100, 100));
}
