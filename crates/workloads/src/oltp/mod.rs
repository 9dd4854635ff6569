//! The workload `oltp`: the OLTP scripts that sysbench bundles, natively, statement for statement.
//!
//! `spec` and `check` are its plan, `schema` its tables, `rows` their content, `distribution`,
//! `strings` and `permutation` what values are drawn from, and `script` what is sent to the server.
//! Nothing here connects, repeats or measures.

mod check;
mod distribution;
mod permutation;
mod rows;
mod schema;
mod script;
mod spec;
mod strings;
mod workload;

use load::Turn;

pub use distribution::{Distribution, Sampler};
pub use rows::SbtestRows;
pub use script::AnyScript;
pub use spec::{Oltp, ScriptName};

use crate::fill;

impl Oltp {
    /// The names of the ops: there is one, named after the script.
    pub fn op_names(&self) -> Vec<String> {
        vec![self.script.as_str().to_owned()]
    }

    /// What worker `worker` of `workers` sends to the server. Its ops depend only on `seed` and
    /// their index, except in the scripts in which each worker has its own rows or its own table.
    pub fn script(&self, seed: u64, worker: usize, workers: usize) -> AnyScript {
        AnyScript::new(self, seed, worker, workers)
    }

    /// The SELECTs of the script with the inputs of its first op: name and SQL. Writes are left
    /// out: not every server explains them, and they only touch one row by its key.
    pub fn examples(&self, seed: u64) -> Vec<(String, String)> {
        self.script(seed, 0, 1).examples(Turn { index: 0, nth: 0 })
    }

    /// The tables that the phase `load` creates for a number of connections.
    pub fn fill_jobs(&self, seed: u64, connections: usize) -> Vec<fill::Table<SbtestRows>> {
        schema::tables(self, seed, connections)
    }
}
