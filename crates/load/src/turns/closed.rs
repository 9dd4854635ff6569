//! The closed load model: a worker's next op is due when the previous one has ended and the pause
//! is over.

use super::{Next, Turn};
use crate::stream::Purpose;

/// How much to do, over all workers; with both limits, until the first is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// This many ops.
    pub ops: Option<u64>,
    /// As many ops as begin within this many nanoseconds.
    pub duration_ns: Option<u64>,
}

/// How pauses are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pauses {
    /// All the same.
    Constant,
    /// Exponential.
    Exponential,
}

/// The pause after each op.
#[derive(Debug, Clone, Copy)]
pub struct Think {
    /// How pauses are distributed.
    pub pauses: Pauses,
    /// Their mean.
    pub mean_ns: u64,
    /// Where they are drawn from, by the index of the previous op.
    pub draws: Purpose,
}

impl Think {
    fn after(&self, index: u64) -> u64 {
        match self.pauses {
            Pauses::Constant => self.mean_ns,
            // 1 - u lies in (0, 1], so the logarithm is finite.
            Pauses::Exponential => {
                (-(1.0 - self.draws.stream(index).unit()).ln() * self.mean_ns as f64) as u64
            }
        }
    }
}

/// The turns of one worker.
#[derive(Debug)]
pub struct Closed {
    limits: Limits,
    think: Option<Think>,
    start_ns: u64,
    worker: u64,
    workers: u64,
    taken: u64,
    /// The next op begins no earlier.
    ready_ns: u64,
}

impl Closed {
    /// The turns of worker `worker` (from 0) of `workers` in all programs, in a phase that began at
    /// `start_ns` and in which the workers begin one after the other over `ramp_ns`.
    pub fn new(
        limits: Limits,
        think: Option<Think>,
        ramp_ns: u64,
        start_ns: u64,
        (worker, workers): (u64, u64),
    ) -> Closed {
        assert!(worker < workers, "worker {worker} of {workers}");
        let late = u128::from(ramp_ns) * u128::from(worker) / u128::from(workers);
        Closed {
            limits,
            think,
            start_ns,
            worker,
            workers,
            taken: 0,
            ready_ns: start_ns + late as u64,
        }
    }

    fn index(&self) -> u64 {
        self.worker + self.taken * self.workers
    }

    pub(super) fn next(&mut self, now_ns: u64) -> Next {
        let index = self.index();
        let enough = self.limits.ops.is_some_and(|ops| index >= ops);
        let end_ns = self
            .limits
            .duration_ns
            .map(|duration| self.start_ns + duration);
        if enough || end_ns.is_some_and(|end_ns| now_ns >= end_ns) {
            return Next::Over;
        }
        // No more ops begin, but the phase lasts its full time.
        if let Some(end_ns) = end_ns.filter(|&end_ns| self.ready_ns >= end_ns) {
            return Next::Wait(end_ns);
        }
        if now_ns < self.ready_ns {
            return Next::Wait(self.ready_ns);
        }
        let turn = Turn {
            index,
            nth: self.taken,
        };
        self.taken += 1;
        Next::Take {
            turn,
            due_ns: None,
            could_ns: self.ready_ns,
        }
    }

    pub(super) fn ended(&mut self, now_ns: u64) {
        if let Some(think) = &self.think {
            let before = self.worker + (self.taken - 1) * self.workers;
            self.ready_ns = now_ns + think.after(before);
        }
    }

    pub(super) fn rest(&mut self, pause_ns: u64, now_ns: u64) {
        if pause_ns > 0 {
            self.ready_ns = self.ready_ns.max(now_ns) + pause_ns;
        }
    }

    /// All ops it should do or, if there is a time limit, all that it took: an op is due when its
    /// worker is free.
    pub(super) fn scheduled(&self) -> u64 {
        match self.limits {
            Limits {
                ops: Some(ops),
                duration_ns: None,
            } => ops.saturating_sub(self.worker).div_ceil(self.workers),
            _ => self.taken,
        }
    }

