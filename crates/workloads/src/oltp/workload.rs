//! The workload as a run sees it.

use std::sync::Arc;

use wire::Connection;

use super::{AnyScript, Oltp};
use crate::error::Error;
use crate::script::ScriptWorker;
use crate::workload::{Shared, Workload};

impl Workload for Oltp {
    type Worker = ScriptWorker<AnyScript>;

    fn ops(&self) -> Vec<String> {
        self.op_names()
    }

    fn ops_per_round(&self) -> u64 {
        1
    }

    fn statements(&self, seed: u64) -> Vec<(String, String)> {
        self.examples(seed)
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        let tables = self.fill_jobs(shared.seed, shared.connections);
        crate::fill::fill(shared, connection, &tables)
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error> {
        let script = self.script(shared.seed, number, shared.connections);
        ScriptWorker::connect(Arc::clone(shared), number, script)
    }
}
