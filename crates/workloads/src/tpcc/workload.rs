//! The workload as seen by a run.

use std::sync::{Arc, Mutex, PoisonError};

use wire::Connection;

use super::queue::{Queue, State};
use super::schema::{foreign_keys, tables};
use super::spec::{Deliveries, Tpcc};
use super::terminal::{Terminal, OPS};
use crate::error::Error;
use crate::notes::Notes;
use crate::plan::{Phase, PlanError};
use crate::script::ScriptWorker;
use crate::workload::{Shared, Spec, UseWorkload, Workload};

/// The workload with its background deliveries, if they are queued.
#[derive(Debug)]
pub struct Company<'a> {
    plan: &'a Tpcc,
    queue: Mutex<Option<Queue>>,
}

impl<'a> Company<'a> {
    /// Nobody is working yet.
    pub fn new(plan: &'a Tpcc) -> Company<'a> {
        Company {
            plan,
            queue: Mutex::new(None),
        }
    }

    /// Opens the queue for the first terminal that uses it.
    fn queue(&self, shared: &Arc<Shared>) -> Result<Option<Arc<State>>, Error> {
        if self.plan.delivery == Deliveries::Inline {
            return Ok(None);
        }
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.is_none() {
            let session = self.plan.isolation.session();
            *queue = Some(Queue::open(shared, self.plan.warehouses, &session)?);
        }
        Ok(queue.as_ref().map(Queue::state))
    }
}

impl Spec for Tpcc {
    fn check(&self, connections: u32, phases: &[Phase]) -> Result<(), PlanError> {
        self.check_keys(connections, phases)
    }

    fn converses(&self) -> bool {
        true
    }

    fn loaders(&self) -> usize {
        self.loaders as usize
    }

    fn open<U: UseWorkload>(&self, _seed: u64, user: U) -> Result<U::Output, Error> {
        user.use_workload(&Company::new(self))
    }
}

impl Workload for Company<'_> {
    type Worker = ScriptWorker<Terminal>;

    fn ops(&self) -> Vec<String> {
        OPS.map(str::to_owned).to_vec()
    }

    /// None: they are sent together, and EXPLAIN says little before their tables have grown.
    fn statements(&self, _seed: u64) -> Vec<(String, String)> {
        Vec::new()
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        crate::fill::fill(shared, connection, &tables(self.plan, shared.seed))?;
        if !self.plan.foreign_keys {
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
        let success = match &self.plan.success_file {
            Some(path) => Some(Notes::open("success_file", path, true, shared)?),
            None => None,
        };
        let terminal = Terminal::new(self.plan, shared.seed, number)
            .with_success(success)
            .with_queue(self.queue(shared)?, number == shared.first);
        ScriptWorker::connect(Arc::clone(shared), number, terminal)
    }
}
