//! The floor of a client's cost: one static query packet, one read, no parsing, no checks.
//!
//! Not a client: it exists so that `benches/run.py` can set every other figure against what the
//! socket itself costs. Usage: `floor SOCKET SECONDS`; prints `{"queries": …, "elapsed_s": …}`.
#![allow(clippy::print_stdout, missing_docs)]

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

// PROTOCOL_41 and SECURE_CONNECTION, no schema, no plugin name.
const CAPABILITIES: u32 = 0x0000_0200 | 0x0000_8000;
const PACKET_LIMIT: u32 = 1 << 24;
const UTF8: u8 = 33;
const QUERY: &[u8] = b"\x09\x00\x00\x00\x03SELECT 1";

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = || Error::new(ErrorKind::InvalidInput, "usage: floor SOCKET SECONDS");
    let socket = arguments.next().ok_or_else(usage)?;
    let seconds: f64 = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .ok_or_else(usage)?;
    let mut stream = UnixStream::connect(socket)?;
    log_in(&mut stream)?;
    let begun = Instant::now();
    let limit = Duration::from_secs_f64(seconds);
    let mut reply = [0u8; 4096];
    let mut queries = 0u64;
    while begun.elapsed() < limit {
        stream.write_all(QUERY)?;
        if stream.read(&mut reply)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        queries += 1;
    }
    let elapsed_s = begun.elapsed().as_secs_f64();
    println!("{{\"queries\": {queries}, \"elapsed_s\": {elapsed_s}}}");
    Ok(())
}

/// Logs in as root without a password; the greeting is read and not looked at.
fn log_in(stream: &mut UnixStream) -> Result<()> {
    let mut reply = [0u8; 4096];
    let _ = stream.read(&mut reply)?;
    let mut body = Vec::new();
    body.extend_from_slice(&CAPABILITIES.to_le_bytes());
    body.extend_from_slice(&PACKET_LIMIT.to_le_bytes());
    body.push(UTF8);
    body.extend_from_slice(&[0; 23]);
    body.extend_from_slice(b"root\0");
    body.push(0);
    let length = u32::try_from(body.len()).map_err(Error::other)?;
    let mut packet = length.to_le_bytes()[..3].to_vec();
    packet.push(1);
    packet.extend_from_slice(&body);
    stream.write_all(&packet)?;
    let n = stream.read(&mut reply)?;
    if n > 4 && reply[4] == 0 {
        Ok(())
    } else {
        Err(Error::other("the server refused root without a password"))
    }
}
