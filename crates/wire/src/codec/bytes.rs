//! Reading and writing the protocol's numbers and strings in byte slices.
//!
//! A [`Reader`] never reads past the packet and never panics: what doesn't fit is a
//! [`Error::Protocol`] that names the thing and quotes the packet.

use crate::error::Error;

/// Walks through one packet.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    packet: &'a [u8],
    at: usize,
    what: &'static str,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte; `what` is named in errors.
    #[inline]
    pub fn new(packet: &'a [u8], what: &'static str) -> Reader<'a> {
        Reader {
            packet,
            at: 0,
            what,
        }
    }

    /// The error for this packet.
    #[cold]
    #[inline(never)]
    pub fn fail(&self) -> Error {
        Error::protocol(self.what, self.packet)
    }

    /// How many bytes were read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// True if nothing is left.
    pub fn is_done(&self) -> bool {
        self.at >= self.packet.len()
    }

    /// Everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        let rest = &self.packet[self.at..];
        self.at = self.packet.len();
        rest
    }

    /// The next `len` bytes.
    #[inline]
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let end = self
            .at
            .checked_add(len)
            .filter(|end| *end <= self.packet.len());
        let end = end.ok_or_else(|| self.fail())?;
        let taken = &self.packet[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// A little-endian number of `len` (at most 8) bytes.
    #[inline]
    fn number(&mut self, len: usize) -> Result<u64, Error> {
        let mut wide = [0_u8; 8];
        wide[..len].copy_from_slice(self.take(len)?);
        Ok(u64::from_le_bytes(wide))
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self) -> Result<u8, Error> {
        let byte = *self.packet.get(self.at).ok_or_else(|| self.fail())?;
        self.at += 1;
        Ok(byte)
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16, Error> {
        Ok(self.number(2)? as u16)
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, Error> {
        Ok(self.number(4)? as u32)
    }

    /// A length-encoded integer. 0xFB (NULL) and 0xFF (error) aren't valid.
    #[inline]
    pub fn lenenc(&mut self) -> Result<u64, Error> {
        match self.u8()? {
            small @ 0..=0xFA => Ok(u64::from(small)),
            lead => self.lenenc_long(lead),
        }
    }

    /// The rest of one that begins with this byte. Apart, so that short ones are read in place.
    #[inline(never)]
    fn lenenc_long(&mut self, lead: u8) -> Result<u64, Error> {
        match lead {
            0xFC => self.number(2),
            0xFD => self.number(3),
            0xFE => self.number(8),
            _ => Err(self.fail()),
        }
    }

    /// A string preceded by its length.
    #[inline]
    pub fn lenenc_bytes(&mut self) -> Result<&'a [u8], Error> {
        let len = self.lenenc()?;
        let len = usize::try_from(len).map_err(|_| self.fail())?;
        self.take(len)
    }

    /// A string that ends at a NUL, which is skipped. The end of the packet ends it too.
    pub fn nul_bytes(&mut self) -> &'a [u8] {
        let rest = &self.packet[self.at..];
        match rest.iter().position(|byte| *byte == 0) {
            Some(len) => {
                self.at += len + 1;
                &rest[..len]
            }
            None => self.rest(),
        }
    }
}

/// Appends a length-encoded integer.
pub fn put_lenenc(out: &mut Vec<u8>, number: u64) {
    let bytes = number.to_le_bytes();
    match number {
        0..=0xFA => out.push(bytes[0]),
        0xFB..=0xFFFF => {
            out.push(0xFC);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(0xFD);
            out.extend_from_slice(&bytes[..3]);
        }
        _ => {
            out.push(0xFE);
            out.extend_from_slice(&bytes);
        }
    }
}

/// Appends a string preceded by its length.
pub fn put_lenenc_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_lenenc(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}
