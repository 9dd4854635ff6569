//! A connection that never blocks: for an event loop that waits for many at once.
//!
//! Login, preparing and all other commands block; a loop switches a connection over once they are
//! done. One command runs at a time. Time limits are up to the loop.

use std::os::fd::{AsFd, BorrowedFd};

use super::channel::Wait;
use super::{refuse, Connection};
use crate::codec::Step;
use crate::error::Error;
use crate::rows::{Done, Encoding, Rows};

impl Connection {
    /// Whether commands are polled with [`Connection::start`] and [`Connection::resume`], or block
    /// like all others.
    pub fn set_polled(&mut self, polled: bool) -> Result<(), Error> {
        self.channel.set_polled(polled)
    }

    /// Has `wait` wait for the server in commands that block, or with `None` the system again.
    pub fn set_wait(&mut self, wait: Option<Wait>) -> Result<(), Error> {
        self.channel.set_wait(wait)
    }

    /// What to wait on: for reading, and with [`Connection::is_sending`] for writing too.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.channel.stream().socket_fd()
    }

    /// True while a part of the command hasn't been sent yet.
    pub fn is_sending(&self) -> bool {
        self.channel.is_sending()
    }

    /// Sends as much of the composed command as the socket takes; its rows will be in `encoding`.
    pub fn start(&mut self, encoding: Encoding) -> Result<(), Error> {
        self.channel.begin_untimed("running a command");
        self.start_reply(encoding);
        self.broken = true;
        self.expect_reply();
        let sent = self.channel.send_some();
        self.settle_polled(sent)
    }

    /// Continues the command: `None` if it waits for the server again.
    pub fn resume<R: Rows>(&mut self, rows: &mut R) -> Result<Option<Done>, Error> {
        if self.is_sending() {
            let sent = self.channel.send_some();
            self.settle_polled(sent)?;
        }
        let taken = self.take_some(rows);
        match taken {
            Ok(None) => Ok(None),
            Ok(Some(done)) => self.settle(Ok(Some(done))),
            Err(error) => self.settle(Err(error)),
        }
    }

    /// Reads what is there of the reply. A read that doesn't fill the buffer emptied the socket, so
    /// it isn't tried again: later data is a new event.
    fn take_some<R: Rows>(&mut self, rows: &mut R) -> Result<Option<Done>, Error> {
        loop {
            let Some(emptied) = self.channel.receive_some()? else {
                return Ok(None);
            };
            while self.channel.framer.advance()? {
                match self.reply.payload(self.channel.framer.payload(), rows)? {
                    Step::More => {}
                    Step::LocalInfile => self.send_rows(&mut refuse)?,
                    Step::Finished => return Ok(Some(self.reply.done())),
                }
            }
            if emptied {
                return Ok(None);
            }
        }
    }

    /// An error ends the command; otherwise it goes on.
    fn settle_polled(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        match result {
            Ok(()) => Ok(()),
            Err(error) => self.settle(Err(error)),
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor()
    }
}
