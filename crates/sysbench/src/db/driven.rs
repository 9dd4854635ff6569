//! Connections of scripts under the load engine: made as the plan says, counted, and watched.

use std::sync::Arc;
use std::time::Duration;

use load::Stop;
use wire::{Connection, Error, Options};
use workloads::session::Connector;
use workloads::watchdog::Slot;
use workloads::Error as RunError;

/// What a run has for the connections of its scripts.
#[derive(Debug)]
pub struct Driven {
    pub connector: Arc<Connector>,
    /// The watchdog's view of each worker: of the connection that it made last.
    pub slots: Arc<[Slot]>,
    /// The number of the first worker here.
    pub first: usize,
    /// How long one command may take.
    pub limit: Option<Duration>,
    pub stop: Stop,
}

impl Driven {
    /// How a connection is made.
    pub fn options(&self) -> Options {
        let mut options = self.connector.options().clone();
        options.multi_statements = true;
        options.read_timeout = self.limit;
        options
    }

    /// Prepares a new connection of `worker`: the session statements of the plan, the watchdog.
    pub fn begin(&self, worker: usize, connection: &mut Connection) -> Result<(), Error> {
        // No other error comes from there.
        if let Err(RunError::Session { source, .. }) = self.connector.begin_session(connection) {
            return Err(source);
        }
        if let Some(slot) = self.slot(worker) {
            slot.set_connection(connection.connection_id());
        }
        Ok(())
    }

    /// The slot of this worker; states that aren't workers share the last one.
    pub fn slot(&self, worker: usize) -> Option<&Slot> {
        worker
            .checked_sub(self.first)
            .and_then(|place| self.slots.get(place))
            .or_else(|| self.slots.last())
    }
}