    pub(super) fn left(&self) -> u64 {
        self.scheduled() - self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ops(ops: u64) -> Limits {
        Limits {
            ops: Some(ops),
            duration_ns: None,
        }
    }

    fn time(duration_ns: u64) -> Limits {
        Limits {
            ops: None,
            duration_ns: Some(duration_ns),
        }
    }

    fn index(next: Next) -> Option<u64> {
        match next {
            Next::Take { turn, .. } => Some(turn.index),
            Next::Wait(_) | Next::Over => None,
        }
    }

    proptest! {
        #[test]
        fn every_op_is_done_once_whatever_the_number_of_workers(
            count in 0_u64..200, workers in 1_u64..20
        ) {
            let mut seen = Vec::new();
            let mut scheduled = 0;
            for worker in 0..workers {
                let mut turns = Closed::new(ops(count), None, 0, 0, (worker, workers));
                prop_assert_eq!(turns.left(), turns.scheduled());
                while let Some(index) = index(turns.next(0)) {
                    seen.push(index);
                }
                prop_assert_eq!(turns.left(), 0);
                scheduled += turns.scheduled();
            }
            seen.sort_unstable();
            prop_assert_eq!(scheduled, count);
            prop_assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_time_ends_where_it_ends() {
        let mut turns = Closed::new(time(10), None, 0, 100, (1, 2));
        assert_eq!(index(turns.next(100)), Some(1));
        assert_eq!(index(turns.next(109)), Some(3));
        assert_eq!(turns.next(110), Next::Over);
        assert_eq!((turns.scheduled(), turns.left()), (2, 0));
    }

    #[test]
    fn of_two_limits_the_first_reached_ends_it() {
        let both = Limits {
            ops: Some(3),
            duration_ns: Some(10),
        };
        let mut turns = Closed::new(both, None, 0, 0, (0, 2));
        assert_eq!(
            (index(turns.next(0)), index(turns.next(1))),
            (Some(0), Some(2))
        );
        assert_eq!(turns.next(2), Next::Over);
        let mut turns = Closed::new(both, None, 0, 0, (0, 1));
        assert_eq!(index(turns.next(9)), Some(0));
        assert_eq!(turns.next(10), Next::Over);
        assert_eq!((turns.scheduled(), turns.left()), (1, 0));
    }

    #[test]
    fn workers_begin_one_after_the_other() {
        let first: Vec<Next> = (0..4)
            .map(|worker| Closed::new(time(100), None, 40, 1000, (worker, 4)).next(1000))
            .collect();
        assert!(matches!(first[0], Next::Take { .. }));
        assert_eq!(
            first[1..],
            [Next::Wait(1010), Next::Wait(1020), Next::Wait(1030)]
        );
    }

    #[test]
    fn a_pause_follows_each_op_and_none_begins_when_time_is_over() {
        let think = Think {
            pauses: Pauses::Constant,
            mean_ns: 30,
            draws: Purpose::new(1, "think"),
        };
        let mut turns = Closed::new(time(100), Some(think), 0, 0, (0, 1));
        assert_eq!(index(turns.next(0)), Some(0));
        turns.ended(50);
        assert_eq!(turns.next(50), Next::Wait(80));
        assert_eq!(index(turns.next(85)), Some(1));
        turns.ended(90);
        let end = Next::Wait(100);
        assert_eq!(turns.next(90), end, "due at 120, and the phase ends at 100");
        assert_eq!(turns.next(100), Next::Over);
    }

    #[test]
    fn a_worker_that_rests_begins_later_than_its_pause_alone_would_let_it() {
        let think = Think {
            pauses: Pauses::Constant,
            mean_ns: 30,
            draws: Purpose::new(1, "think"),
        };
        let mut turns = Closed::new(time(1000), Some(think), 40, 0, (1, 2));
        turns.rest(5, 0);
        assert_eq!(
            turns.next(0),
            Next::Wait(25),
            "half of the ramp, and the rest"
        );
        assert_eq!(index(turns.next(25)), Some(1));
        turns.ended(50);
        turns.rest(100, 50);
        assert_eq!(turns.next(50), Next::Wait(180));
    }

    #[test]
    fn exponential_pauses_have_their_mean() {
        let think = Think {
            pauses: Pauses::Exponential,
            mean_ns: 1_000_000,
            draws: Purpose::new(1, "think"),
        };
        let sum: u64 = (0..20_000).map(|index| think.after(index)).sum();
        let mean = sum as f64 / 20_000.0;
        // The standard deviation of this mean is 0.7 % of it.
        assert!((mean / 1e6 - 1.0).abs() < 0.02, "{mean}");
    }
}
