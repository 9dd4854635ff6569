//! What all strategies share: the sessions of one loop, the clock, and what a reply leads to.
//!
//! The clock is read once per op: the end of an op is the start of the next.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::sync::{Barrier, OnceLock};
use std::time::Instant;

use crate::options::Options;
use crate::session::Session;
use crate::tally::Tally;
use crate::usage::Usage;

/// All loops start and end together.
pub struct Gate {
    barrier: Barrier,
    zero: Instant,
    seconds: f64,
    deadline_ns: OnceLock<u64>,
}

impl Gate {
    /// For n waiting threads, and a window of this length from when the first one has passed.
    pub fn new(waiting: usize, seconds: f64) -> Gate {
        Gate {
            barrier: Barrier::new(waiting),
            zero: Instant::now(),
            seconds,
            deadline_ns: OnceLock::new(),
        }
    }

    /// Waits for all others.
    pub fn wait(&self) {
        self.barrier.wait();
    }

    fn now_ns(&self) -> u64 {
        self.zero.elapsed().as_nanos() as u64
    }
}

/// What a strategy does after receiving bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Waits for the rest of the reply.
    Wait,
    /// Sends the request again.
    Send,
    /// Nothing more on this connection: the window has closed.
    Stop,
}

/// One loop's share.
pub struct Work<'a> {
    /// Its connections.
    pub sessions: &'a mut [Session],
    /// Connections that aren't done.
    pub left: usize,
    gate: &'a Gate,
    arrived: bool,
    deadline_ns: u64,
    usage: Usage,
    tally: Tally,
    random: u64,
    rows: u64,
}

impl<'a> Work<'a> {
    /// A loop's share of the connections; `index` gives it its own ids.
    pub fn new(
        sessions: &'a mut [Session],
        index: usize,
        options: &Options,
        gate: &'a Gate,
    ) -> Work<'a> {
        Work {
            left: sessions.len(),
            sessions,
            gate,
            arrived: false,
            deadline_ns: 0,
            usage: Usage::default(),
            tally: Tally::default(),
            random: 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(2 * index as u64 + 1),
            rows: options.rows,
        }
    }

    /// Waits for the other loops unless that was done already.
    pub fn arrive(&mut self) {
        if !self.arrived {
            self.arrived = true;
            self.gate.wait();
        }
    }

    /// Opens the window: every session's request is ready to be sent.
    pub fn start(&mut self) -> Result<()> {
        self.arrive();
        self.usage = Usage::of_this_thread()?;
        let now_ns = self.gate.now_ns();
        let length_ns = (self.gate.seconds * 1e9) as u64;
        self.deadline_ns = *self.gate.deadline_ns.get_or_init(|| now_ns + length_ns);
        self.tally.begun_ns = now_ns;
        for index in 0..self.sessions.len() {
            self.sessions[index].begun_ns = now_ns;
            self.draw(index);
        }
        Ok(())
    }

    /// Counts bytes of a reply; at its end, records the op and prepares the next request.
    pub fn received(&mut self, index: usize, bytes: usize) -> Result<Next> {
        let session = &mut self.sessions[index];
        session.received += bytes;
        if session.received < session.reply_bytes {
            return Ok(Next::Wait);
        }
        if session.received > session.reply_bytes {
            let (had, want) = (session.received, session.reply_bytes);
            return Err(Error::other(format!("a reply of {had} bytes, not {want}")));
        }
        session.received = 0;
        let now_ns = self.gate.now_ns();
        self.tally.record(now_ns - session.begun_ns);
        session.begun_ns = now_ns;
        if now_ns >= self.deadline_ns {
            self.left -= 1;
            return Ok(Next::Stop);
        }
        self.draw(index);
        Ok(Next::Send)
    }

    /// Reads once; 0 if nothing is there on a non-blocking socket.
    pub fn read(&self, index: usize, reply: &mut [u8]) -> Result<usize> {
        match (&self.sessions[index].stream).read(reply) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            other => other,
        }
    }

    /// Sends the request; it is so short that it is sent at once.
    pub fn send(&self, index: usize) -> Result<()> {
        let session = &self.sessions[index];
        (&session.stream).write_all(&session.request)
    }

    /// Closes the window.
    pub fn finish(mut self) -> Result<Tally> {
        self.tally.ended_ns = self.gate.now_ns();
        self.tally.usage = Usage::of_this_thread()?.since(&self.usage);
        Ok(self.tally)
    }

    /// Draws the next id (xorshift64, then scaled; the bias over 10^5 rows is below 10^-14).
    fn draw(&mut self, index: usize) {
        if !self.sessions[index].has_id {
            return;
        }
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let scaled = (u128::from(self.random) * u128::from(self.rows)) >> 64;
        self.sessions[index].set_id(1 + scaled as u64);
    }
}
