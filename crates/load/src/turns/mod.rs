//! Which op a worker does next, and when: the load models. Nothing here waits or does work.
//!
//! Ops are numbered. Closed: worker w of W takes w, w + W, w + 2 W and so on, without a shared
//! counter. Open: whoever is free takes the next arrival. Either way the list of ops is the same
//! for any number of workers.

mod arrivals;
mod closed;
mod open;
mod profile;

pub use arrivals::{ArrivalMaker, Arrivals, Gaps};
pub use closed::{Closed, Limits, Pauses, Think};
pub use open::Open;
pub use profile::{Profile, RateStep};

/// One op's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Its number in the list of the phase.
    pub index: u64,
    /// Its number among the ops of its worker.
    pub nth: u64,
}

/// What a worker is to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Begin this op.
    Take {
        /// Which one.
        turn: Turn,
        /// When it was due; `None` in a closed load, where an op is due when it begins.
        due_ns: Option<u64>,
        /// When the worker could have begun it: it was due, and the worker was free.
        could_ns: u64,
    },
    /// Nothing until then.
    Wait(u64),
    /// Nothing more.
    Over,
}

/// The turns of one worker.
#[derive(Debug)]
pub enum Turns {
    /// Due when its worker is free.
    Closed(Closed),
    /// Due at instants that the server can't influence.
    Open(Open),
}

impl Turns {
    /// What to do at `now_ns`. A turn that is handed out is taken.
    pub fn next(&mut self, now_ns: u64) -> Next {
        match self {
            Turns::Closed(closed) => closed.next(now_ns),
            Turns::Open(open) => open.next(now_ns),
        }
    }

    /// The worker is free again.
    pub fn ended(&mut self, now_ns: u64) {
        match self {
            Turns::Closed(closed) => closed.ended(now_ns),
            Turns::Open(open) => open.ended(now_ns),
        }
    }

    /// The worker rests: in a closed load this pause delays its next turn.
    pub fn rest(&mut self, pause_ns: u64, now_ns: u64) {
        if let Turns::Closed(closed) = self {
            closed.rest(pause_ns, now_ns);
        }
    }

    /// Gives back a turn that was taken but isn't due yet.
    pub fn give_back(&mut self) {
        if let Turns::Open(open) = self {
            open.give_back();
        }
    }

    /// Ops in the schedule of this worker.
    pub fn scheduled(&self) -> u64 {
        match self {
            Turns::Closed(closed) => closed.scheduled(),
            Turns::Open(open) => open.taken_count(),
        }
    }

    /// Scheduled ops that were never begun.
    pub fn left(&self) -> u64 {
        match self {
            Turns::Closed(closed) => closed.left(),
            Turns::Open(open) => open.left(),
        }
    }
}
