//! Which op a worker does next, and when: the load models. Nothing here waits or works.
//!
//! Ops are numbered. Closed: worker w of W takes w, w + W, w + 2 W and so on, without a shared
//! counter. Open: whoever is free takes the next arrival. Either way the list of ops does not
//! change with the number of workers.

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
        /// When it was due; `None` in a closed load, where that is when it begins.
        due_ns: Option<u64>,
        /// When the worker could have begun it: it was due, and the worker free.
        could_ns: u64,
    },
    /// Nothing until then.
    Wait(u64),
    /// Nothing any more.
    Over,
}

/// The turns of one worker.
#[derive(Debug)]
pub enum Turns {
    /// Due when its worker is free.
    Closed(Closed),
    /// Due at instants that the server has no influence on.
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

    /// The worker rests: in a closed load its next turn is later by this pause.
    pub fn rest(&mut self, pause_ns: u64, now_ns: u64) {
        if let Turns::Closed(closed) = self {
            closed.rest(pause_ns, now_ns);
        }
    }

    /// What was taken and isn't due yet is nobody's any more.
    pub fn give_back(&mut self) {
        if let Turns::Open(open) = self {
            open.give_back();
        }
    }

    /// Ops that the schedule held for this worker.
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
