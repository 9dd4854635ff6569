//! Which ops a worker does: so many of them, or for so long.
//!
//! The list of ops is numbered, and worker w of W takes w, w + W, w + 2 W and so on: no shared
//! counter, and the list does not change with the number of workers.

/// How much there is to do in a phase, over all workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// So many ops.
    Ops(u64),
    /// As many ops as begin before so many nanoseconds have passed.
    Duration(u64),
}

/// One op's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Its number in the list of the phase.
    pub index: u64,
    /// Its number among the ops of its worker.
    pub nth: u64,
}

/// The turns of one worker.
#[derive(Debug, Clone)]
pub struct Schedule {
    extent: Extent,
    start_ns: u64,
    worker: u64,
    workers: u64,
    taken: u64,
}

impl Schedule {
    /// The turns of worker `worker` (from 0) of `workers`, in a phase that began at `start_ns`.
    pub fn new(extent: Extent, start_ns: u64, worker: u64, workers: u64) -> Schedule {
        assert!(worker < workers, "worker {worker} of {workers}");
        Schedule {
            extent,
            start_ns,
            worker,
            workers,
            taken: 0,
        }
    }

    /// The next turn, if there is one. The clock is read only if the extent is a time.
    pub fn next(&mut self, now_ns: impl FnOnce() -> u64) -> Option<Turn> {
        let index = self.worker + self.taken * self.workers;
        let due = match self.extent {
            Extent::Ops(ops) => index < ops,
            Extent::Duration(duration_ns) => now_ns() < self.start_ns + duration_ns,
        };
        let turn = Turn {
            index,
            nth: self.taken,
        };
        self.taken += u64::from(due);
        due.then_some(turn)
    }

    /// How many ops were scheduled for this worker: all that it should do or, where the extent is a
    /// time, all that it took, because in a closed loop an op is due when its worker is free.
    pub fn scheduled(&self) -> u64 {
        match self.extent {
            Extent::Ops(ops) => ops.saturating_sub(self.worker).div_ceil(self.workers),
            Extent::Duration(_) => self.taken,
        }
    }

    /// How many scheduled ops were not taken.
    pub fn left(&self) -> u64 {
        self.scheduled() - self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_op_is_done_once_whatever_the_number_of_workers(
            ops in 0_u64..200, workers in 1_u64..20
        ) {
            let mut seen = Vec::new();
            let mut scheduled = 0;
            for worker in 0..workers {
                let mut schedule = Schedule::new(Extent::Ops(ops), 0, worker, workers);
                prop_assert_eq!(schedule.left(), schedule.scheduled());
                while let Some(turn) = schedule.next(|| unreachable!("no clock is needed")) {
                    seen.push(turn.index);
                }
                prop_assert_eq!(schedule.left(), 0);
                scheduled += schedule.scheduled();
            }
            seen.sort_unstable();
            prop_assert_eq!(scheduled, ops);
            prop_assert_eq!(seen, (0..ops).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_time_ends_where_it_ends() {
        let mut schedule = Schedule::new(Extent::Duration(10), 100, 1, 2);
        assert_eq!(schedule.next(|| 100), Some(Turn { index: 1, nth: 0 }));
        assert_eq!(schedule.next(|| 109), Some(Turn { index: 3, nth: 1 }));
        assert_eq!(schedule.next(|| 110), None);
        assert_eq!((schedule.scheduled(), schedule.left()), (2, 0));
    }
}
