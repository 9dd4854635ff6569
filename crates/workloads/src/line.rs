//! A worker's connection, restored when it was lost or when a KILL is on its way to it.

use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use wire::Connection;

use crate::error::Error;
use crate::event::{ErrorEvent, Event};
use crate::watchdog::Slot;
use crate::workload::Shared;

/// The connection of worker `number`.
#[derive(Debug)]
pub struct Line {
    shared: Arc<Shared>,
    number: usize,
    /// `None` only if it was lost for good.
    connection: Option<Connection>,
}

/// Whether a connection is still the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mended {
    /// It is.
    Same,
    /// No, a new one: statements prepared on the old one are gone.
    New,
}

impl Line {
    /// Connects.
    pub fn connect(shared: Arc<Shared>, number: usize) -> Result<Line, Error> {
        let connection = shared.connector.connect(shared.limit())?;
        shared
            .slot(number)
            .set_connection(connection.connection_id());
        Ok(Line {
            shared,
            number,
            connection: Some(connection),
        })
    }

    /// The connection; `None` if it was lost for good.
    pub fn connection(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut()
    }

    /// The connection and the watchdog's view of it.
    pub fn connection_and_slot(&mut self) -> Option<(&mut Connection, &Slot)> {
        Some((self.connection.as_mut()?, self.shared.slot(self.number)))
    }

    /// What to wait on.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.connection.as_ref().map(Connection::descriptor)
    }

    /// True while a part of a command hasn't been sent yet.
    pub fn is_sending(&self) -> bool {
        self.connection.as_ref().is_some_and(Connection::is_sending)
    }

    /// True if it must be restored before it is used again.
    pub fn is_broken(&self) -> bool {
        self.connection.as_ref().is_none_or(Connection::is_broken)
    }

    /// Restores the connection if it broke or if it was `killed`: that KILL may come late, and
    /// must not hit the next statement.
    pub fn renew(&mut self, killed: bool) -> Result<Mended, Error> {
        if !self.is_broken() && !killed {
            return Ok(Mended::Same);
        }
        self.hang_up();
        let shared = &self.shared;
        let connection = shared
            .connector
            .reconnect(self.number, shared.limit(), &shared.stop)?;
        shared
            .slot(self.number)
            .set_connection(connection.connection_id());
        self.connection = Some(connection);
        Ok(Mended::New)
    }

    /// Like [`Line::renew`]. `Break`: it was lost for good, which was reported.
    pub fn mend(&mut self, killed: bool) -> ControlFlow<(), Mended> {
        match self.renew(killed) {
            Ok(mended) => ControlFlow::Continue(mended),
            Err(Error::Stopped) => ControlFlow::Break(()),
            Err(error) => {
                if self.shared.reported.is_first_end() {
                    let event = ErrorEvent::fatal(&error);
                    self.shared.events.say(Event::Error(event));
                }
                ControlFlow::Break(())
            }
        }
    }

    /// Closes the connection.
    pub fn hang_up(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.shared.connector.retire(connection);
        }
    }
}
