//! The one error type of this crate. It says what failed, what was seen, and what to do next.
//!
//! It doesn't decide whether an op is retried: that is up to the caller.

use std::io;
use std::time::Duration;

/// Everything that can go wrong between a command and the end of its reply.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No connection could be made to the address at all.
    #[error("can't connect to {address}: {source}")]
    Connect {
        /// The socket path or `host:port`.
        address: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// The operating system refused a read or a write on an open connection.
    #[error("I/O error while {during}: {source}")]
    Io {
        /// What the connection was doing.
        during: &'static str,
        /// The operating system's error.
        source: io::Error,
    },
    /// The time limit passed before the reply was complete.
    #[error("no complete reply within {after:?} while {during}")]
    Timeout {
        /// What the connection was doing.
        during: &'static str,
        /// The limit that passed.
        after: Duration,
    },
    /// The server closed the connection, or it had been closed by an earlier error.
    #[error("the connection to the server was lost while {during}")]
    Lost {
        /// What the connection was doing.
        during: &'static str,
    },
    /// The server answered with an error packet. The connection stays usable, unless the server
    /// closes it along with the error (shutdown, KILL): then the next command is [`Error::Lost`].
    #[error("server error {code} ({sqlstate}): {message}")]
    Server {
        /// The server's error number, such as 1064.
        code: u16,
        /// Five characters; `HY000` if the server sent none.
        sqlstate: String,
        /// The server's text.
        message: String,
    },
    /// The bytes received are not what the protocol allows here.
    #[error("malformed reply: {what} (bytes seen: {seen})")]
    Protocol {
        /// What was wrong.
        what: &'static str,
        /// The first bytes of the offending packet, in hexadecimal, with its length.
        seen: String,
    },
    /// The login can't be done the way the server asks.
    #[error("login with {plugin} is not possible: {reason}")]
    Auth {
        /// The authentication plugin that the server named.
        plugin: String,
        /// Why it can't be done.
        reason: &'static str,
        /// What to do about it.
        hint: &'static str,
    },
    /// TLS was asked for but isn't available, or the certificate wasn't accepted.
    #[error("TLS: {reason}")]
    Tls {
        /// What failed.
        reason: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// Compression was asked for, and the server doesn't offer it.
    #[error("the server doesn't offer compression by {by}")]
    Compression {
        /// The algorithm.
        by: &'static str,
    },
    /// The server asked for the content of a file in the middle of a query that isn't LOAD DATA.
    #[error("the server asks for a file of this host, and gets none")]
    Infile,
    /// The caller's source of LOAD DATA LOCAL rows failed; the connection was closed so that the
    /// server rolls the statement back if the engine can.
    #[error("the source of LOAD DATA rows failed: {0}")]
    Source(#[source] io::Error),
    /// The caller asked for something that can't be sent; nothing was sent.
    #[error("wrong use of the connection: {what}")]
    Usage {
        /// What was wrong.
        what: String,
    },
}

impl Error {
    /// What to do next, as one sentence.
    pub fn hint(&self) -> &'static str {
        match self {
            Error::Connect { source, .. } => connect_hint(source),
            Error::Io { .. } => "look at the server's error log and at the network between",
            Error::Timeout { .. } => {
                "raise the time limit, or look at what the server waits for (SHOW PROCESSLIST)"
            }
            Error::Lost { .. } => {
                "look at the server's error log: it crashed, was killed, or hit wait_timeout"
            }
            Error::Server { code, .. } => server_hint(*code),
            Error::Protocol { .. } => {
                "check that a MySQL or MariaDB server listens there, not a proxy of another kind"
            }
            Error::Auth { hint, .. } | Error::Tls { hint, .. } => hint,
            Error::Compression { .. } => {
                "all servers have zlib, unless protocol_compression_algorithms says otherwise; \
                 MySQL from 8.0.18 on has zstd"
            }
            Error::Infile => {
                "leave LOAD DATA LOCAL out; don't trust a server that asks for files by itself"
            }
            Error::Source(_) => "fix the source of the rows and run the load again",
            Error::Usage { .. } => "fix the call; the connection is still usable",
        }
    }

    /// The server's error number, if the server sent one.
    pub fn code(&self) -> Option<u16> {
        match self {
            Error::Server { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// True when the connection can't be used any more and has to be restored.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, Error::Server { .. } | Error::Usage { .. })
    }

    /// A protocol error that quotes the start of the packet it was found in.
    pub(crate) fn protocol(what: &'static str, packet: &[u8]) -> Error {
        Error::Protocol {
            what,
            seen: quote(packet),
        }
    }
}

/// The first 16 bytes in hexadecimal and the length: enough to recognise a packet in a report.
fn quote(packet: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for byte in packet.iter().take(16) {
        // Writing into a String can't fail.
        let _ = write!(text, "{byte:02x} ");
    }
    let more = if packet.len() > 16 { "... " } else { "" };
    let _ = write!(text, "{more}[{} bytes]", packet.len());
    text
}

fn connect_hint(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound => "no such socket or host: check the address",
        io::ErrorKind::ConnectionRefused => "nothing listens there: start the server",
        io::ErrorKind::PermissionDenied => "the socket's folder is not readable for this user",
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            "the host doesn't answer: check the address and the firewall"
        }
        _ => "check the address, and that the server is running",
    }
}

fn server_hint(code: u16) -> &'static str {
    match code {
        1040 => "raise max_connections on the server, or use fewer connections",
        1044 | 1142 | 1227 => "grant the user the missing privilege",
        1045 | 1698 => "check user, password, and the host part of the account",
        1049 => "create the schema first, or correct its name",
        1064 => "correct the statement's syntax for this server version",
        1146 => "create the table first (phase load), or correct its name",
        1148 | 3948 | 4166 => "set local_infile=ON on the server, or load by INSERT",
        1153 => "raise max_allowed_packet on the server",
        1205 | 1213 => "expected under contention: run the transaction again",
        1461 => "raise max_prepared_stmt_count on the server, or use plain statements",
        1290 => "the server runs with an option that forbids this (read_only, secure_file_priv)",
        _ => "look the number up in the server's manual",
    }
}
