//! Time as a seam: the machine's monotonic clock, or one that a test moves by hand.
//!
//! All times of this crate are nanoseconds since the clock's origin. Wall-clock time isn't used.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::time::{clock_gettime, ClockId};

/// Gives the time in nanoseconds since its own origin. Never runs backwards.
pub trait Clock: Sync {
    /// Nanoseconds since the origin.
    fn now_ns(&self) -> u64;
}

/// The machine's monotonic clock, counted from its creation.
#[derive(Debug, Clone, Copy)]
pub struct Monotonic {
    origin_ns: u64,
}

impl Monotonic {
    /// A clock that reads zero now.
    pub fn start() -> Monotonic {
        Monotonic {
            origin_ns: read_ns(),
        }
    }
}

impl Clock for Monotonic {
    fn now_ns(&self) -> u64 {
        read_ns() - self.origin_ns
    }
}

/// Nanoseconds since the machine started. Not by way of Instant, whose arithmetic costs more than
/// the reading.
#[inline]
fn read_ns() -> u64 {
    let read = clock_gettime(ClockId::Monotonic);
    read.tv_sec as u64 * 1_000_000_000 + read.tv_nsec as u64
}

/// A clock that stands still until it is moved: for tests that must be exact.
#[derive(Debug, Default)]
pub struct Scripted {
    now_ns: AtomicU64,
}

impl Scripted {
    /// A clock that reads zero.
    pub fn new() -> Scripted {
        Scripted::default()
    }

    /// Moves the clock forward.
    pub fn advance_ns(&self, by_ns: u64) {
        self.now_ns.fetch_add(by_ns, Ordering::SeqCst);
    }
}

impl Clock for Scripted {
    fn now_ns(&self) -> u64 {
        self.now_ns.load(Ordering::SeqCst)
    }
}
