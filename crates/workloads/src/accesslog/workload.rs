//! The workload as seen by a run.

use std::path::Path;
use std::sync::Arc;

use wire::Connection;

use super::insert::Insert;
use super::{AccessLog, FileRows, MadeRows};
use crate::error::Error;
use crate::fill::{Layout, Source};
use crate::plan::{Phase, PlanError};
use crate::script::ScriptWorker;
use crate::workload::{Shared, Spec, UseWorkload, Workload};

/// Rows from either source.
#[derive(Debug)]
pub enum LogRows {
    /// Generated.
    Made(MadeRows),
    /// From a real log; all workers read one file.
    File(Arc<FileRows>),
}

impl Source for LogRows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        match self {
            LogRows::Made(rows) => rows.write(index, layout, out),
            LogRows::File(rows) => rows.write(index, layout, out),
        }
    }
}

/// The workload with its log opened.
#[derive(Debug)]
pub struct Writer<'a> {
    plan: &'a AccessLog,
    file: Option<Arc<FileRows>>,
}

impl<'a> Writer<'a> {
    /// Scans the plan's log, if it names one.
    pub fn open(plan: &'a AccessLog) -> Result<Writer<'a>, Error> {
        let file = plan.log.as_deref().map(open).transpose()?;
        Ok(Writer { plan, file })
    }

    fn rows(&self, seed: u64) -> LogRows {
        match &self.file {
            Some(file) => LogRows::File(Arc::clone(file)),
            None => LogRows::Made(MadeRows::new(seed)),
        }
    }
}

fn open(path: &Path) -> Result<Arc<FileRows>, Error> {
    let opened = FileRows::open(path).map_err(|source| Error::File {
        key: "log",
        path: path.to_owned(),
        source,
    });
    opened.map(Arc::new)
}

impl Spec for AccessLog {
    fn check(&self, _connections: u32, _phases: &[Phase]) -> Result<(), PlanError> {
        self.check_keys()
    }

    fn open<U: UseWorkload>(&self, _seed: u64, user: U) -> Result<U::Output, Error> {
        user.use_workload(&Writer::open(self)?)
    }
}

impl Workload for Writer<'_> {
    type Worker = ScriptWorker<Insert>;

    fn ops(&self) -> Vec<String> {
        vec!["insert".to_owned()]
    }

    /// None: an INSERT has nothing to explain.
    fn statements(&self, _seed: u64) -> Vec<(String, String)> {
        Vec::new()
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        let table = self.plan.table(self.rows(shared.seed));
        crate::fill::fill(shared, connection, &[table])
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error> {
        let rows = self.rows(shared.seed);
        let insert = Insert::new(self.plan, rows, number, shared.of);
        ScriptWorker::connect(Arc::clone(shared), number, insert)
    }
}
