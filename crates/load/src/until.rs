//! The instant from which a phase begins no more ops, if it is set while the phase runs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Not set yet.
const NEVER: u64 = u64::MAX;

/// An instant that one thread sets and all loops look at. Cloning it shares it.
#[derive(Debug, Clone)]
pub(crate) struct Until {
    at_ns: Arc<AtomicU64>,
}

impl Default for Until {
    fn default() -> Until {
        Until {
            at_ns: Arc::new(AtomicU64::new(NEVER)),
        }
    }
}

impl Until {
    /// No op begins at `at_ns` or later.
    pub(crate) fn set(&self, at_ns: u64) {
        self.at_ns.store(at_ns, Ordering::SeqCst);
    }

    /// True from that instant on.
    #[inline]
    pub(crate) fn is_over(&self, now_ns: u64) -> bool {
        now_ns >= self.at_ns.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_over_until_it_is_said() {
        let until = Until::default();
        assert!(!until.is_over(NEVER - 1));
        until.clone().set(10);
        assert!(!until.is_over(9));
        assert!(until.is_over(10));
    }
}
