//! The socket under a connection: Unix or TCP, in clear or under TLS, with time limits.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::net::{RecvFlags, SendFlags};
use rustls::{ClientConnection, StreamOwned};
use socket2::{Domain, SockAddr, Socket as RawSocket, Type};

use super::compressed::Compressed;
use crate::codec::Transport;
use crate::error::Error;
use crate::options::Address;

/// A connected socket.
#[derive(Debug)]
pub(super) enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Socket {
    /// Connects within `limit` (each address of a host by itself).
    pub(super) fn connect(address: &Address, limit: Duration) -> Result<Socket, Error> {
        let connected = match address {
            Address::Unix(path) => connect_unix(path, limit).map(Socket::Unix),
            Address::Tcp { host, port } => connect_tcp(host, *port, limit).map(Socket::Tcp),
        };
        connected.map_err(|source| Error::Connect {
            address: address.to_string(),
            source,
        })
    }

    pub(super) fn set_limit(&self, limit: Option<Duration>) -> io::Result<()> {
        self.set_read_limit(limit)?;
        match self {
            Socket::Unix(socket) => socket.set_write_timeout(limit),
            Socket::Tcp(socket) => socket.set_write_timeout(limit),
        }
    }

    fn set_read_limit(&self, limit: Option<Duration>) -> io::Result<()> {
        match self {
            Socket::Unix(socket) => socket.set_read_timeout(limit),
            Socket::Tcp(socket) => socket.set_read_timeout(limit),
        }
    }
}

/// A listener with a full queue makes a Unix connect wait; the limit for that is the send timeout,
/// which has to be set before connecting.
fn connect_unix(path: &Path, limit: Duration) -> io::Result<UnixStream> {
    let socket = RawSocket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_write_timeout(Some(limit))?;
    socket.connect(&SockAddr::unix(path)?)?;
    Ok(UnixStream::from(std::os::fd::OwnedFd::from(socket)))
}

fn connect_tcp(host: &str, port: u16, limit: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, limit) {
            Ok(socket) => {
                socket.set_nodelay(true)?;
                return Ok(socket);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Unix(socket) => socket.as_fd(),
            Socket::Tcp(socket) => socket.as_fd(),
        }
    }
}

/// Straight to the system: the C library's calls can be cancelled by other threads, which costs a
/// tenth of a microsecond each.
impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let (read, _) = rustix::net::recv(self, into, RecvFlags::empty())?;
        Ok(read)
    }
}

impl Write for Socket {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        Ok(rustix::net::send(self, from, SendFlags::NOSIGNAL)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A socket, in clear or under TLS.
#[derive(Debug)]
pub(super) enum Stream {
    Clear(Socket),
    Tls {
        stream: Box<StreamOwned<ClientConnection, Socket>>,
        /// Whether the server's certificate was checked.
        is_checked: bool,
    },
    Compressed(Box<Compressed>),
}

impl Stream {
    fn socket(&self) -> &Socket {
        match self {
            Stream::Clear(socket) => socket,
            Stream::Tls { stream, .. } => &stream.sock,
            Stream::Compressed(stream) => stream.inner().socket(),
        }
    }

    pub(super) fn transport(&self) -> Transport {
        let is_checked = matches!(self, Stream::Tls { is_checked, .. } if *is_checked);
        match self.socket() {
            Socket::Tcp(_) if !is_checked => Transport::Open,
            Socket::Tcp(_) | Socket::Unix(_) => Transport::Private,
        }
    }

    pub(super) fn shut_down(&self) -> io::Result<()> {
        match self.socket() {
            Socket::Unix(socket) => socket.shutdown(Shutdown::Both),
            Socket::Tcp(socket) => socket.shutdown(Shutdown::Both),
        }
    }

    pub(super) fn is_clear(&self) -> bool {
        matches!(self, Stream::Clear(_))
    }

    pub(super) fn socket_fd(&self) -> BorrowedFd<'_> {
        self.socket().as_fd()
    }

    pub(super) fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match self.socket() {
            Socket::Unix(socket) => socket.set_nonblocking(nonblocking),
            Socket::Tcp(socket) => socket.set_nonblocking(nonblocking),
        }
    }

    pub(super) fn set_limit(&self, limit: Option<Duration>) -> io::Result<()> {
        self.socket().set_limit(limit)
    }

    pub(super) fn set_read_limit(&self, limit: Option<Duration>) -> io::Result<()> {
        self.socket().set_read_limit(limit)
    }

    pub(super) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Clear(socket) => socket.read(into),
            Stream::Tls { stream, .. } => stream.read(into),
            Stream::Compressed(stream) => stream.read(into),
        }
    }

    pub(super) fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Clear(socket) => socket.write(from),
            Stream::Tls { stream, .. } => stream.write(from),
            Stream::Compressed(stream) => stream.write(from),
        }
    }

    /// Under TLS a write may leave the end of a record in rustls' buffer, and under compression the
    /// end of a packet in that layer's.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Clear(_) => Ok(()),
            Stream::Tls { stream, .. } => stream.flush(),
            Stream::Compressed(stream) => stream.flush(),
        }
    }
}

/// True for an operation that would have blocked.
pub(super) fn would_block(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}
