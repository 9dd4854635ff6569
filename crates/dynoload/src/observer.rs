//! Reads the server's status before and after a timed phase of a load workload, on its own
//! connection. For single statements, the workers do this themselves.

use std::sync::Arc;
use std::time::Duration;

use wire::Connection;
use workloads::event::{Event, StatusEvent};
use workloads::observe::{deltas, status, Numbers};
use workloads::{Error, Shared};

/// How long reading the status may take. It takes milliseconds unless the server hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// The observing connection.
pub struct Observer {
    shared: Arc<Shared>,
    connection: Connection,
    before: Numbers,
}

impl Observer {
    /// Connects.
    pub fn connect(shared: &Arc<Shared>) -> Result<Observer, Error> {
        Ok(Observer {
            shared: Arc::clone(shared),
            connection: shared.connector.connect(Some(LIMIT))?,
            before: Numbers::new(),
        })
    }

    /// Called before a phase begins. If the server restarted, this connection is restored too.
    pub fn read_before(&mut self) -> Result<(), Error> {
        self.before = match self.read() {
            Err(error) if error.is_lost_connection() => {
                self.connection = self.shared.connector.connect(Some(LIMIT))?;
                self.read()?
            }
            read => read?,
        };
        Ok(())
    }

    /// The phase ended: reports what changed. A server that is gone has no status, and its workers
    /// have already reported what happened to it.
    pub fn read_after(&mut self, phase: &str) -> Result<(), Error> {
        match self.read() {
            Ok(after) => {
                self.shared.events.say(Event::Status(StatusEvent {
                    phase: phase.to_owned(),
                    global_status: deltas(&self.before, &after),
                }));
                Ok(())
            }
            Err(error) if error.is_lost_connection() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Closes the connection.
    pub fn retire(self) {
        self.shared.connector.retire(self.connection);
    }

    fn read(&mut self) -> Result<Numbers, Error> {
        status(&mut self.connection, "GLOBAL").map_err(|source| Error::Observe {
            what: "the status",
            source,
        })
    }
}
