//! The workload as seen by a run.

use std::sync::Arc;

use wire::Connection;

use super::{AnyScript, Oltp};
use crate::error::Error;
use crate::plan::{Phase, PlanError};
use crate::script::ScriptWorker;
use crate::workload::{Shared, Spec, UseWorkload, Workload};

impl Spec for Oltp {
    fn check(&self, _connections: u32, phases: &[Phase]) -> Result<(), PlanError> {
        self.check_keys(phases)
    }

    fn loaders(&self) -> usize {
        self.loaders as usize
    }

    fn open<U: UseWorkload>(&self, _seed: u64, user: U) -> Result<U::Output, Error> {
        user.use_workload(self)
    }
}

impl Workload for Oltp {
    type Worker = ScriptWorker<AnyScript>;

    fn ops(&self) -> Vec<String> {
        self.op_names()
    }

    fn statements(&self, seed: u64) -> Vec<(String, String)> {
        self.examples(seed)
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        let tables = self.fill_jobs(shared.seed, shared.connections);
        crate::fill::fill(shared, connection, &tables)
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error> {
        let script = self.script(shared.seed, number, shared.of);
        ScriptWorker::connect(Arc::clone(shared), number, script)
    }
}
