//! Logging in: the server's greeting, the client's answer, and the dialogue of the plugins.

use super::bytes::{put_lenenc_bytes, Reader};
use super::frame::{begin, finish};
use super::packet::{self, EOF, ERR, OK};
use super::parsec;
use super::printable::printable;
use crate::error::Error;

/// Capability bits: what a side supports, and after the answer what both do.
pub mod capability {
    /// Set in MySQL's greeting; not in MariaDB's, which identifies itself that way.
    pub const LONG_PASSWORD: u32 = 1;
    /// Longer flags in column definitions.
    pub const LONG_FLAG: u32 = 1 << 2;
    /// The answer contains a default schema.
    pub const CONNECT_WITH_DB: u32 = 1 << 3;
    /// All after the login is compressed by zlib.
    pub const COMPRESS: u32 = 1 << 5;
    /// LOAD DATA LOCAL is served.
    pub const LOCAL_FILES: u32 = 1 << 7;
    /// The protocol since MySQL 4.1. Always required.
    pub const PROTOCOL_41: u32 = 1 << 9;
    /// TLS follows.
    pub const TLS: u32 = 1 << 11;
    /// Status flags are sent.
    pub const TRANSACTIONS: u32 = 1 << 13;
    /// Logins since MySQL 4.1. Always required.
    pub const SECURE_CONNECTION: u32 = 1 << 15;
    /// Several statements in one query.
    pub const MULTI_STATEMENTS: u32 = 1 << 16;
    /// Several results for one query.
    pub const MULTI_RESULTS: u32 = 1 << 17;
    /// The same for prepared statements.
    pub const PS_MULTI_RESULTS: u32 = 1 << 18;
    /// Plugins are named.
    pub const PLUGIN_AUTH: u32 = 1 << 19;
    /// The plugin's data in the answer is length-encoded.
    pub const PLUGIN_AUTH_LENENC: u32 = 1 << 21;
    /// Result sets end with an OK packet, and columns with nothing, instead of EOF packets.
    pub const DEPRECATE_EOF: u32 = 1 << 24;
    /// All after the login is compressed by zstd, at the level in the answer.
    pub const ZSTD: u32 = 1 << 26;
}

/// Capability bits of MariaDB's own, in the four bytes that MySQL leaves zero.
pub mod extension {
    /// A prepared statement's columns are described again only if they changed.
    pub const CACHE_METADATA: u32 = 1 << 4;
}

/// utf8mb4_general_ci, known to every server since MySQL 5.5.
const COLLATION: u8 = 45;
/// What follows from [`capability::ZSTD`]: the default of servers and clients.
pub const ZSTD_LEVEL: u8 = 3;
/// The largest packet that this client says it accepts.
const PACKET_MAX: u32 = 1 << 30;

/// What a server sends first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// Version without MariaDB's prefix for old replicas (`5.5.5-`).
    pub version: String,
    /// Number of the connection.
    pub connection_id: u32,
    /// See [`capability`].
    pub capabilities: u32,
    /// See [`extension`]; 0 for a server that isn't MariaDB.
    pub extensions: u32,
    /// Challenge for that plugin.
    pub challenge: Vec<u8>,
    /// Plugin that the server proposes.
    pub plugin: String,
}

impl Greeting {
    /// Reads the greeting, or the error that a server may send in its place (too many
    /// connections, host not allowed).
    pub fn read(packet: &[u8]) -> Result<Greeting, Error> {
        let mut reader = Reader::new(packet, "greeting cut short");
        match reader.u8()? {
            10 => {}
            ERR => return Err(packet::err(packet)),
            _ => {
                return Err(Error::protocol(
                    "greeting of an unknown protocol version",
                    packet,
                ))
            }
        }
        let version = printable(reader.nul_bytes());
        let connection_id = reader.u32()?;
        let mut challenge = reader.take(8)?.to_vec();
        reader.u8()?;
        let low = u32::from(reader.u16()?);
        let _collation = reader.u8()?;
        let _status = reader.u16()?;
        let capabilities = low | u32::from(reader.u16()?) << 16;
        let challenge_len = usize::from(reader.u8()?);
        let _reserved = reader.take(6)?;
        let extensions = match (reader.u32()?, capabilities & capability::LONG_PASSWORD) {
            (extensions, 0) => extensions,
            _ => 0,
        };
        // The second part is at least 13 bytes; the last of them is a NUL.
        challenge.extend_from_slice(reader.take(challenge_len.max(21) - 8)?);
        if challenge.last() == Some(&0) {
            challenge.pop();
        }
        let plugin = match capabilities & capability::PLUGIN_AUTH {
            0 => "mysql_native_password".to_owned(),
            _ => printable(reader.nul_bytes()),
        };
        let needed = capability::PROTOCOL_41 | capability::SECURE_CONNECTION;
        if capabilities & needed != needed {
            return Err(Error::protocol("server is older than MySQL 4.1", packet));
        }
        let version = version
            .strip_prefix("5.5.5-")
            .unwrap_or(&version)
            .to_owned();
        Ok(Greeting {
            version,
            connection_id,
            capabilities,
            extensions,
            challenge,
            plugin,
        })
    }

