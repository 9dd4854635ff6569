//! What a workload provides to a run, and what a run provides to it.
//!
//! A new workload is a folder with a type that implements [`Spec`] and one that implements
//! [`Workload`]; they may be the same. It gets a line in the crate `kinds`; nothing else
//! refers to it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use load::{Monotonic, Stop, Worker};
use wire::Connection;

use crate::account::Account;
use crate::error::{Error, Scope};
use crate::event::{ErrorEvent, Event, Events};
use crate::plan::{Phase, PlanError, Retries};
use crate::refusal::{code_of, Reported};
use crate::session::Connector;
use crate::watchdog::Slot;

/// How many threads connect at once. They mostly wait for the server.
const CONNECTING: usize = 8;

/// What all parts of a run share.
#[derive(Debug)]
pub struct Shared {
    /// From the plan.
    pub seed: u64,
    /// An op that takes longer is killed.
    pub timeout: Duration,
    /// How many connections make load here.
    pub connections: usize,
    /// The number of the first of them among those of all programs.
    pub first: usize,
    /// How many connections all programs have together.
    pub of: usize,
    /// True if there is no server and every command is answered within this process.
    pub noop: bool,
    /// Which refusals are answered by rerunning the transaction.
    pub retries: Retries,
    /// Which refusals have been reported.
    pub reported: Reported,
    /// True if the status is to be read around every statement.
    pub observe_status: bool,
    /// Opens connections.
    pub connector: Arc<Connector>,
    /// The watchdog's view of the workers' connections.
    pub slots: Arc<[Slot]>,
    /// The watchdog's view of the connections of the phase `load`: at least one.
    pub loader_slots: Arc<[Slot]>,
    /// Where events go.
    pub events: Events,
    /// Ends the run.
    pub stop: Stop,
    /// The clock of the run, which read zero at `hello`.
    pub clock: Monotonic,
}

impl Shared {
    /// How long one command of an op may take before its connection is given up. Longer than the
    /// timeout: this is for the case that even KILL QUERY doesn't help.
    pub fn limit(&self) -> Option<Duration> {
        Some(self.timeout + Duration::from_secs(5))
    }

    /// The watchdog's view of a worker's connection, by its number among those of all programs.
    pub fn slot(&self, number: usize) -> &Slot {
        &self.slots[number - self.first]
    }

    /// Reports the first refusal of each error number as an event; the others are only counted.
    pub(crate) fn report_refusal(&self, what: &str, error: &wire::Error) {
        self.report_failure(code_of(error), format!("{what}: {error}"), error.hint());
    }

    /// The same for a failure whose number and text the workload knows.
    pub fn report_failure(&self, code: u16, message: String, hint: &str) {
        if self.reported.is_first(code) {
            self.events.say(Event::Error(ErrorEvent {
                scope: Scope::Op,
                message,
                hint: hint.to_owned(),
                fatal: false,
            }));
        }
    }
}

/// A workload's part of the load plan: its keys, as read by serde, and what a run must know about
/// them before it connects.
pub trait Spec {
    /// Refuses what types allow: values out of range, and keys that contradict one another or the
    /// plan's `connections` and `phases`.
    fn check(&self, connections: u32, phases: &[Phase]) -> Result<(), PlanError>;

    /// True for ops driven by a load model; false for statements that are run in rounds.
    fn is_load(&self) -> bool {
        true
    }

    /// True if several statements are sent at once, or if the next one depends on an answer.
    fn converses(&self) -> bool {
        false
    }

    /// How many connections fill the tables.
    fn loaders(&self) -> usize {
        1
    }

    /// Opens the files that the plan names, and passes on the workload.
    fn open<U: UseWorkload>(&self, seed: u64, user: U) -> Result<U::Output, Error>;
}

/// What is done with a workload of any kind.
pub trait UseWorkload {
    /// The result.
    type Output;

    /// Does it.
    fn use_workload<W: Workload + Sync>(self, workload: &W) -> Result<Self::Output, Error>;
}

/// What is sent to the server.
pub trait Workload {
    /// Does the ops, on one connection.
    type Worker: SqlWorker + 'static;

    /// The names of the ops.
    fn ops(&self) -> Vec<String>;

    /// How many ops a connection does in a round.
    fn ops_per_round(&self) -> u64 {
        1
    }

    /// The statements to explain: name and SQL. Values in them are drawn from `seed`.
    fn statements(&self, seed: u64) -> Vec<(String, String)> {
        let _ = seed;
        Vec::new()
    }

    /// The phase `load`.
    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error>;

    /// Connects worker `number` of those of all programs.
    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error>;
}

/// A worker with a connection.
pub trait SqlWorker: Worker {
    /// Prepares for a phase.
    fn begin_phase(&mut self, phase: &'static str) -> Result<(), Error>;

    /// Prepares for what is read between phases.
    fn end_phase(&mut self) {}

    /// The connection, for what is read before the first phase; `None` if it was lost for good.
    fn connection(&mut self) -> Option<&mut Connection>;

    /// What was done besides ops since the last call.
    fn account(&mut self) -> Account;

    /// Closes the connection.
    fn retire(self);
}

/// Connects the workers of all connections, several at a time.
pub fn connect_all<W: Workload + Sync>(
    workload: &W,
    shared: &Arc<Shared>,
) -> Result<Vec<W::Worker>, Error> {
    let numbers: Vec<usize> = (shared.first..shared.first + shared.connections).collect();
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
