//! The flag that asks all workers to begin nothing new.
//!
//! It doesn't break off what is running: whoever sets it does that by the means of its own world,
//! such as KILL QUERY.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A flag shared by everybody who can end a run early. Cloning it shares it.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
}

impl Stop {
    /// A flag that is not set.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Asks everybody to stop. It can't be taken back.
    pub fn set(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }

    /// The flag itself, for a signal handler, which can do no more than set it.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// True once somebody asked to stop.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}
