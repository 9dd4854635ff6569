//! Ops that are conversations with the server: what a script is, and what runs it.
//!
//! A script knows what is said in which order, and nothing of connections, retries or time. `say`
//! writes its commands, `worker` carries them out and repeats them, `account` counts what came of
//! them.

mod account;
mod say;
mod worker;

use load::Turn;

pub use account::{Account, Statements};
pub use say::{Params, Prepared, Say};
pub use worker::ScriptWorker;

/// One op as a conversation with the server: drawn once, and repeatable from its first step with
/// the same inputs.
pub trait Script: Send {
    /// SQL to prepare on each connection, in the order of [`Say::execute`]'s numbers.
    fn prepared(&self) -> Vec<String>;

    /// Draws the op of this turn: which one (an index into the workload's ops) and all its inputs.
    fn draw(&mut self, turn: Turn) -> u16;

    /// Writes the command of step `step` (from 0) of the op drawn last; false when there is no such
    /// step: the op is done.
    fn step(&mut self, step: usize, say: Say<'_>) -> bool;

    /// True if a retry must begin with ROLLBACK, because the op opens a transaction.
    fn is_transaction(&self) -> bool;
}
