//! The workload as a run sees it.

use std::sync::Arc;

use wire::Connection;

use super::cycle::Cycle;
use super::Slap;
use crate::error::Error;
use crate::script::ScriptWorker;
use crate::workload::{Shared, Workload};

impl Workload for Slap {
    type Worker = ScriptWorker<Cycle>;

    fn ops(&self) -> Vec<String> {
        self.op_names()
    }

    fn ops_per_round(&self) -> u64 {
        1
    }

    fn statements(&self, seed: u64) -> Vec<(String, String)> {
        Cycle::new(self, seed).examples()
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        crate::fill::fill(shared, connection, &[self.table(shared.seed)])
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error> {
        let cycle = Cycle::new(self, shared.seed);
        ScriptWorker::connect(Arc::clone(shared), number, cycle)
    }
}
