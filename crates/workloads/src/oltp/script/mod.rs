//! What is sent to the server in an op: the scripts, as conversations.

mod bulk_insert;
mod insert;
mod kinds;
mod mix;
mod random;
mod template;

#[cfg(test)]
mod tests;

use load::Turn;

use super::spec::{Oltp, ScriptName};
use crate::script::{Say, Script};
use bulk_insert::BulkInsert;
use insert::Insert;
use mix::Mix;
use random::Random;

/// Any script of the workload; a closed set, so that a step costs a branch but no indirect call.
#[derive(Debug)]
pub enum AnyScript {
    /// A mix of kinds of statement.
    Mix(Mix),
    /// One new row.
    Insert(Insert),
    /// One SELECT with random values.
    Random(Random),
    /// Rows gathered and sent together.
    BulkInsert(BulkInsert),
}

/// How many statements of kinds an op has, without BEGIN and COMMIT; 1 for scripts of one.
pub(super) fn statements_per_op(oltp: &Oltp) -> u64 {
    match oltp.script {
        ScriptName::OltpInsert
        | ScriptName::SelectRandomPoints
        | ScriptName::SelectRandomRanges
        | ScriptName::BulkInsert => 1,
        _ => kinds::kinds(oltp)
            .iter()
            .map(|(kind, times)| u64::from(*times) * kind.says.len() as u64)
            .sum(),
    }
}

impl AnyScript {
    /// The script of a workload for worker `worker` of `workers`.
    pub(super) fn new(oltp: &Oltp, seed: u64, worker: usize, workers: usize) -> AnyScript {
        match oltp.script {
            ScriptName::OltpReadWrite
            | ScriptName::OltpReadOnly
            | ScriptName::OltpWriteOnly
            | ScriptName::OltpPointSelect
            | ScriptName::OltpUpdateIndex
            | ScriptName::OltpUpdateNonIndex
            | ScriptName::OltpDelete => AnyScript::Mix(Mix::new(oltp, seed)),
            ScriptName::OltpInsert => AnyScript::Insert(Insert::new(oltp, seed, worker, workers)),
            ScriptName::SelectRandomPoints => {
                AnyScript::Random(Random::points(oltp, seed, worker, workers))
            }
            ScriptName::SelectRandomRanges => {
                AnyScript::Random(Random::ranges(oltp, seed, worker, workers))
            }
            ScriptName::BulkInsert => AnyScript::BulkInsert(BulkInsert::new(worker)),
        }
    }

    /// Draws the op of this turn and returns its SELECTs: name and SQL.
    pub(super) fn examples(mut self, turn: Turn) -> Vec<(String, String)> {
        self.draw(turn);
        match self {
            AnyScript::Mix(mix) => mix.examples(),
            AnyScript::Random(random) => random.examples(),
            AnyScript::Insert(_) | AnyScript::BulkInsert(_) => Vec::new(),
        }
    }
}

impl Script for AnyScript {
    fn prepared(&self) -> Vec<String> {
        match self {
            AnyScript::Mix(script) => script.prepared(),
            AnyScript::Insert(script) => script.prepared(),
            AnyScript::Random(script) => script.prepared(),
            AnyScript::BulkInsert(script) => script.prepared(),
        }
    }

    fn draw(&mut self, turn: Turn) -> u16 {
        match self {
            AnyScript::Mix(script) => script.draw(turn),
            AnyScript::Insert(script) => script.draw(turn),
            AnyScript::Random(script) => script.draw(turn),
            AnyScript::BulkInsert(script) => script.draw(turn),
        }
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        match self {
            AnyScript::Mix(script) => script.step(step, say),
            AnyScript::Insert(script) => script.step(step, say),
            AnyScript::Random(script) => script.step(step, say),
            AnyScript::BulkInsert(script) => script.step(step, say),
        }
    }

    fn is_transaction(&self) -> bool {
        match self {
            AnyScript::Mix(script) => script.is_transaction(),
            AnyScript::Insert(script) => script.is_transaction(),
            AnyScript::Random(script) => script.is_transaction(),
            AnyScript::BulkInsert(script) => script.is_transaction(),
        }
    }
}
