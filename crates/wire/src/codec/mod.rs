//! The protocol as pure functions and small structs over byte slices. No sockets, no clock.
//!
//! Sending: [`command`] appends framed commands to a buffer. Receiving: bytes go into a [`Framer`],
//! and its payloads into a [`Reply`] (or a [`PrepareReply`]), which shows rows and says when the
//! reply is complete. Logging in: [`handshake`] and [`Auth`]. Moving the bytes is up to the caller.

mod auth;
mod bound;
mod bytes;
mod column;
pub mod command;
mod described;
mod frame;
pub mod handshake;
pub mod packet;
mod parsec;
mod prepare;
mod printable;
mod random;
mod reply;
mod row;
mod rsa_key;

pub use auth::{Auth, Transport};
pub use bound::Bound;
pub use bytes::{put_lenenc, put_lenenc_bytes, Reader};
pub use column::{Column, ColumnType};
pub use frame::{begin, finish, put_packets, Framer, FULL, HEADER, PAYLOAD_MAX};
pub use prepare::{PrepareReply, Prepared};
pub use reply::{Reply, Step};
pub use row::{index_binary, index_text, value, Cell};

/// The server's status flags, as found in [`crate::Done::status`].
pub mod status {
    /// A transaction is open.
    pub const IN_TRANSACTION: u16 = 0x0001;
    /// Every statement commits by itself.
    pub const AUTOCOMMIT: u16 = 0x0002;
    /// Another result follows.
    pub const MORE_RESULTS: u16 = 0x0008;
    /// No good index was used.
    pub const NO_GOOD_INDEX_USED: u16 = 0x0010;
    /// No index was used.
    pub const NO_INDEX_USED: u16 = 0x0020;
}
