//! Commands out and payloads in over a stream, within a time limit. Knows nothing of replies.
//!
//! The limit is for a whole command. The operating system's own limit is for one read, so it is set
//! once and shortened only when a command has already used a good part of its time: a short command
//! costs no system call for it.

use std::io;
use std::time::{Duration, Instant};

use super::stream::{would_block, Stream};
use crate::codec::Framer;
use crate::error::Error;

#[derive(Debug)]
pub(super) struct Channel {
    stream: Stream,
    pub(super) framer: Framer,
    /// The command being built; its memory is kept.
    pub(super) out: Vec<u8>,
    sent: u64,
    /// How much of `out` has been sent, when sent piecemeal.
    written: usize,
    /// True while the end of it is in the encryption's buffer.
    unflushed: bool,
    limit: Option<Duration>,
    /// The limit that is set in the operating system.
    armed: Option<Duration>,
    deadline: Option<Instant>,
    /// How often a reply that nobody else times was read, and since when it has been a long one.
    reads: u32,
    long_since: Option<Instant>,
    during: &'static str,
    /// What waits for the socket instead of the system.
    wait: Option<Wait>,
    /// True if all that had arrived was read.
    is_empty: bool,
}

/// Waits until a socket can be read, or written if `true`; false if the command is given up.
pub type Wait = fn(bool) -> bool;

/// After this many reads of one such reply the clock is read: an endless reply would never leave
/// the loop to inspect it.
const READS_LONG: u32 = 256;

impl Channel {
    pub(super) fn new(stream: Stream, limit: Option<Duration>) -> Result<Channel, Error> {
        let mut channel = Channel {
            stream,
            framer: Framer::default(),
            out: Vec::with_capacity(4096),
            sent: 0,
            written: 0,
            unflushed: false,
            limit: None,
            armed: None,
            deadline: None,
            reads: 0,
            long_since: None,
            during: "connecting",
            wait: None,
            is_empty: false,
        };
        channel.set_limit(limit)?;
        Ok(channel)
    }

    pub(super) fn set_limit(&mut self, limit: Option<Duration>) -> Result<(), Error> {
        // The operating system takes a zero as "no limit", which isn't what was meant.
        let limit = limit.map(|limit| limit.max(Duration::from_millis(1)));
        self.stream
            .set_limit(limit)
            .map_err(|error| self.fail(error))?;
        (self.limit, self.armed) = (limit, limit);
        Ok(())
    }

    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Gives up the stream, to wrap it.
    pub(super) fn into_stream(self) -> Stream {
        self.stream
    }

    /// Closes the stream for both sides; nothing can be done if that fails.
    pub(super) fn shut_down(&self) {
        let _ = self.stream.shut_down();
    }

    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    /// Starts the time limit of a command.
    pub(super) fn begin(&mut self, during: &'static str) -> Result<(), Error> {
        if self.wait.is_some() {
            self.deadline = None;
            self.begin_untimed(during);
            return Ok(());
        }
        self.during = during;
        let Some(limit) = self.limit else {
            return Ok(());
        };
        self.deadline = Instant::now().checked_add(limit);
        if self.armed != self.limit {
            self.stream
                .set_read_limit(self.limit)
                .map_err(|error| self.fail(error))?;
            self.armed = self.limit;
        }
        Ok(())
    }

    /// From now on nothing blocks, or everything blocks again.
    pub(super) fn set_polled(&mut self, polled: bool) -> Result<(), Error> {
        self.stream
            .set_nonblocking(polled)
            .map_err(|error| self.fail(error))
    }

    /// From now on `wait` waits for the socket, or with `None` the system again. Time limits are up
    /// to `wait`.
    pub(super) fn set_wait(&mut self, wait: Option<Wait>) -> Result<(), Error> {
        self.wait = wait;
        self.set_polled(wait.is_some())
    }

    /// After an operation that failed: waits if it would have blocked, and fails unless it may be
    /// tried again.
    fn again(&self, error: io::Error, sending: bool) -> Result<(), Error> {
        match self.wait {
            _ if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Some(wait) if would_block(&error) => self.wait(wait, sending),
            _ => Err(self.fail(error)),
        }
    }

    fn wait(&self, wait: Wait, sending: bool) -> Result<(), Error> {
        match wait(sending) {
            true => Ok(()),
            false => Err(self.timeout()),
        }
    }

    /// Begins a command whose time the caller watches, except for an endless reply.
    pub(super) fn begin_untimed(&mut self, during: &'static str) {
        self.during = during;
        self.written = 0;
        self.reads = 0;
        self.long_since = None;
    }

