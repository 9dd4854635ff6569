//! Connects as the options say, and retries if a connection fails because of a crowd of clients.

use std::thread;
use std::time::Duration;

use wire::{Connection, Discard, Options};

use crate::failure::Failure;
use crate::options::Login;

/// As in mysqlslap: the number of attempts, and the pause between two.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(100);
/// For connecting and for logging in, each, among a thousand others.
const LIMIT: Duration = Duration::from_secs(20);
/// ER_CON_COUNT_ERROR: the server accepts no more connections.
const TOO_MANY: u16 = 1040;

/// How to connect, according to the options. May prompt for a password.
pub fn options(login: &Login) -> Result<Options, Failure> {
    let mut options = Options::new(login.address());
    options.user = login.account();
    options.password = login.secret()?;
    options.connect_timeout = LIMIT;
    options.multi_statements = true;
    options.local_infile = false;
    let ca_file = login.ca_file.clone();
    options.compression = login.compression;
    options.get_server_public_key = login.get_server_public_key;
    options.tls = login.encryption.tls(ca_file.unwrap_or_default());
    Ok(options)
}

/// The first connection.
pub fn first(options: &Options) -> Result<Connection, Failure> {
    Connection::connect(options).map_err(|error| {
        let message = format!("Error when connecting to server: {}", text(&error));
        Failure::refused(message, error.hint())
    })
}

/// A client's connection, with its first statements done.
pub fn client(
    options: &Options,
    init: Option<&[u8]>,
    autocommit: bool,
) -> Result<(Connection, u32), wire::Error> {
    let (mut connection, retries) = patient(options)?;
    if let Some(init) = init {
        connection.query(init, &mut Discard)?;
    }
    if !autocommit {
        connection.query(b"SET AUTOCOMMIT=0", &mut Discard)?;
    }
    Ok((connection, retries))
}

/// Retries if waiting can help; returns how often it did.
fn patient(options: &Options) -> Result<(Connection, u32), wire::Error> {
    let mut retries = 0;
    loop {
        match Connection::connect(options) {
            Ok(connection) => return Ok((connection, retries)),
            Err(error) if retries + 1 < ATTEMPTS && is_crowd(&error) => {
                retries += 1;
                thread::sleep(PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
}

/// True for errors caused by many simultaneous connections.
fn is_crowd(error: &wire::Error) -> bool {
    match error {
        wire::Error::Server { code, .. } => *code == TOO_MANY,
        error => matches!(
            error,
            wire::Error::Connect { .. } | wire::Error::Lost { .. } | wire::Error::Timeout { .. }
        ),
    }
}

/// What went wrong, in the server's words if they are its own.
pub fn text(error: &wire::Error) -> String {
    match error {
        wire::Error::Server { message, .. } => message.clone(),
        other => other.to_string(),
    }
}

/// The same with the server's number.
pub fn text_with_code(error: &wire::Error) -> String {
    match error.code() {
        Some(code) => format!("{code} {}", text(error)),
        None => text(error),
    }
}
