//! Ops that are conversations with the server: what a script is, and what runs it.
//!
//! A script knows which commands are sent in which order, and nothing of connections, retries or
//! time. `template` is SQL with holes, `say` writes commands, `ear` reads the rows of their
//! answers, `worker` carries them out and repeats them.

mod ear;
mod refused;
mod say;
mod template;
mod worker;

use load::Turn;
use wire::{Done, Row};

use crate::account::Counters;

pub(crate) use ear::{int, Ear};
pub use refused::Refused;
pub use say::{Params, Prepared, Say};
pub use template::{Input, Part, Template};
pub use worker::ScriptWorker;

/// One op as a conversation with the server: drawn once, and repeatable from its first step with
/// the same inputs.
pub trait Script: Send {
    /// SQL run at the start of each connection, before anything is prepared.
    fn session(&self) -> Vec<String> {
        Vec::new()
    }

    /// SQL to prepare on each connection, in the order of [`Say::execute`]'s numbers.
    fn prepared(&self) -> Vec<String>;

    /// Draws the op of this turn: which one (an index into the workload's ops) and all its inputs.
    fn draw(&mut self, turn: Turn) -> u16;

    /// Writes the command of step `step` (from 0) of the op drawn last; false if there is no such
    /// step: the op is done.
    fn step(&mut self, step: usize, say: Say<'_>) -> bool;

    /// True if the rows of the answer to the last step are to be read.
    fn hears(&self) -> bool {
        false
    }

    /// A row of the answer to the last step, in its result set `set`, from 0; if rows are read.
    fn hear(&mut self, set: usize, row: Row<'_>) {
        let _ = (set, row);
    }

    /// The whole answer to the last step has arrived; an error says what is wrong with the data,
    /// and means that the op failed.
    fn check(&mut self, done: &Done) -> Result<(), &'static str> {
        let _ = done;
        Ok(())
    }

    /// The op drawn last ended.
    fn ended(&mut self, is_ok: bool) {
        let _ = is_ok;
    }

    /// A phase begins.
    fn begin_phase(&mut self) {}

    /// How long to rest before the next op: asked before the first op of a phase and after each op.
    fn pause_ns(&mut self) -> u64 {
        0
    }

    /// What was counted since the last call.
    fn take_counters(&mut self) -> Counters {
        Counters::new()
    }

    /// True if a retry must begin with ROLLBACK, because the op opens a transaction.
    fn is_transaction(&self) -> bool;
}
