//! Time as a seam: the machine's monotonic clock, or one that a test moves by hand.
//!
//! All times of this crate are nanoseconds since the clock's origin. Wall-clock time isn't used.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Gives the time in nanoseconds since its own origin. Never runs backwards.
pub trait Clock: Sync {
    /// Nanoseconds since the origin.
    fn now_ns(&self) -> u64;
}

/// The machine's monotonic clock, counted from its creation.
#[derive(Debug, Clone, Copy)]
pub struct Monotonic {
    origin: Instant,
}

impl Monotonic {
    /// A clock that reads zero now.
    pub fn start() -> Monotonic {
        Monotonic {
            origin: Instant::now(),
        }
    }
}

impl Clock for Monotonic {
    fn now_ns(&self) -> u64 {
        let elapsed = self.origin.elapsed();
        // Written out because Duration::as_nanos goes through 128 bits.
        elapsed.as_secs() * 1_000_000_000 + u64::from(elapsed.subsec_nanos())
    }
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
