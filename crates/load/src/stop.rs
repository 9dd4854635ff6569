//! The flags that ask all workers to begin nothing new: for good, or in the current phase.
//!
//! Setting them doesn't break off what is running: whoever sets them does that by other means, such
//! as KILL QUERY.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Flags shared by everybody who can end a run early. Cloning it shares them.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
    enough: Arc<AtomicBool>,
}

impl Stop {
    /// Flags that are not set.
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

    /// The flag that ends the current phase as if its time were over, for a signal handler. Only a
    /// phase that lasts until a signal looks at it.
    pub fn enough_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.enough)
    }

    /// True once a signal ended the current phase.
    pub fn is_enough(&self) -> bool {
        self.enough.load(Ordering::Relaxed)
    }

    /// Called before a phase: a signal for an earlier one doesn't count.
    pub fn forget_enough(&self) {
        self.enough.store(false, Ordering::SeqCst);
    }
}
