//! When the next event begins, and whether there is one: the limits and the rate of a run.
//!
//! With a rate, events arrive whether or not a worker is free (Poisson), and wait in a queue; each
//! counts from its arrival. Arrivals are computed on demand, so no thread makes them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use load::{Purpose, Stream};

use crate::log::{say, Level};

/// More events than this can't wait.
const QUEUE_MAX: usize = 131_072;
/// The longest a worker sleeps before it checks whether the run is over.
const NAP_NS: u64 = 50_000_000;

/// The limits and the rate of a run, and its progress.
#[derive(Debug)]
pub struct Pace {
    start: OnceLock<Instant>,
    warmup_ns: u64,
    /// From the start, warm-up included; `u64::MAX` for none.
    end_ns: u64,
    events_max: u64,
    events: AtomicU64,
    has_failed: AtomicBool,
    arrivals: Option<Mutex<Arrivals>>,
    concurrency: AtomicUsize,
}

#[derive(Debug)]
struct Arrivals {
    stream: Stream,
    mean_ns: f64,
    /// When the next one arrives.
    next_ns: f64,
    waiting: VecDeque<u64>,
}

impl Arrivals {
    fn new(rate: u32, seed: u64) -> Arrivals {
        let mut arrivals = Arrivals {
            stream: Purpose::new(seed, "sysbench/arrivals").stream(0),
            mean_ns: 1e9 / f64::from(rate),
            next_ns: 0.0,
            waiting: VecDeque::new(),
        };
        arrivals.draw();
        arrivals
    }

    /// The time of the next arrival; draws the one after it.
    fn draw(&mut self) -> u64 {
        let due_ns = self.next_ns;
        // 1 - u is never 0, so the logarithm is finite.
        self.next_ns -= (1.0 - self.stream.unit()).ln() * self.mean_ns;
        due_ns as u64
    }

    /// Queues what has arrived; false if there are too many.
    fn advance(&mut self, now_ns: u64) -> bool {
        while self.next_ns <= now_ns as f64 && self.waiting.len() <= QUEUE_MAX {
            let due_ns = self.draw();
            self.waiting.push_back(due_ns);
        }
        self.waiting.len() <= QUEUE_MAX
    }
}

impl Pace {
    /// Limits in seconds; 0 means none.
    pub fn new(time_s: u64, warmup_s: u64, events_max: u64, rate: u32, seed: u64) -> Pace {
        let ns = |seconds: u64| seconds.saturating_mul(1_000_000_000);
        Pace {
            start: OnceLock::new(),
            warmup_ns: ns(warmup_s),
            end_ns: match time_s {
                0 => u64::MAX,
                time_s => ns(time_s.saturating_add(warmup_s)),
            },
            events_max,
            events: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
            arrivals: (rate > 0).then(|| Mutex::new(Arrivals::new(rate, seed))),
            concurrency: AtomicUsize::new(0),
        }
    }

    /// The run starts now.
    pub fn start(&self) {
        self.start.get_or_init(Instant::now);
    }

    /// Nanoseconds since the start; 0 before it.
    pub fn now_ns(&self) -> u64 {
        let elapsed = self.start.get().map(Instant::elapsed).unwrap_or_default();
        elapsed.as_secs() * 1_000_000_000 + u64::from(elapsed.subsec_nanos())
    }

    /// When the warm-up ends, in nanoseconds since the start.
    pub fn warmup_ns(&self) -> u64 {
        self.warmup_ns
    }

    /// Nanoseconds since the end of the warm-up.
    pub fn measured_ns(&self) -> u64 {
        self.now_ns().saturating_sub(self.warmup_ns)
    }

    /// Ends the run, because something failed.
    pub fn fail(&self) {
        self.has_failed.store(true, Ordering::Relaxed);
    }

    /// True after [`Pace::fail`].
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Waits for the next event and returns when it is due; `None` if there are no more.
    pub fn next(&self) -> Option<u64> {
        let now_ns = self.now_ns();
        if self.is_over(now_ns) {
            return None;
        }
        if self.events_max > 0
            && now_ns >= self.warmup_ns
            && self.events.fetch_add(1, Ordering::Relaxed) >= self.events_max
        {
            say(Level::Info, "Event limit exceeded, exiting...");
            return None;
        }
        match &self.arrivals {
            Some(arrivals) => self.arrival(arrivals, now_ns),
            None => Some(now_ns),
        }
    }