    /// True for MariaDB, whatever its version string was set to.
    pub fn is_mariadb(&self) -> bool {
        self.version.contains("MariaDB") || self.capabilities & capability::LONG_PASSWORD == 0
    }
}

/// The client's answer to a greeting.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// What both sides support; see [`capability`].
    pub capabilities: u32,
    /// The same for [`extension`]; used only without [`capability::LONG_PASSWORD`].
    pub extensions: u32,
    /// Account name, without NUL.
    pub user: &'a str,
    /// The plugin's first data.
    pub auth: &'a [u8],
    /// Default schema, without NUL; sent when the capability says so.
    pub database: &'a str,
    /// Plugin that made `auth`.
    pub plugin: &'a str,
}

/// Appends the request for TLS that precedes the answer.
pub fn put_tls_request(out: &mut Vec<u8>, capabilities: u32, extensions: u32, sequence: u8) {
    let start = begin(out);
    put_start(out, capabilities, extensions);
    finish(out, start, sequence);
}

/// Appends the answer.
pub fn put_answer(out: &mut Vec<u8>, answer: &Answer<'_>, sequence: u8) {
    let start = begin(out);
    put_start(out, answer.capabilities, answer.extensions);
    put_nul(out, answer.user);
    if answer.capabilities & capability::PLUGIN_AUTH_LENENC != 0 {
        put_lenenc_bytes(out, answer.auth);
    } else {
        // Never starts with a plugin that needs more than 255 bytes; see `Auth`.
        let auth = &answer.auth[..answer.auth.len().min(255)];
        out.push(auth.len() as u8);
        out.extend_from_slice(auth);
    }
    if answer.capabilities & capability::CONNECT_WITH_DB != 0 {
        put_nul(out, answer.database);
    }
    if answer.capabilities & capability::PLUGIN_AUTH != 0 {
        put_nul(out, answer.plugin);
    }
    if answer.capabilities & capability::ZSTD != 0 {
        out.push(ZSTD_LEVEL);
    }
    finish(out, start, sequence);
}

/// Appends a plugin's data as a packet.
pub fn put_data(out: &mut Vec<u8>, data: &[u8], sequence: u8) {
    let start = begin(out);
    out.extend_from_slice(data);
    finish(out, start, sequence);
}

fn put_start(out: &mut Vec<u8>, capabilities: u32, extensions: u32) {
    out.extend_from_slice(&capabilities.to_le_bytes());
    out.extend_from_slice(&PACKET_MAX.to_le_bytes());
    out.push(COLLATION);
    out.extend_from_slice(&[0; 19]);
    out.extend_from_slice(&extensions.to_le_bytes());
}

fn put_nul(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

/// What a server sends during login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn<'a> {
    /// Logged in.
    Welcome,
    /// Use this plugin instead.
    Switch {
        /// Its name.
        plugin: &'a str,
        /// Its challenge; servers put a NUL after one of 20 bytes.
        challenge: &'a [u8],
    },
    /// More data for the plugin.
    Data(&'a [u8]),
}

impl<'a> Turn<'a> {
    /// Reads it; a refusal is [`Error::Server`].
    pub fn read(packet: &'a [u8]) -> Result<Turn<'a>, Error> {
        match packet {
            [OK, ..] => packet::ok(packet).map(|_| Turn::Welcome),
            [ERR, ..] => Err(packet::err(packet)),
            [0x01, data @ ..] => Ok(Turn::Data(data)),
            // MariaDB sends data of a plugin as they are, if they begin with no other mark.
            [parsec::ALGORITHM, ..] => Ok(Turn::Data(packet)),
            // By itself it asks for a login as before MySQL 4.1.
            [EOF] => Ok(Turn::Switch {
                plugin: "mysql_old_password",
                challenge: &[],
            }),
            [EOF, rest @ ..] => {
                let mut reader = Reader::new(rest, "wish for another plugin cut short");
                let plugin = std::str::from_utf8(reader.nul_bytes()).map_err(|_| reader.fail())?;
                let challenge = reader.rest();
                Ok(Turn::Switch { plugin, challenge })
            }
            _ => Err(Error::protocol("unknown packet while logging in", packet)),
        }
    }
}
