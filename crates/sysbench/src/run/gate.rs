//! Where threads wait for each other: workers for the start, reporters and main for the end.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
struct Counts {
    ready: usize,
    failed: usize,
    running: usize,
    is_open: bool,
    is_over: bool,
}

/// One per run.
#[derive(Debug, Default)]
pub struct Gate {
    counts: Mutex<Counts>,
    changed: Condvar,
}

/// How the start went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// All are ready.
    Ready,
    /// Some can't start.
    Failed,
    /// Some aren't ready in time.
    Late,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Waits until `is_met`, or until the time is up; returns whether it is met.
    fn wait(&self, deadline: Option<Instant>, is_met: impl Fn(&Counts) -> bool) -> bool {
        let mut counts = self.lock();
        while !is_met(&counts) {
            let Some(deadline) = deadline else {
                counts = self
                    .changed
                    .wait(counts)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.changed.wait_timeout(counts, left);
            counts = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// A worker can't start.
    pub fn fail(&self) {
        self.change(|counts| counts.failed += 1);
    }

    /// This number of workers is ready and waits for the start.
    pub fn pass(&self, workers: usize) {
        self.change(|counts| counts.ready += workers);
        self.wait_for_start();
    }

    /// Waits for the start.
    pub fn wait_for_start(&self) {
        self.wait(None, |counts| counts.is_open);
    }

    /// Waits until all of `workers` are ready.
    pub fn wait_ready(&self, workers: usize, limit: Duration) -> Start {
        let deadline = Instant::now().checked_add(limit);
        let all = |counts: &Counts| counts.ready + counts.failed >= workers;
        match (self.wait(deadline, all), self.lock().failed) {
            (true, 0) => Start::Ready,
            (true, _) => Start::Failed,
            (false, _) => Start::Late,
        }
    }

    /// Lets `workers` start.
    pub fn open(&self, workers: usize) {
        self.change(|counts| {
            counts.running = workers;
            counts.is_open = true;
        });
    }

    /// This number of workers has ended.
    pub fn leave(&self, workers: usize) {
        self.change(|counts| counts.running = counts.running.saturating_sub(workers));
    }

    /// How many haven't ended.
    pub fn running(&self) -> usize {
        self.lock().running
    }

    /// Waits until all workers have ended, or until the time is up; returns whether they have.
    pub fn wait_done(&self, limit: Duration) -> bool {
        self.wait(Instant::now().checked_add(limit), |counts| {
            counts.running == 0
        })
    }

    /// Lets the reporters finish.
    pub fn close(&self) {
        self.change(|counts| counts.is_over = true);
    }

    /// Waits until the reporters are to finish, or until the time is up; returns whether they are.
    pub fn wait_closed(&self, limit: Duration) -> bool {
        self.wait(Instant::now().checked_add(limit), |counts| counts.is_over)
    }
}
