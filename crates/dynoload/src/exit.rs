//! How the program ends. Described in docs/reference/load-plan.md.

use workloads::{Error, Scope};

/// The exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All phases ran.
    Done,
    /// Wrong command line or plan.
    Plan,
    /// The server can't be reached, or refused something that the run depends on.
    Server,
    /// A connection was lost and could not be restored.
    Lost,
    /// The events can't be written.
    Events,
    /// A defect of this program.
    Defect,
    /// Reaction to stop by a signal.
    Signal,
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Plan => 2,
            Exit::Server => 3,
            Exit::Lost => 4,
            Exit::Events => 5,
            Exit::Defect => 101,
            Exit::Signal => 130,
        }
    }

    /// How an error ends the program.
    pub fn from_error(error: &Error) -> Exit {
        if error.is_lost_connection() {
            return Exit::Lost;
        }
        match error.scope() {
            Scope::Plan => Exit::Plan,
            Scope::Connect | Scope::Session | Scope::Load | Scope::Op => Exit::Server,
            Scope::Internal => Exit::Defect,
        }
    }
}