    /// Ends a reply that has been long for the whole time that one may take.
    fn count_read(&mut self) -> Result<(), Error> {
        self.reads += 1;
        if self.reads % READS_LONG != 0 {
            return Ok(());
        }
        let since = *self.long_since.get_or_insert_with(Instant::now);
        match self.limit {
            Some(limit) if since.elapsed() > limit => Err(self.timeout()),
            _ => Ok(()),
        }
    }

    /// True while a part of `out` hasn't been sent.
    pub(super) fn is_sending(&self) -> bool {
        self.written < self.out.len() || self.unflushed
    }

    /// Writes as much of `out` as the socket takes.
    pub(super) fn send_some(&mut self) -> Result<(), Error> {
        while self.written < self.out.len() {
            match self.stream.write(&self.out[self.written..]) {
                Ok(0) => {
                    return Err(Error::Lost {
                        during: self.during,
                    })
                }
                Ok(count) => {
                    self.written += count;
                    self.sent += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if would_block(&error) => return Ok(()),
                Err(error) => return Err(self.fail(error)),
            }
        }
        match self.stream.flush() {
            Ok(()) => self.unflushed = false,
            Err(error) if would_block(&error) => self.unflushed = true,
            Err(error) => return Err(self.fail(error)),
        }
        Ok(())
    }

    /// Reads once. Returns whether that emptied the socket; `None` if nothing was there.
    pub(super) fn receive_some(&mut self) -> Result<Option<bool>, Error> {
        self.count_read()?;
        loop {
            let space = self.framer.space();
            let room = space.len();
            match self.stream.read(space) {
                Ok(0) => {
                    return Err(Error::Lost {
                        during: self.during,
                    })
                }
                Ok(count) => {
                    self.framer.filled(count);
                    // Under TLS and compression a read ends with a packet, and more may be waiting.
                    return Ok(Some(count < room && self.stream.is_clear()));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if would_block(&error) => return Ok(None),
                Err(error) => return Err(self.fail(error)),
            }
        }
    }

    /// Writes all of `out`.
    pub(super) fn send(&mut self) -> Result<(), Error> {
        let mut written = 0;
        while written < self.out.len() {
            match self.stream.write(&self.out[written..]) {
                Ok(0) => {
                    return Err(Error::Lost {
                        during: self.during,
                    })
                }
                Ok(count) => written += count,
                Err(error) => self.again(error, true)?,
            }
            if written < self.out.len() && self.left() == Some(Duration::ZERO) {
                return Err(self.timeout());
            }
        }
        while let Err(error) = self.stream.flush() {
            self.again(error, true)?;
        }
        self.is_empty = true;
        self.sent += written as u64;
        self.written = written;
        Ok(())
    }

    /// Reads once, as much as is available and fits.
    pub(super) fn receive(&mut self) -> Result<(), Error> {
        if let Some(wait) = self.wait {
            self.count_read()?;
            if self.is_empty {
                self.wait(wait, false)?;
            }
        }
        loop {
            self.draw_in()?;
            let space = self.framer.space();
            let room = space.len();
            match self.stream.read(space) {
                Ok(0) => {
                    return Err(Error::Lost {
                        during: self.during,
                    })
                }
                Ok(count) => {
                    self.framer.filled(count);
                    self.is_empty = count < room && self.stream.is_clear();
                    return Ok(());
                }
                Err(error) => self.again(error, false)?,
            }
        }
    }

    /// Waits for the next payload.
    pub(super) fn payload(&mut self) -> Result<&[u8], Error> {
        while !self.framer.advance()? {
            self.receive()?;
        }
        Ok(self.framer.payload())
    }

    /// What is left of the command's time.
    fn left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Shortens the limit of the next read if it would run well past the command's.
    fn draw_in(&mut self) -> Result<(), Error> {
        let (Some(left), Some(armed)) = (self.left(), self.armed) else {
            return Ok(());
        };
        if left.is_zero() {
            return Err(self.timeout());
        }
        if left < armed - armed / 16 {
            let left = left.max(Duration::from_millis(1));
            self.stream
                .set_read_limit(Some(left))
                .map_err(|error| self.fail(error))?;
            self.armed = Some(left);
        }
        Ok(())
    }

    fn timeout(&self) -> Error {
        Error::Timeout {
            during: self.during,
            after: self.limit.unwrap_or_default(),
        }
    }

    fn fail(&self, source: io::Error) -> Error {
        match source.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => self.timeout(),
            io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::UnexpectedEof => Error::Lost {
                during: self.during,
            },
            _ => Error::Io {
                during: self.during,
                source,
            },
        }
    }
}
