//! The compressed protocol: what both sides send lies in packets of its own, each compressed if
//! that helps. A layer between the framer and the socket, or TLS.

use std::io::{self, Read, Write};

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::stream::{would_block, Stream};
use crate::codec::handshake::ZSTD_LEVEL;
use crate::options::Compression;

const HEADER: usize = 7;
/// Three bytes of length.
const PLAIN_MAX: usize = (1 << 24) - 1;
/// Less isn't compressed; as in MySQL and MariaDB.
const PLAIN_LEAST: usize = 50;
const READ_BYTES: usize = 16 * 1024;

/// A stream whose bytes are compressed on their way.
#[derive(Debug)]
pub(super) struct Compressed {
    inner: Stream,
    algorithm: Compression,
    sequence: u8,
    /// Packets to send, and how much of them was sent.
    out: Vec<u8>,
    sent: usize,
    /// What came and isn't a whole packet yet.
    raw: Vec<u8>,
    /// What came in the last packet, and how much of it was read.
    plain: Vec<u8>,
    given: usize,
}

impl Compressed {
    pub(super) fn new(inner: Stream, algorithm: Compression) -> Compressed {
        Compressed {
            inner,
            algorithm,
            sequence: 0,
            out: Vec::new(),
            sent: 0,
            raw: Vec::new(),
            plain: Vec::new(),
            given: 0,
        }
    }

    pub(super) fn inner(&self) -> &Stream {
        &self.inner
    }

    pub(super) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = &self.plain[self.given..];
            if !left.is_empty() {
                let count = left.len().min(into.len());
                into[..count].copy_from_slice(&left[..count]);
                self.given += count;
                return Ok(count);
            }
            if self.open()? {
                continue;
            }
            let there = self.raw.len();
            self.raw.resize(there + READ_BYTES, 0);
            let read = self.inner.read(&mut self.raw[there..]);
            self.raw
                .truncate(there + read.as_ref().copied().unwrap_or(0));
            if read? == 0 {
                return Ok(0);
            }
        }
    }

    /// Opens the next packet, if all of it is there.
    fn open(&mut self) -> io::Result<bool> {
        let Some((&[a, b, c, sequence, d, e, f], rest)) = self.raw.split_first_chunk::<HEADER>()
        else {
            return Ok(false);
        };
        let packed = u32::from_le_bytes([a, b, c, 0]) as usize;
        let plain = u32::from_le_bytes([d, e, f, 0]) as usize;
        let Some(body) = rest.get(..packed) else {
            return Ok(false);
        };
        self.sequence = sequence.wrapping_add(1);
        self.plain.clear();
        self.given = 0;
        match plain {
            0 => self.plain.extend_from_slice(body),
            _ => self.unpack(plain)?,
        }
        self.raw.drain(..HEADER + packed);
        Ok(true)
    }

    /// Unpacks the first packet of `raw`, of which no more is taken than it says.
    fn unpack(&mut self, plain: usize) -> io::Result<()> {
        let body = &self.raw[HEADER..];
        let most = plain as u64 + 1;
        match self.algorithm {
            Compression::Zstd => {
                let decoder = zstd::stream::read::Decoder::with_buffer(body)?.single_frame();
                decoder.take(most).read_to_end(&mut self.plain)?;
            }
            Compression::Off | Compression::Zlib => {
                ZlibDecoder::new(body)
                    .take(most)
                    .read_to_end(&mut self.plain)?;
            }
        }
        match self.plain.len() == plain {
            true => Ok(()),
            false => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a compressed packet has another length than it says",
            )),
        }
    }

    /// Takes all of `from`, which begins with a packet, once what it took before is sent.
    pub(super) fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.flush()?;
        // A command's first packet has the number 0, and so has the first one around it.
        if from.get(3) == Some(&0) {
            self.sequence = 0;
        }
        self.out.clear();
        self.sent = 0;
        for part in from.chunks(PLAIN_MAX) {
            self.pack(part)?;
        }
        match self.flush() {
            Err(error) if !would_block(&error) => Err(error),
            // The rest goes when it is flushed again.
            _ => Ok(from.len()),
        }
    }

    fn pack(&mut self, part: &[u8]) -> io::Result<()> {
        let packed = match part.len() < PLAIN_LEAST {
            true => None,
            false => Some(self.packed(part)?).filter(|packed| packed.len() < part.len()),
        };
        let (body, plain) = match &packed {
            Some(packed) => (packed.as_slice(), part.len()),
            None => (part, 0),
        };
        self.out
            .extend_from_slice(&(body.len() as u32).to_le_bytes()[..3]);
        self.out.push(self.sequence);
        self.out
            .extend_from_slice(&(plain as u32).to_le_bytes()[..3]);
        self.out.extend_from_slice(body);
        self.sequence = self.sequence.wrapping_add(1);
        Ok(())
    }

    fn packed(&self, part: &[u8]) -> io::Result<Vec<u8>> {
        match self.algorithm {
            Compression::Zstd => zstd::bulk::compress(part, ZSTD_LEVEL.into()),
            Compression::Off | Compression::Zlib => {
                let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(part)?;
                encoder.finish()
            }
        }
    }

    /// Sends what is left; an error of kind `WouldBlock` if the socket takes no more now.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        while self.sent < self.out.len() {
            match self.inner.write(&self.out[self.sent..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.inner.flush()
    }
}