    /// True if a failed event must not be retried.
    pub fn is_up(&self) -> bool {
        self.is_over(self.now_ns())
    }

    fn is_over(&self, now_ns: u64) -> bool {
        if self.has_failed() {
            return true;
        }
        if now_ns < self.end_ns {
            return false;
        }
        say(Level::Info, "Time limit exceeded, exiting...");
        true
    }

    fn arrival(&self, arrivals: &Mutex<Arrivals>, mut now_ns: u64) -> Option<u64> {
        let due_ns = {
            let mut arrivals = lock(arrivals);
            if !arrivals.advance(now_ns) {
                drop(arrivals);
                self.overflow();
                return None;
            }
            arrivals
                .waiting
                .pop_front()
                .unwrap_or_else(|| arrivals.draw())
        };
        while now_ns < due_ns {
            thread::sleep(Duration::from_nanos((due_ns - now_ns).min(NAP_NS)));
            now_ns = self.now_ns();
            if self.is_over(now_ns) {
                return None;
            }
        }
        Some(due_ns)
    }

    fn overflow(&self) {
        if self.has_failed.swap(true, Ordering::Relaxed) {
            return;
        }
        say(
            Level::Fatal,
            "The event queue is full. This means the worker threads are unable to keep up with \
             the specified event generation rate",
        );
    }

    /// How many events are waiting; also notices if they are too many. 0 without a rate.
    pub fn queue_length(&self) -> usize {
        let Some(arrivals) = &self.arrivals else {
            return 0;
        };
        let now_ns = self.now_ns();
        let mut arrivals = lock(arrivals);
        let is_within = arrivals.advance(now_ns);
        let length = arrivals.waiting.len();
        drop(arrivals);
        if !is_within {
            self.overflow();
        }
        length
    }

    /// How many events that have an arrival are under way.
    pub fn concurrency(&self) -> usize {
        self.concurrency.load(Ordering::Relaxed)
    }

    /// An event begins or ends.
    pub fn note(&self, begins: bool) {
        if self.arrivals.is_none() {
            return;
        }
        if begins {
            self.concurrency.fetch_add(1, Ordering::Relaxed);
        } else {
            self.concurrency.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn lock(arrivals: &Mutex<Arrivals>) -> MutexGuard<'_, Arrivals> {
    arrivals.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_come_at_the_rate_and_in_order() {
        let mut arrivals = Arrivals::new(1000, 3);
        let due: Vec<u64> = (0..20_000).map(|_| arrivals.draw()).collect();
        assert!(due.windows(2).all(|pair| pair[0] <= pair[1]));
        let seconds = due[due.len() - 1] as f64 / 1e9;
        assert!(
            (19.5..20.5).contains(&seconds),
            "20000 arrivals took {seconds} s"
        );
        // The standard deviation of a Poisson process's gaps equals their mean.
        let gaps: Vec<f64> = due
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64)
            .collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((0.95..1.05).contains(&(variance.sqrt() / mean)));
    }

    #[test]
    fn a_queue_that_overflows_fails_the_run() {
        let mut arrivals = Arrivals::new(1_000_000, 3);
        assert!(arrivals.advance(100_000_000));
        assert!((95_000..105_000).contains(&arrivals.waiting.len()));
        assert!(!arrivals.advance(200_000_000));
    }

    #[test]
    fn events_are_limited_over_all_threads() {
        let pace = Pace::new(0, 0, 5, 0, 1);
        pace.start();
        assert_eq!((0..20).filter(|_| pace.next().is_some()).count(), 5);
    }

    #[test]
    fn time_is_up_and_failure_ends_all() {
        let pace = Pace::new(1, 0, 0, 0, 1);
        pace.start();
        assert!(pace.next().is_some());
        pace.fail();
        assert!(pace.next().is_none());
        let pace = Pace::new(1, 0, 0, 10_000, 1);
        pace.start();
        let mut events = 0;
        while pace.next().is_some() {
            events += 1;
        }
        assert!(events > 100, "{events} events");
        assert!(pace.now_ns() >= 1_000_000_000);
    }
}
