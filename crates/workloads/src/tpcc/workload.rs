//! The workload as a run sees it.

use std::sync::Arc;

use wire::Connection;

use super::schema::{foreign_keys, tables};
use super::spec::Tpcc;
use super::success::SuccessFile;
use super::terminal::{Terminal, OPS};
use crate::error::Error;
use crate::script::ScriptWorker;
use crate::workload::{Shared, Workload};

impl Workload for Tpcc {
    type Worker = ScriptWorker<Terminal>;

    fn ops(&self) -> Vec<String> {
        OPS.map(str::to_owned).to_vec()
    }

    fn ops_per_round(&self) -> u64 {
        1
    }

    /// None: they are said together, and their tables explain little before they have grown.
    fn statements(&self, _seed: u64) -> Vec<(String, String)> {
        Vec::new()
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        crate::fill::fill(shared, connection, &tables(self, shared.seed))?;
        if !self.foreign_keys {
            return Ok(());
        }
        for (table, sql) in foreign_keys() {
            let added = connection.execute_sql(&sql);
            added.map_err(|source| Error::Load {
                table: table.to_owned(),
                doing: "ADD FOREIGN KEY".to_owned(),
                source,
            })?;
        }
        Ok(())
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error> {
        let success = match &self.success_file {
            Some(path) => Some(SuccessFile::open(path, shared)?),
            None => None,
        };
        let terminal = Terminal::new(self, shared.seed, number, success);
        ScriptWorker::connect(Arc::clone(shared), number, terminal)
    }
}
