//! The loop on a scripted clock, where everything is exact.

use super::*;
use crate::clock::Scripted;
use crate::interval::Intervals;
use crate::share::Share;
use crate::turns::{Arrivals, Closed, Gaps, Limits, Open, Profile, RateStep, Turn};
use std::sync::Arc;

/// A worker that blocks, and whose ops take what the script says; at `None` it gives up.
struct Scripter {
    clock: Arc<Scripted>,
    stop: Stop,
    script: Vec<Option<u64>>,
    /// How long drawing takes; none of it may be counted.
    draw_ns: u64,
    nth: usize,
    broken: bool,
}

impl Worker for Scripter {
    fn blocks(&self) -> bool {
        true
    }

    fn next_op(&mut self, turn: Turn) -> u16 {
        self.clock.advance_ns(self.draw_ns);
        self.nth = turn.nth as usize;
        0
    }

    fn begin_op(&mut self) -> OpState {
        let took_ns = self.script.get(self.nth).copied();
        if took_ns.is_none() {
            self.stop.set();
        }
        self.clock.advance_ns(took_ns.flatten().unwrap_or(0));
        self.broken = took_ns == Some(None);
        OpState::Ended(if self.broken {
            Outcome::Failed(2013)
        } else {
            Outcome::Ok
        })
    }

    fn needs_mending(&self) -> bool {
        self.broken
    }

    fn mend(&mut self) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// The shared clock of a test.
#[derive(Clone)]
struct Shared(Arc<Scripted>);

impl Clock for Shared {
    fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }
}

fn run(
    script: &[Option<u64>],
    draw_ns: u64,
    stop: &Stop,
    turns: Turns,
) -> (LoopEnd<Scripter>, Vec<Sample>) {
    let clock = Arc::new(Scripted::new());
    let worker = Scripter {
        clock: Arc::clone(&clock),
        stop: stop.clone(),
        script: script.to_vec(),
        draw_ns,
        nth: 0,
        broken: false,
    };
    let rules = Rules {
        clock: Shared(clock),
        stop: stop.clone(),
        patience: Duration::ZERO,
        limit_ns: None,
        drained_ns: None,
        drain_ns: 0,
        until: Until::default(),
    };
    let mut samples = Vec::new();
    let record = |sample| samples.push(sample);
    let driver = Loop::new(rules, vec![(worker, turns)], record).unwrap();
    let end = driver.run().unwrap();
    (end, samples)
}

fn closed(ops: Option<u64>, duration_ns: Option<u64>) -> Turns {
    let limits = Limits { ops, duration_ns };
    Turns::Closed(Closed::new(limits, None, 0, 0, (0, 1)))
}

fn account(end: &LoopEnd<Scripter>) -> (u64, u64, bool) {
    (end.scheduled, end.unfinished, end.gave_up)
}

#[test]
fn only_the_op_is_timed() {
    let script = [Some(10), Some(1000), Some(10)];
    let (end, samples) = run(&script, 5, &Stop::new(), closed(Some(3), None));
    assert_eq!(account(&end), (3, 0, false));
    let took: Vec<u64> = samples.iter().map(Sample::latency_ns).collect();
    assert_eq!(took, [10, 1000, 10]);
    assert_eq!(samples[2].started_ns, 5 + 10 + 5 + 1000 + 5);
    assert!(samples.iter().all(|sample| sample.send_lag_ns() == 0));
}

#[test]
fn a_worker_that_gives_up_leaves_the_rest() {
    let script = [Some(10), None, Some(10), Some(10)];
    let (end, samples) = run(&script, 5, &Stop::new(), closed(Some(4), None));
    assert_eq!(account(&end), (4, 2, true));
    assert_eq!(samples[1].outcome, Outcome::Failed(2013));
}

#[test]
fn a_time_is_over_for_ops_that_have_not_begun() {
    // 5 to draw and 20 to do, until 60 have passed: begun at 5, 30 and 55, and not at 80.
    let (end, samples) = run(&[Some(20); 9], 5, &Stop::new(), closed(None, Some(60)));
    assert_eq!(account(&end), (3, 0, false));
    assert_eq!(samples.last().unwrap().ended_ns, 75);
}

#[test]
fn a_stall_shows_in_the_intervals_it_emptied() {
    // Ops of 95 with 5 between: ten a second of 1000. The sixth takes 2095 instead.
    let mut script = [Some(95); 40];
    script[5] = Some(2095);
    let (_, samples) = run(&script, 5, &Stop::new(), closed(Some(40), None));
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
    let stop = Stop::new();
    stop.set();
    let (end, samples) = run(&[Some(1)], 0, &stop, closed(Some(1), None));
    assert_eq!((account(&end), samples.len()), ((1, 1, false), 0));
}

#[test]
fn a_stall_in_an_open_load_is_in_the_latency_of_every_op_that_was_due_in_it() {
    // 1000 ops a second, due at 0, 1, 2 … ms. The first takes 1000 ms and the others no time, so
    // those that were due meanwhile begin at 1000 ms: latencies 1000, 999, 998 … ms.
    let ms = 1_000_000;
    let profile = Profile::new(&[RateStep {
        duration_s: 2.0,
        from_per_s: 1000.0,
        to_per_s: 1000.0,
    }]);
    let (list, mut maker) = Arrivals::new(profile, Gaps::Fixed, 1, Share::of_all(1));
    maker.make(&list);
    let turns = Turns::Open(Open::new(Arc::new(list), 0, 2000 * ms));
    let mut script = vec![Some(0); 1000];
    script[0] = Some(1000 * ms);
    // The script ends with op 999; the next one, due at 1000 ms, sets the stop.
    let (end, samples) = run(&script, 0, &Stop::new(), turns);
    let latencies: Vec<u64> = samples.iter().map(Sample::latency_ns).collect();
    let expected: Vec<u64> = (0..=1000).map(|nth| (1000 - nth) * ms).collect();
    assert_eq!(latencies, expected);
    // None of it was the generator's fault.
    assert!(samples.iter().all(|sample| sample.send_lag_ns() == 0));
    assert_eq!(account(&end), (1001, 0, false));
}
