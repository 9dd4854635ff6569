//! The workload `statements`: named SQL statements, each timed alone.
//!
//! `spec` is its plan, `generate` makes rows, `fill` says which tables they go into, `worker` runs
//! the statements, `status` reads the server's counters around them, `checksum` compares answers.

mod checksum;
mod fill;
mod generate;
mod spec;
mod status;
mod worker;

use std::sync::Arc;

use wire::Connection;

use crate::error::Error;
use crate::plan::{Phase, PlanError};
use crate::workload::{Shared, Spec, UseWorkload, Workload};

pub use crate::fill::Layout;
pub use checksum::Checksum;
pub(crate) use fill::tables;
pub use fill::TableRows;
pub(crate) use generate::Column;
pub(crate) use spec::{check_names, check_tables};
pub use spec::{ColumnRef, Columns, Compare, Generator, Statement, Statements, Table};
pub use worker::StatementWorker;

impl Spec for Statements {
    fn check(&self, _connections: u32, phases: &[Phase]) -> Result<(), PlanError> {
        self.check_keys(phases)
    }

    fn is_load(&self) -> bool {
        false
    }

    fn open<U: UseWorkload>(&self, _seed: u64, user: U) -> Result<U::Output, Error> {
        user.use_workload(self)
    }
}

impl Workload for Statements {
    type Worker = StatementWorker;

    fn ops(&self) -> Vec<String> {
        self.statements
            .iter()
            .map(|statement| statement.name.clone())
            .collect()
    }

    fn ops_per_round(&self) -> u64 {
        self.statements.len() as u64
    }

    fn statements(&self, _seed: u64) -> Vec<(String, String)> {
        let all = self.statements.iter();
        all.map(|statement| (statement.name.clone(), statement.sql.clone()))
            .collect()
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        let tables = fill::tables(shared.seed, &self.tables);
        crate::fill::fill(shared, connection, &tables)
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<StatementWorker, Error> {
        StatementWorker::connect(
            Arc::clone(shared),
            self.statements.as_slice().into(),
            number,
        )
    }
}
