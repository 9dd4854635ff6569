//! The workload as seen by a run.

use std::sync::Arc;

use wire::Connection;

use super::cycle::Cycle;
use super::Slap;
use crate::error::Error;
use crate::plan::{Phase, PlanError};
use crate::script::ScriptWorker;
use crate::workload::{Shared, Spec, UseWorkload, Workload};

impl Spec for Slap {
    fn check(&self, _connections: u32, _phases: &[Phase]) -> Result<(), PlanError> {
        self.check_keys()
    }

    fn open<U: UseWorkload>(&self, _seed: u64, user: U) -> Result<U::Output, Error> {
        user.use_workload(self)
    }
}

impl Workload for Slap {
    type Worker = ScriptWorker<Cycle>;

    fn ops(&self) -> Vec<String> {
        self.op_names()
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
