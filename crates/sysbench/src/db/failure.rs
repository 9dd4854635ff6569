//! Errors of a connection, with the numbers that MySQL's client library uses.

use std::fmt;

use wire::{Address, Error};

/// The last failure on a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failure {
    pub code: u16,
    pub state: String,
    pub message: String,
}

/// Codes that mean that the connection is gone.
const LOST: [u16; 4] = [2006, 2011, 2013, 2055];

impl Failure {
    /// A failure raised by the client itself.
    pub fn client(code: u16, message: &str) -> Failure {
        Failure {
            code,
            state: "HY000".to_owned(),
            message: message.to_owned(),
        }
    }

    /// A statement was sent on a connection that was known to be gone.
    pub fn gone() -> Failure {
        Failure::client(2006, "MySQL server has gone away")
    }

    /// True if only a new connection helps.
    pub fn is_lost(&self) -> bool {
        LOST.contains(&self.code)
    }

    /// The message that says which statement failed, in which call of MySQL's client library.
    pub fn of_call(&self, call: &str, sql: &str) -> String {
        let Failure { code, message, .. } = self;
        format!("{call}() returned error {code} ({message}) for query '{sql}'")
    }

    /// The failure of a login at `address`.
    pub fn login(error: &Error, address: &Address) -> Failure {
        let Error::Connect { source, .. } = error else {
            return Failure::from(error);
        };
        match (address, source.raw_os_error()) {
            (Address::Unix(path), reason) => {
                let reason = reason.unwrap_or_default();
                let path = path.display();
                let message = format!("Can't connect to local server through socket '{path}'");
                Failure::client(2002, &format!("{message} ({reason})"))
            }
            // If the operating system has no number for it, the name couldn't be resolved.
            (Address::Tcp { host, .. }, None) => {
                Failure::client(2005, &format!("Unknown server host '{host}' (-2)"))
            }
            (Address::Tcp { host, .. }, Some(reason)) => {
                let message = format!("Can't connect to server on '{host}' ({reason})");
                Failure::client(2003, &message)
            }
        }
    }
}

/// As seen by scripts that don't catch it.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure {
            code,
            state,
            message,
        } = self;
        write!(f, "SQL error, errno = {code}, state = '{state}': {message}")
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Failure {
        match error {
            Error::Server {
                code,
                sqlstate,
                message,
            } => Failure {
                code: *code,
                state: sqlstate.clone(),
                message: message.clone(),
            },
            Error::Lost { .. } | Error::Io { .. } | Error::Timeout { .. } => {
                Failure::client(2013, "Lost connection to MySQL server during query")
            }
            Error::Protocol { .. } => Failure::client(2027, &error.to_string()),
            Error::Tls { .. } => Failure::client(2026, &error.to_string()),
            Error::Auth { .. } => Failure::client(2059, &error.to_string()),
            _ => Failure::client(2000, &error.to_string()),
        }
    }
}
