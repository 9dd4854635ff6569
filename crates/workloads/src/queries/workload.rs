//! The workload as seen by a run.

use std::sync::Arc;

use wire::Connection;

use super::ask::{Ask, Asked};
use super::Queries;
use crate::error::Error;
use crate::plan::{Phase, PlanError};
use crate::script::ScriptWorker;
use crate::statements;
use crate::workload::{Shared, Spec, UseWorkload, Workload};

/// The workload with its queries, ready to be asked.
#[derive(Debug)]
pub struct Ready<'a> {
    plan: &'a Queries,
    asked: Arc<Asked>,
}

impl Spec for Queries {
    fn check(&self, _connections: u32, phases: &[Phase]) -> Result<(), PlanError> {
        self.check_keys(phases)
    }

    fn open<U: UseWorkload>(&self, seed: u64, user: U) -> Result<U::Output, Error> {
        user.use_workload(&Ready {
            plan: self,
            asked: Arc::new(Asked::new(self, seed)),
        })
    }
}

impl Workload for Ready<'_> {
    type Worker = ScriptWorker<Ask>;

    fn ops(&self) -> Vec<String> {
        self.asked.names()
    }

    fn statements(&self, seed: u64) -> Vec<(String, String)> {
        Ask::examples(self.plan, seed)
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        let tables = statements::tables(shared.seed, &self.plan.tables);
        crate::fill::fill(shared, connection, &tables)
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error> {
        let ask = Ask::new(Arc::clone(&self.asked));
        ScriptWorker::connect(Arc::clone(shared), number, ask)
    }
}
