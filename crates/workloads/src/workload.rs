//! What a workload gives to a run, and what a run gives to it.
//!
//! A new workload implements [`Workload`] in a folder of its own and gets a variant in
//! [`crate::plan::AnyWorkload`].

use std::sync::Arc;
use std::time::Duration;

use load::{Monotonic, Stop, Worker};
use wire::Connection;

use crate::error::Error;
use crate::event::Events;
use crate::session::Connector;
use crate::watchdog::Slot;

/// What all parts of a run share.
#[derive(Debug)]
pub struct Shared {
    /// From the plan.
    pub seed: u64,
    /// An op that takes longer is killed.
    pub timeout: Duration,
    /// True if the status is to be read around every statement.
    pub observe_status: bool,
    /// Makes connections.
    pub connector: Arc<Connector>,
    /// The watchdog's view of the connections; the last one is that of the phase `load`.
    pub slots: Arc<[Slot]>,
    /// Where events go.
    pub events: Events,
    /// Ends the run.
    pub stop: Stop,
    /// The clock of the run, which stood at zero at `hello`.
    pub clock: Monotonic,
}

impl Shared {
    /// How long one command of an op may take before its connection is given up. Longer than the
    /// timeout: this is for the case that even KILL QUERY doesn't help.
    pub fn limit(&self) -> Option<Duration> {
        Some(self.timeout + Duration::from_secs(5))
    }

    /// The watchdog's view of the connection that loads.
    pub fn load_slot(&self) -> &Slot {
        &self.slots[self.slots.len() - 1]
    }
}

/// What is asked of the server.
pub trait Workload {
    /// Does the ops, on one connection.
    type Worker: SqlWorker + 'static;

    /// The names of the ops.
    fn ops(&self) -> Vec<String>;

    /// How many ops a connection does in a round.
    fn ops_per_round(&self) -> u64;

    /// Statements of which an execution plan may be asked for: name and SQL.
    fn statements(&self) -> Vec<(&str, &str)>;

    /// The phase `load`.
    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error>;

    /// Connects worker `number`.
    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error>;
}

/// A worker with a connection.
pub trait SqlWorker: Worker {
    /// Makes ready for a phase.
    fn begin_phase(&mut self, phase: &'static str) -> Result<(), Error>;

    /// The connection, for what is read before the first phase; `None` if it was lost for good.
    fn connection(&mut self) -> Option<&mut Connection>;

    /// Closes the connection.
    fn retire(self);
}
