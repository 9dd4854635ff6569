//! What is counted and timed: counters and latencies of each worker, and reports over them.
//!
//! Workers write their own; reporters read all. Nothing is ever reset: a report is the difference
//! of two readings, except for the minimum and maximum latency.

mod histogram;
mod reading;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use histogram::{Buckets, LATENCY_BUCKETS};
#[cfg(test)]
pub use reading::Part;
pub use reading::{spread, Base, Fairness, Stat};

/// Kinds of counters, with the numbers that scripts use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Queries that neither returned nor changed rows.
    Other,
    /// Queries that returned rows.
    Read,
    /// Queries that changed rows.
    Write,
    /// Events.
    Event,
    /// Failed queries that were ignored.
    Error,
    /// Reconnects.
    Reconnect,
}

const COUNTERS: usize = 8;

/// The statistics of one worker, on its own cache lines.
#[derive(Debug)]
#[repr(align(128))]
pub struct Worker {
    counters: [AtomicU64; COUNTERS],
    /// True while an event is under way.
    is_busy: AtomicBool,
    latency: Mutex<Latency>,
    /// How many errors were ignored.
    retried: AtomicU64,
    /// Ignored errors, by number.
    ignored: Mutex<BTreeMap<u16, u64>>,
}

/// The latencies of one worker.
#[derive(Debug, Clone)]
pub struct Latency {
    /// Nanoseconds since the last checkpoint.
    pub min_ns: u64,
    pub max_ns: u64,
    pub sum_ns: u64,
    pub count: u64,
    /// All events since the start.
    buckets: Vec<u64>,
}

impl Default for Latency {
    fn default() -> Latency {
        Latency {
            min_ns: u64::MAX,
            max_ns: 0,
            sum_ns: 0,
            count: 0,
            buckets: vec![0; LATENCY_BUCKETS.count()],
        }
    }
}

impl Default for Worker {
    fn default() -> Worker {
        Worker {
            counters: [const { AtomicU64::new(0) }; COUNTERS],
            is_busy: AtomicBool::new(false),
            latency: Mutex::new(Latency::default()),
            retried: AtomicU64::new(0),
            ignored: Mutex::default(),
        }
    }
}

impl Worker {
    /// Counts one.
    pub fn count(&self, counter: Counter) {
        self.count_number(counter as usize);
    }

    /// Adds this number.
    pub fn add(&self, counter: Counter, times: u64) {
        if times > 0 {
            self.counters[counter as usize].fetch_add(times, Ordering::Relaxed);
        }
    }

    /// Counts one of the kind with this number, if there is such a kind.
    pub fn count_number(&self, number: usize) {
        if let Some(counter) = self.counters.get(number) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A query failed with an error that is ignored: its event is retried.
    pub fn ignore(&self, code: u16) {
        self.retried.fetch_add(1, Ordering::Relaxed);
        *lock(&self.ignored).entry(code).or_default() += 1;
    }

    /// The ignored errors so far, by number.
    pub fn ignored(&self) -> BTreeMap<u16, u64> {
        lock(&self.ignored).clone()
    }

    /// How many errors were ignored so far.
    pub fn retried(&self) -> u64 {
        self.retried.load(Ordering::Relaxed)
    }

    /// An event begins.
    pub fn begin(&self) {
        self.is_busy.store(true, Ordering::Relaxed);
    }

    /// The event under way doesn't count.
    pub fn abandon(&self) {
        self.is_busy.store(false, Ordering::Relaxed);
    }

    /// An event ended, with this latency.
    pub fn end(&self, latency_ns: u64) {
        let mut latency = self.latency();
        latency.min_ns = latency.min_ns.min(latency_ns);
        latency.max_ns = latency.max_ns.max(latency_ns);
        latency.sum_ns += latency_ns;
        latency.count += 1;
        let bucket = LATENCY_BUCKETS.index(latency_ns as f64 / 1e6);
        latency.buckets[bucket] += 1;
        drop(latency);
        self.is_busy.store(false, Ordering::Relaxed);
        self.count(Counter::Event);
    }

    fn latency(&self) -> MutexGuard<'_, Latency> {
        lock(&self.latency)
    }

    /// How many of a kind were counted so far.
    pub fn read(&self, counter: Counter) -> u64 {
        self.counters[counter as usize].load(Ordering::Relaxed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The statistics of all workers.
#[derive(Debug)]
pub struct Stats {
    workers: Vec<Worker>,
}

impl Stats {
    /// For this number of workers.
    pub fn new(workers: usize) -> Stats {
        Stats {
            workers: (0..workers.max(1)).map(|_| Worker::default()).collect(),
        }
    }

    /// The worker of this number. States that belong to no worker count towards the first.
    pub fn worker(&self, number: usize) -> &Worker {
        self.workers.get(number).unwrap_or(&self.workers[0])
    }

    /// How many workers are in the middle of an event.
    pub fn busy(&self) -> usize {
        let busy = |worker: &&Worker| worker.is_busy.load(Ordering::Relaxed);
        self.workers.iter().filter(busy).count()
    }
}
