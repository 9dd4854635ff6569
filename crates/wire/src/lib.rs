//! The MySQL client protocol, for servers from MySQL 5.5 to 8 and MariaDB 10.1 to 11.
//!
//! Two layers. [`codec`] is pure: byte slices in, commands and reply steps out, no sockets, so it
//! can be fuzzed and driven by any kind of event loop. [`Connection`] drives it over a Unix socket
//! or TCP, blocking, with login plugins and TLS. After warm-up a command and its reply allocate
//! nothing: every buffer is reused, and rows are shown in place.
//!
//! This crate knows nothing of schedules, workloads or statistics, and imports none of our others.

pub mod codec;
mod connection;
mod error;
mod options;
mod rows;
mod value;

pub use codec::{Column, ColumnType};
pub use connection::{Connection, Statement, Wait};
pub use error::Error;
pub use options::{Address, Compression, Options, Tls};
pub use rows::{Discard, Done, Encoding, Row, Rows};
pub use value::{DateTime, Time, Value};
