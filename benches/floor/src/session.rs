//! One logged-in connection with its static request. Reads packets only before the window opens.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use crate::options::{Options, Statement, Strategy};

// CLIENT_LONG_PASSWORD, CONNECT_WITH_DB, PROTOCOL_41 and SECURE_CONNECTION; no plugin name.
const CAPABILITIES: u32 = 0x0001 | 0x0200 | 0x8000;
const CONNECT_WITH_DB: u32 = 0x0008;
const PACKET_LIMIT: u32 = 1 << 24;
const UTF8: u8 = 33;
const POINT: &[u8] = b"\x16SELECT c FROM sbtest1 WHERE id=?";
const TEXT: &[u8] = b"\x03SELECT 1";
const EXECUTE: u8 = 0x17;
const LONGLONG: [u8; 2] = [8, 0];

/// A connection and its traffic; `Work` counts the bytes of the current reply.
pub struct Session {
    /// The socket: plain read and write are enough.
    pub stream: File,
    /// The packet sent for every op.
    pub request: Vec<u8>,
    /// Whether the request ends in an id, eight bytes.
    pub has_id: bool,
    /// Length of every reply.
    pub reply_bytes: usize,
    /// Bytes of the reply received so far.
    pub received: usize,
    /// When the op in flight began.
    pub begun_ns: u64,
}

impl Session {
    /// Connects, logs in, prepares, and checks on two replies that their length is always the same.
    pub fn open(options: &Options) -> Result<Session> {
        let (mut stream, socket) = connect(options).map_err(|error| {
            let hint = "hint: start the server, and name its --socket, or --host and --port";
            Error::new(error.kind(), format!("can't connect: {error}; {hint}"))
        })?;
        log_in(&mut stream, options)?;
        let (first, request) = match options.statement {
            Statement::Text => (packet(0, TEXT)?, packet(0, TEXT)?),
            Statement::Point => prepare(&mut stream)?,
        };
        // The first execution sends the parameter's type; the others need not.
        stream.write_all(&first)?;
        let reply_bytes = read_rows(&mut stream)?;
        stream.write_all(&request)?;
        let again = read_rows(&mut stream)?;
        if again != reply_bytes {
            return Err(Error::other(format!(
                "two replies of {reply_bytes} and {again} bytes; hint: all rows of sbtest1 need \
                 the same length"
            )));
        }
        if options.strategy == Strategy::Epoll {
            socket.set_nonblocking()?;
        }
        Ok(Session {
            stream,
            request,
            has_id: options.statement == Statement::Point,
            reply_bytes,
            received: 0,
            begun_ns: 0,
        })
    }

    /// Puts an id into the request.
    pub fn set_id(&mut self, id: u64) {
        let at = self.request.len() - 8;
        self.request[at..].copy_from_slice(&id.to_le_bytes());
    }
}

/// The socket with its own type, which is needed to make it non-blocking.
enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Socket {
    fn set_nonblocking(&self) -> Result<()> {
        match self {
            Socket::Unix(stream) => stream.set_nonblocking(true),
            Socket::Tcp(stream) => stream.set_nonblocking(true),
        }
    }
}

fn connect(options: &Options) -> Result<(File, Socket)> {
    if let Some(path) = &options.socket {
        let stream = UnixStream::connect(path)?;
        let file = File::from(OwnedFd::from(stream.try_clone()?));
        return Ok((file, Socket::Unix(stream)));
    }
    let stream = TcpStream::connect((options.host.as_str(), options.port))?;
    stream.set_nodelay(true)?;
    let file = File::from(OwnedFd::from(stream.try_clone()?));
    Ok((file, Socket::Tcp(stream)))
}

/// Logs in without a password; the greeting is read but ignored.
fn log_in(stream: &mut File, options: &Options) -> Result<()> {
    read_packet(stream)?;
    let mut capabilities = CAPABILITIES;
    if options.database.is_some() {
        capabilities |= CONNECT_WITH_DB;
    }
    let mut body = capabilities.to_le_bytes().to_vec();
    body.extend_from_slice(&PACKET_LIMIT.to_le_bytes());
    body.push(UTF8);
    body.extend_from_slice(&[0; 23]);
    body.extend_from_slice(options.user.as_bytes());
    body.extend_from_slice(&[0, 0]);
    if let Some(name) = &options.database {
        body.extend_from_slice(name.as_bytes());
        body.push(0);
    }
    stream.write_all(&packet(1, &body)?)?;
    match read_packet(stream)?.first() {
        Some(0) => Ok(()),
        _ => Err(Error::other(format!(
            "the server wants more than the name {:?}; hint: give a --user without a password",
            options.user
        ))),
    }
}

/// Prepares the point select; returns the first request and the one for all later ops.
fn prepare(stream: &mut File) -> Result<(Vec<u8>, Vec<u8>)> {
    stream.write_all(&packet(0, POINT)?)?;
    let reply = read_packet(stream)?;
    // Definitions of the only parameter and the only column, each with its end marker.
    for _ in 0..4 {
        read_packet(stream)?;
    }
    let id = reply.get(1..5).ok_or(ErrorKind::InvalidData)?;
    let mut body = vec![EXECUTE];
    body.extend_from_slice(id);
    // No cursor; one iteration; nothing is NULL; types follow, or not.
    body.extend_from_slice(&[0, 1, 0, 0, 0, 0]);
    let mut first = body.clone();
    first.push(1);
    first.extend_from_slice(&LONGLONG);
    body.push(0);
    for body in [&mut first, &mut body] {
        body.extend_from_slice(&1u64.to_le_bytes());
    }
    Ok((packet(0, &first)?, packet(0, &body)?))
}

/// Reads a whole result set; returns its length in bytes on the wire.
fn read_rows(stream: &mut File) -> Result<usize> {
    let (mut total, mut ends) = (0, 0);
    while ends < 2 {
        let body = read_packet(stream)?;
        total += body.len() + 4;
        if body.first() == Some(&0xfe) && body.len() < 9 {
            ends += 1;
        }
    }
    Ok(total)
}

/// Reads one packet's body; an error packet is an error.
fn read_packet(stream: &mut File) -> Result<Vec<u8>> {
    let mut head = [0u8; 4];
    stream.read_exact(&mut head)?;
    let length = u32::from_le_bytes([head[0], head[1], head[2], 0]);
    let mut body = vec![0; length as usize];
    stream.read_exact(&mut body)?;
    if body.first() == Some(&0xff) {
        let text = String::from_utf8_lossy(body.get(3..).unwrap_or_default());
        return Err(Error::other(format!("the server says: {text}")));
    }
    Ok(body)
}

fn packet(sequence: u8, body: &[u8]) -> Result<Vec<u8>> {
    let length = u32::try_from(body.len()).map_err(Error::other)?;
    let mut bytes = length.to_le_bytes()[..3].to_vec();
    bytes.push(sequence);
    bytes.extend_from_slice(body);
    Ok(bytes)
}
