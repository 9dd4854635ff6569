//! What does the ops, as seen by the loop that drives it.

use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;

use crate::outcome::{Outcome, Sample};
use crate::turns::Turn;

/// How far along an op is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpState {
    /// It waits for its descriptor.
    Waits,
    /// It ended.
    Ended(Outcome),
}

/// Does ops, one at a time. It belongs to one thread at a time, so it needs no locks.
///
/// A worker either never blocks while an op is under way, so that many of them can share a thread;
/// or it does each op within [`Worker::begin_op`], in a thread of its own.
pub trait Worker: Send {
    /// True for a worker that blocks. All workers of a phase are alike.
    fn blocks(&self) -> bool {
        false
    }

    /// Draws and prepares the op of this turn, and returns which one it is (an index into the
    /// workload's list of names). Not timed.
    fn next_op(&mut self, turn: Turn) -> u16;

    /// Begins the op that was drawn last. It is timed from here until its end.
    fn begin_op(&mut self) -> OpState;

    /// Continues the op: the descriptor is ready, or was reported as ready.
    fn resume_op(&mut self) -> OpState {
        OpState::Waits
    }

    /// What the op waits for; it stays the same until the worker is mended.
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// True if the op waits for room to write, too.
    fn is_sending(&self) -> bool {
        false
    }

    /// Gives up the current op, because it takes too long.
    fn give_up_op(&mut self) -> Outcome {
        Outcome::Unfinished
    }

    /// How often the op was retried.
    fn retries(&self) -> u16 {
        0
    }

    /// In a closed load: how long to rest before the next op, in addition to the load's own pauses.
    /// Asked before the first op of a phase and after each op.
    fn pause_ns(&mut self) -> u64 {
        0
    }

    /// Takes the measured sample. Not timed.
    fn after_op(&mut self, sample: &Sample) {
        let _ = sample;
    }

    /// True if the worker must be mended before its next op.
    fn needs_mending(&self) -> bool {
        false
    }

    /// Makes the worker fit for its next op; may take long. `Break`: it can't go on, and its
    /// remaining ops are unfinished.
    fn mend(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
