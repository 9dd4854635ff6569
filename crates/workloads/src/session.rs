//! Opens the connections of a run, each with its `session` statements, and restores lost ones.

use std::env;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use load::Stop;
use wire::{Address, Connection, Options};

use crate::error::Error;
use crate::plan::{Compression, Secret, Target, Tls};

/// How long to try to restore a lost connection.
const RECONNECT_FOR: Duration = Duration::from_secs(5);
/// The first pause between two attempts; each one after it is twice as long.
const PAUSE_FIRST: Duration = Duration::from_millis(50);
/// The longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_millis(800);

/// Opens connections to the target of a plan, and counts the bytes of closed ones.
#[derive(Debug)]
pub struct Connector {
    options: Options,
    session: Vec<String>,
    sent: AtomicU64,
    received: AtomicU64,
}

impl Connector {
    /// For this target and these `session` statements; `several` allows statements to be sent
    /// together. Reads the password from the environment, unless the target has it.
    pub fn new(target: &Target, session: &[String], several: bool) -> Result<Connector, Error> {
        let mut options = Options::new(address(target));
        options.multi_statements = several;
        options.user = target.user.clone();
        options.database = target.database.clone();
        options.password = match (&target.password, &target.password_env) {
            (Some(Secret(password)), _) => Some(password.clone()),
            (None, Some(name)) => {
                Some(env::var(name).map_err(|_| Error::Password { name: name.clone() })?)
            }
            (None, None) => None,
        };
        let ca_file = || target.ca_file.clone().unwrap_or_default();
        options.tls = match target.tls {
            Tls::Off => wire::Tls::Off,
            Tls::Required => wire::Tls::Required,
            Tls::VerifyCa => wire::Tls::VerifyCa { ca_file: ca_file() },
            Tls::Verify => wire::Tls::VerifyIdentity { ca_file: ca_file() },
        };
        options.get_server_public_key = target.get_server_public_key;
        options.compression = match target.compression {
            Compression::Off => wire::Compression::Off,
            Compression::Zlib => wire::Compression::Zlib,
            Compression::Zstd => wire::Compression::Zstd,
        };
        let connector = Connector::with_options(options);
        Ok(Connector {
            session: session.to_vec(),
            ..connector
        })
    }

    /// For connections with these options and no `session` statements.
    pub fn with_options(options: Options) -> Connector {
        Connector {
            options,
            session: Vec::new(),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
        }
    }

    /// How connections are made.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// A connection that is ready for ops. `limit` is how long one command may take at most.
    pub fn connect(&self, limit: Option<Duration>) -> Result<Connection, Error> {
        self.connect_within(limit, self.options.connect_timeout)
    }

    fn connect_within(
        &self,
        limit: Option<Duration>,
        within: Duration,
    ) -> Result<Connection, Error> {
        let mut connection = self.bare(limit, within)?;
        self.begin_session(&mut connection)?;
        Ok(connection)
    }

    /// A connection without its `session` statements.
    pub fn login(&self, limit: Option<Duration>) -> Result<Connection, Error> {
        self.bare(limit, self.options.connect_timeout)
    }

    /// Runs the `session` statements.
    pub fn begin_session(&self, connection: &mut Connection) -> Result<(), Error> {
        run_session(&self.session, connection)
    }

    /// Replaces the lost connection number `number`: tries for at most 5 s.
    pub fn reconnect(
        &self,
        number: usize,
        limit: Option<Duration>,
        stop: &Stop,
    ) -> Result<Connection, Error> {
        let since = Instant::now();
        let mut pause = PAUSE_FIRST;
        loop {
            if stop.is_set() {
                return Err(Error::Stopped);
            }
            // A server that accepts the connection and then stays silent must not take much longer.
            let left = RECONNECT_FOR.saturating_sub(since.elapsed());
            let source = match self.connect_within(limit, left.max(PAUSE_MAX)) {
                Ok(connection) => return Ok(connection),
                Err(error) => error,
            };
            if since.elapsed() + pause > RECONNECT_FOR {
                return Err(Error::Lost {
                    connection: number,
                    source: Box::new(source),
                });
            }
            thread::sleep(pause);
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Breaks off what connection `connection_id` is running, using a separate connection.
    pub fn kill_query(&self, connection_id: u32) -> Result<(), Error> {
        let limit = Duration::from_secs(2);
        let mut connection = self.bare(Some(limit), limit)?;
        let killed = connection.execute_sql(&format!("KILL QUERY {connection_id}"));
        killed.map_err(|source| Error::Connect { source })?;
        self.retire(connection);
        Ok(())
    }

    /// Closes a connection and keeps its count of bytes.
    pub fn retire(&self, connection: Connection) {
        self.sent
            .fetch_add(connection.bytes_sent(), Ordering::Relaxed);
        self.received
            .fetch_add(connection.bytes_received(), Ordering::Relaxed);
        if !connection.is_broken() {
            // Nobody waits for an answer to the quit command, so a failure doesn't matter.
            let _ = connection.quit();
        }
    }

    /// Bytes sent and received on closed connections.
    pub fn bytes(&self) -> (u64, u64) {
        (
            self.sent.load(Ordering::Relaxed),
            self.received.load(Ordering::Relaxed),
        )
    }

    fn bare(&self, limit: Option<Duration>, within: Duration) -> Result<Connection, Error> {
        let mut options = self.options.clone();
        options.read_timeout = limit;
        options.connect_timeout = within;
        Connection::connect(&options).map_err(|source| Error::Connect { source })
    }
}

/// Runs the statements at the start of a connection.
pub(crate) fn run_session(statements: &[String], connection: &mut Connection) -> Result<(), Error> {
    for statement in statements {
        let done = connection.execute_sql(statement);
        done.map_err(|source| Error::Session {
            statement: statement.clone(),
            source,
        })?;
    }
    Ok(())
}

fn address(target: &Target) -> Address {
    match (&target.socket, &target.host) {
        (Some(socket), _) => Address::Unix(socket.clone()),
        (None, host) => Address::Tcp {
            host: host.clone().unwrap_or_default(),
            port: target.port.unwrap_or(3306),
        },
    }
}
