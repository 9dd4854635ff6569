//! What a workload gives to a run, and what a run gives to it.
//!
//! A new workload implements [`Workload`] in a folder of its own and gets a variant in
//! [`crate::plan::AnyWorkload`].

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use load::{Monotonic, Stop, Worker};
use wire::Connection;

use crate::error::{Error, Scope};
use crate::event::{ErrorEvent, Event, Events};
use crate::plan::Retries;
use crate::refusal::{code_of, Told};
use crate::script::Account;
use crate::session::Connector;
use crate::watchdog::Slot;

/// Connections are made by so many threads: what they wait for is mostly the server.
const CONNECTING: usize = 8;

/// What all parts of a run share.
#[derive(Debug)]
pub struct Shared {
    /// From the plan.
    pub seed: u64,
    /// An op that takes longer is killed.
    pub timeout: Duration,
    /// How many connections make load.
    pub connections: usize,
    /// True if there is no server, and every command is answered within this process.
    pub noop: bool,
    /// Which refusals are answered by running the transaction again.
    pub retries: Retries,
    /// The refusals that were told in words already.
    pub told: Told,
    /// True if the status is to be read around every statement.
    pub observe_status: bool,
    /// Makes connections.
    pub connector: Arc<Connector>,
    /// The watchdog's view of the workers' connections.
    pub slots: Arc<[Slot]>,
    /// The watchdog's view of the connections of the phase `load`: at least one.
    pub loader_slots: Arc<[Slot]>,
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

    /// Tells the first refusal of each kind in words; the others are counted.
    pub(crate) fn tell(&self, what: &str, error: &wire::Error) {
        if self.told.is_first(code_of(error)) {
            self.events.say(Event::Error(ErrorEvent {
                scope: Scope::Op,
                message: format!("{what}: {error}"),
                hint: error.hint().to_owned(),
                fatal: false,
            }));
        }
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

    /// Statements of which an execution plan may be asked for, name and SQL; under `seed`, where
    /// they have drawn values.
    fn statements(&self, seed: u64) -> Vec<(String, String)>;

    /// The phase `load`.
    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error>;

    /// Connects worker `number`.
    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error>;
}

/// A worker with a connection.
pub trait SqlWorker: Worker {
    /// Makes ready for a phase.
    fn begin_phase(&mut self, phase: &'static str) -> Result<(), Error>;

    /// Makes ready for what is read between phases.
    fn end_phase(&mut self) {}

    /// The connection, for what is read before the first phase; `None` if it was lost for good.
    fn connection(&mut self) -> Option<&mut Connection>;

    /// What was done beside ops since this was asked last.
    fn account(&mut self) -> Account;

    /// Closes the connection.
    fn retire(self);
}

/// Makes the workers of all connections, several at a time.
pub fn connect_all<W: Workload + Sync>(
    workload: &W,
    shared: &Arc<Shared>,
) -> Result<Vec<W::Worker>, Error> {
    let numbers: Vec<usize> = (0..shared.connections).collect();
    let connect = |numbers: &[usize]| {
        let workers = numbers
            .iter()
            .map(|&number| workload.worker(shared, number));
        workers.collect::<Result<Vec<W::Worker>, Error>>()
    };
    let made: Vec<Result<Vec<W::Worker>, Error>> = thread::scope(|scope| {
        let threads: Vec<_> = numbers
            .chunks(numbers.len().div_ceil(CONNECTING).max(1))
            .map(|share| scope.spawn(|| connect(share)))
            .collect();
        let joined = threads.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        joined.collect()
    });
    let mut workers = Vec::with_capacity(numbers.len());
    for share in made {
        workers.extend(share?);
    }
    Ok(workers)
}
