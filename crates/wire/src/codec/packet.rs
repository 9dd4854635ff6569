//! The three packets that end a reply: OK, ERR, EOF.

use super::bytes::Reader;
use super::printable::printable;
use crate::error::Error;

/// First byte of an OK packet.
pub const OK: u8 = 0x00;
/// First byte of an EOF packet, and of an OK packet that replaces one.
pub const EOF: u8 = 0xFE;
/// First byte of an error packet.
pub const ERR: u8 = 0xFF;

/// The successful end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OkPacket<'a> {
    /// Rows changed.
    pub affected_rows: u64,
    /// The AUTO_INCREMENT value that was generated, or 0.
    pub last_insert_id: u64,
    /// See [`super::status`].
    pub status: u16,
    /// Number of warnings.
    pub warnings: u16,
    /// Human-readable text, often empty.
    pub info: &'a [u8],
}

/// Reads an OK packet, whatever its first byte.
pub fn ok(packet: &[u8]) -> Result<OkPacket<'_>, Error> {
    let mut reader = Reader::new(packet, "OK packet cut short");
    reader.u8()?;
    let affected_rows = reader.lenenc()?;
    let last_insert_id = reader.lenenc()?;
    let status = reader.u16()?;
    let warnings = reader.u16()?;
    let info = text(reader.rest());
    Ok(OkPacket {
        affected_rows,
        last_insert_id,
        status,
        warnings,
        info,
    })
}

/// Servers send the text preceded by its length; the manual says without. Both are accepted.
fn text(rest: &[u8]) -> &[u8] {
    // Usually there is none; on this path, finding out must not create an error, which allocates.
    if rest.is_empty() {
        return rest;
    }
    let mut reader = Reader::new(rest, "text of an OK packet");
    match reader.lenenc_bytes() {
        Ok(text) if reader.is_done() => text,
        _ => rest,
    }
}

/// Reads an EOF packet: warnings and status.
pub fn eof(packet: &[u8]) -> Result<(u16, u16), Error> {
    let mut reader = Reader::new(packet, "EOF packet cut short");
    reader.u8()?;
    Ok((reader.u16()?, reader.u16()?))
}

/// True for an EOF packet (but not for an OK that replaces one).
pub fn is_eof(packet: &[u8]) -> bool {
    packet.first() == Some(&EOF) && packet.len() < 9
}

/// Reads an error packet into the error to return: the server's, or one about a malformed packet.
pub fn err(packet: &[u8]) -> Error {
    let mut reader = Reader::new(packet, "error packet cut short");
    let code = match reader.u8().and_then(|_| reader.u16()) {
        Ok(code) => code,
        Err(error) => return error,
    };
    let mut text = reader.rest();
    let mut sqlstate = "HY000".to_owned();
    // Before the login is complete, errors come without a state.
    if let [b'#', state @ ..] = text {
        if let Some((state, message)) = state.split_at_checked(5) {
            sqlstate = printable(state);
            text = message;
        }
    }
    Error::Server {
        code,
        sqlstate,
        message: printable(text),
    }
}
