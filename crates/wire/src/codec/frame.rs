//! Packets: a 3-byte length, a sequence number, a payload; long payloads go in several packets.
//!
//! [`Framer`] turns received bytes into payloads; [`begin`] and [`finish`] frame one for sending.

use crate::error::Error;

/// The length that means "another packet of this payload follows".
pub const FULL: usize = 0xFF_FFFF;
/// Length and sequence number.
pub const HEADER: usize = 4;
/// The largest payload accepted: above the max_allowed_packet of almost every server, and no more
/// than a client can spare for a server that never ends its row.
pub const PAYLOAD_MAX: usize = 128 << 20;

/// A read buffer starts small, so that those of many connections lie close together in the
/// processor's caches, and doubles when one read fills it.
const BUFFER_MIN: usize = 1024;
const BUFFER_MAX: usize = 64 * 1024;

/// Leaves room for a header in `out`. Give the returned position to [`finish`].
pub fn begin(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER]);
    start
}

/// Writes the header at `start` for all bytes after it, splitting payloads of 16 MiB - 1 and
/// more. Returns the sequence number that comes next.
pub fn finish(out: &mut Vec<u8>, start: usize, sequence: u8) -> u8 {
    let len = out.len() - start - HEADER;
    if len < FULL {
        put_header(&mut out[start..start + HEADER], len, sequence);
        return sequence.wrapping_add(1);
    }
    let payload = out.split_off(start + HEADER);
    out.truncate(start);
    put_packets(out, &payload, FULL, sequence)
}

/// Appends `payload` in packets of `piece` bytes (at most [`FULL`]). With `piece` = [`FULL`] the
/// other side sees one payload; with less, each packet is its own payload.
pub fn put_packets(out: &mut Vec<u8>, payload: &[u8], piece: usize, mut sequence: u8) -> u8 {
    let mut rest = payload;
    loop {
        let (now, later) = rest.split_at(rest.len().min(piece));
        let start = begin(out);
        out.extend_from_slice(now);
        put_header(&mut out[start..start + HEADER], now.len(), sequence);
        sequence = sequence.wrapping_add(1);
        // A payload whose last packet is full needs an empty one to end it.
        if later.is_empty() && now.len() < FULL {
            return sequence;
        }
        rest = later;
    }
}

fn put_header(header: &mut [u8], len: usize, sequence: u8) {
    header[..3].copy_from_slice(&(len as u32).to_le_bytes()[..3]);
    header[3] = sequence;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A new payload begins at the next header.
    Fresh,
    /// A payload too long for the buffer is being joined; its next header is expected.
    Header,
    /// The same, with this many bytes of the packet due, and whether more packets follow.
    Body { left: usize, more: bool },
}

/// Where the payload that was found last lies.
#[derive(Debug, Clone, Copy)]
enum Found {
    Buffer { start: usize, end: usize },
    Joined,
}

/// Cuts a stream of bytes into payloads and checks the sequence numbers.
///
/// Feeding: read into [`Framer::space`] and report the length to [`Framer::filled`]. Emptying:
/// while [`Framer::advance`] is true, look at [`Framer::payload`]. Small payloads are shown in the
/// read buffer; long ones are joined in a second buffer that grows only with bytes actually
/// received.
#[derive(Debug)]
pub struct Framer {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    joined: Vec<u8>,
    state: State,
    found: Found,
    sequence: u8,
    /// Sequence numbers aren't checked.
    is_lax: bool,
    payload_max: usize,
    received: u64,
}

impl Default for Framer {
    fn default() -> Framer {
        Framer::new(PAYLOAD_MAX)
    }
}

impl Framer {
    /// A framer that refuses payloads above `payload_max` bytes.
    pub fn new(payload_max: usize) -> Framer {
        Framer {
            buffer: vec![0; BUFFER_MIN],
            start: 0,
            end: 0,
            joined: Vec::new(),
            state: State::Fresh,
            found: Found::Buffer { start: 0, end: 0 },
            sequence: 0,
            is_lax: false,
            payload_max,
            received: 0,
        }
    }

