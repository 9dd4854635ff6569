//! What a server or a connection refused, as an error number; the client's own numbers are those of
//! the MySQL client library.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;

use crate::event::SqlError;

/// ER_QUERY_TIMEOUT: killed because it took too long.
pub const KILLED: u16 = 3024;
/// CR_SERVER_LOST.
pub const LOST: u16 = 2013;
/// CR_MALFORMED_PACKET.
pub const MALFORMED: u16 = 2027;
/// CR_UNKNOWN_ERROR.
pub const UNKNOWN: u16 = 2000;

/// The number of an error.
pub fn code_of(error: &wire::Error) -> u16 {
    match error {
        wire::Error::Server { code, .. } => *code,
        wire::Error::Timeout { .. } => KILLED,
        wire::Error::Lost { .. } | wire::Error::Io { .. } => LOST,
        wire::Error::Protocol { .. } => MALFORMED,
        // The error type of `wire` may grow; the remaining variants can't occur in a query.
        _ => UNKNOWN,
    }
}

/// The error in the form of events.
pub fn sql_error(error: wire::Error) -> SqlError {
    match error {
        wire::Error::Server {
            code,
            sqlstate,
            message,
        } => SqlError {
            code,
            sqlstate,
            message,
        },
        other => client_error(code_of(&other), &other.to_string()),
    }
}

/// An error of the client's own.
pub fn client_error(code: u16, message: &str) -> SqlError {
    SqlError {
        code,
        sqlstate: "HY000".to_owned(),
        message: message.to_owned(),
    }
}

/// Which refusals have been reported: the first of each error number, on any connection.
#[derive(Debug, Default)]
pub struct Reported {
    codes: Mutex<BTreeSet<u16>>,
    end: AtomicBool,
}

impl Reported {
    /// True once for each error number.
    pub fn is_first(&self, code: u16) -> bool {
        // A panic while this was locked can't have left the set half changed.
        let mut codes = match self.codes.lock() {
            Ok(codes) => codes,
            Err(poisoned) => poisoned.into_inner(),
        };
        codes.insert(code)
    }

    /// True once: for the first connection that can't go on. That ends the run, and the others,
    /// which usually fail the same way, have nothing to add.
    pub fn is_first_end(&self) -> bool {
        !self.end.swap(true, Ordering::SeqCst)
    }
}
