//! The workload as seen by a run.

use std::sync::Arc;

use wire::Connection;

use super::clerk::Clerk;
use super::rows::tables;
use super::spec::Ledger;
use crate::error::Error;
use crate::notes::Notes;
use crate::plan::{Phase, PlanError};
use crate::script::ScriptWorker;
use crate::workload::{Shared, Spec, UseWorkload, Workload};

impl Spec for Ledger {
    fn check(&self, connections: u32, _phases: &[Phase]) -> Result<(), PlanError> {
        self.check_keys(connections)
    }

    fn open<U: UseWorkload>(&self, _seed: u64, user: U) -> Result<U::Output, Error> {
        user.use_workload(self)
    }
}

impl Workload for Ledger {
    type Worker = ScriptWorker<Clerk>;

    fn ops(&self) -> Vec<String> {
        self.ops.iter().map(|op| op.as_str().to_owned()).collect()
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        crate::fill::fill(shared, connection, &tables(self))
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error> {
        let notes = match &self.notes_file {
            Some(path) => Some(Notes::open("notes_file", path, false, shared)?),
            None => None,
        };
        let clerk = Clerk::new(self, number, shared.of, notes);
        ScriptWorker::connect(Arc::clone(shared), number, clerk)
    }
}