    /// Room to read into, never empty when [`Framer::advance`] was false. Invalidates what
    /// [`Framer::payload`] showed.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        &mut self.buffer[self.end..]
    }

    /// `len` bytes were read into [`Framer::space`].
    pub fn filled(&mut self, len: usize) {
        self.end = (self.end + len).min(self.buffer.len());
        self.received += len as u64;
        if self.end == self.buffer.len() && self.end < BUFFER_MAX {
            self.buffer.resize(2 * self.end, 0);
        }
    }

    /// Bytes fed in so far.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// From now on sequence numbers aren't checked.
    pub fn ignore_sequence(&mut self) {
        self.is_lax = true;
    }

    /// Payloads above this many bytes are refused from now on.
    pub fn set_payload_max(&mut self, payload_max: usize) {
        self.payload_max = payload_max;
    }

    /// The sequence number that comes next, for receiving or for answering.
    pub fn sequence(&self) -> u8 {
        self.sequence
    }

    /// Sets the sequence number that comes next, after a command was sent.
    pub fn expect(&mut self, sequence: u8) {
        self.sequence = sequence;
    }

    /// Bytes received but not yet looked at.
    pub fn pending(&self) -> usize {
        self.end - self.start
    }

    /// The payload that [`Framer::advance`] found.
    #[inline]
    pub fn payload(&self) -> &[u8] {
        match self.found {
            Found::Buffer { start, end } => &self.buffer[start..end],
            Found::Joined => &self.joined,
        }
    }

    /// Looks for the next payload. False if more bytes are needed.
    #[inline]
    pub fn advance(&mut self) -> Result<bool, Error> {
        if self.state == State::Fresh {
            let Some(len) = self.header()? else {
                return Ok(false);
            };
            let end = self.start + HEADER + len;
            if len < FULL && end <= self.end {
                self.found = Found::Buffer {
                    start: self.start + HEADER,
                    end,
                };
                self.start = end;
                self.sequence = self.sequence.wrapping_add(1);
                return Ok(true);
            }
            if len < FULL && HEADER + len <= self.buffer.len() {
                return Ok(false);
            }
            self.joined.clear();
            self.state = State::Header;
        }
        self.join()
    }

    /// Collects a long payload packet by packet.
    fn join(&mut self) -> Result<bool, Error> {
        loop {
            match self.state {
                State::Fresh => return Ok(true),
                State::Header => {
                    let Some(len) = self.header()? else {
                        return Ok(false);
                    };
                    if self.joined.len() + len > self.payload_max {
                        return Err(self.fail("a payload longer than this client takes"));
                    }
                    self.start += HEADER;
                    self.sequence = self.sequence.wrapping_add(1);
                    self.state = State::Body {
                        left: len,
                        more: len == FULL,
                    };
                }
                State::Body { left, more } => {
                    let now = left.min(self.end - self.start);
                    let piece = &self.buffer[self.start..self.start + now];
                    self.joined.extend_from_slice(piece);
                    self.start += now;
                    if now < left {
                        self.state = State::Body {
                            left: left - now,
                            more,
                        };
                        return Ok(false);
                    }
                    self.found = Found::Joined;
                    self.state = if more { State::Header } else { State::Fresh };
                }
            }
        }
    }

    /// The length in the current header, with its sequence number checked; `None` if it isn't
    /// complete.
    ///
    /// An error packet may carry any number: servers send some (killed, idle too long) unasked, and
    /// their text helps more than a complaint about their numbering.
    #[inline]
    fn header(&mut self) -> Result<Option<usize>, Error> {
        let [a, b, c, sequence, rest @ ..] = &self.buffer[self.start..self.end] else {
            return Ok(None);
        };
        let len = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
        if self.is_lax {
            self.sequence = *sequence;
        } else if *sequence != self.sequence {
            match rest.first() {
                None if len > 0 => return Ok(None),
                Some(0xFF) if len > 0 => self.sequence = *sequence,
                _ => return Err(self.fail("packet out of order (wrong sequence number)")),
            }
        }
        Ok(Some(len))
    }

    fn fail(&self, what: &'static str) -> Error {
        Error::protocol(what, &self.buffer[self.start..self.end])
    }
}
