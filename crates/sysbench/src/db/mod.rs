//! Connections as scripts see them: queries, statements, bulk inserts, errors and restarts.
//!
//! Every query is counted for its worker, by the kind of the server's answer.

mod bulk;
mod driven;
mod failure;
mod servers;
mod statement;
mod stored;
mod text;
mod typed;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use wire::{Connection, Done, Error, Options};

use crate::log::{say, Level};
use crate::shared::Shared;
use crate::stats::Counter;
use bulk::{Bulk, Fit};
use statement::Statement;

pub use driven::Driven;
pub use failure::Failure;
pub use servers::next as next_server;
pub use stored::{Stored, Text};

/// The result of a query, by numbers that preludes know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Reply {
    /// Done; there are no rows, and there couldn't be any.
    Plain = 0,
    /// Done; there is a result set.
    Rows = 1,
    /// Failed, with an error to be ignored: the event is retried.
    Ignorable = -1,
    /// Failed.
    Fatal = -2,
    /// The call did nothing, which was already reported.
    Misuse = -3,
}

#[derive(Debug)]
enum Link {
    Open(Box<Connection>),
    /// Nothing is sent: `--mysql-dry-run`.
    Dry,
    Closed,
}

/// A connection of a script.
#[derive(Debug)]
pub struct Session {
    shared: Arc<Shared>,
    /// The worker that sends these queries.
    worker: usize,
    options: Options,
    link: Link,
    /// How often the connection was made; each statement belongs to one of them.
    generation: u64,
    statements: Vec<Option<Statement>>,
    pub stored: Stored,
    pub failure: Failure,
    /// The number of the last error that wasn't ignored.
    pub fatal: Option<u16>,
    /// Rows of the current result.
    pub rows: u64,
    bulk: Option<Bulk>,
}

impl Session {
    /// Connects to the next server. Reports what goes wrong.
    pub fn connect(shared: &Arc<Shared>, worker: usize) -> Option<Session> {
        let options = servers::next(shared);
        let login = &shared.settings.login;
        let link = if login.is_dry {
            Link::Dry
        } else {
            match connect(shared, worker, &options) {
                Ok(connection) => Link::Open(Box::new(connection)),
                Err(error) => {
                    let failure = Failure::login(&error, &options.address);
                    let server = servers::describe(login, &options.address);
                    let line =
                        format!("unable to connect to MySQL server on {server}, aborting...");
                    say(Level::Fatal, &line);
                    let line = format!("error {}: {}", failure.code, failure.message);
                    say(Level::Fatal, &line);
                    return None;
                }
            }
        };
        Some(Session {
            shared: Arc::clone(shared),
            worker,
            options,
            link,
            generation: 0,
            statements: Vec::new(),
            stored: Stored::default(),
            failure: Failure::default(),
            fatal: None,
            rows: 0,
            bulk: None,
        })
    }

    /// Closes the connection. False if it was already closed.
    pub fn disconnect(&mut self) -> bool {
        match std::mem::replace(&mut self.link, Link::Closed) {
            Link::Open(connection) => {
                self.hang_up(*connection);
                true
            }
            Link::Dry => true,
            Link::Closed => {
                say(
                    Level::Alert,
                    "attempt to close an already closed connection",
                );
                false
            }
        }
    }

    fn hang_up(&self, connection: Connection) {
        match &self.shared.driven {
            Some(driven) => driven.connector.retire(connection),
            None if connection.is_broken() => {}
            // The server doesn't answer COM_QUIT, so a failure is ignored.
            None => drop(connection.quit()),
        }
    }

    /// The connection, for what isn't the script's; `None` if nothing is open.
    pub fn connection(&mut self) -> Option<&mut Connection> {
        match &mut self.link {
            Link::Open(connection) => Some(connection),
            Link::Dry | Link::Closed => None,
        }
    }

    /// Reconnects to the same server, however long that takes, unless the run ends meanwhile.
    pub fn reconnect(&mut self) {
        say(Level::Debug, "Reconnecting");
        if !matches!(self.link, Link::Dry) {
            if let Link::Open(old) = std::mem::replace(&mut self.link, Link::Closed) {
                self.hang_up(*old);
            }
            if let Some(connection) = self.connect_at_last() {
                self.link = Link::Open(Box::new(connection));
            }
        }
        say(Level::Debug, "Reconnected");
        self.generation += 1;
        self.count(Counter::Reconnect);
    }

    fn connect_at_last(&self) -> Option<Connection> {
        loop {
            match connect(&self.shared, self.worker, &self.options) {
                Ok(connection) => return Some(connection),
                Err(_) if self.shared.is_stopped() => return None,
                Err(_) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    fn count(&self, counter: Counter) {
        self.shared.stats.worker(self.worker).count(counter);
    }

    /// Runs SQL as text.
    pub fn query(&mut self, sql: &[u8]) -> Reply {
        self.stored.clear();
        let done = match &mut self.link {
            Link::Open(connection) if connection.is_broken() => Err(Failure::gone()),
            Link::Open(connection) => query(connection, sql, &mut self.stored),
            Link::Dry => Ok(Done::default()),
            Link::Closed => return self.misuse(),
        };
        self.conclude(done, "mysql_drv_query", &mut |out| {
            out.extend_from_slice(sql)
        })
    }

    fn misuse(&mut self) -> Reply {
        say(Level::Alert, "attempt to use an already closed connection");
        self.failure = Failure::client(2006, "the connection is closed");
        Reply::Misuse
    }

    /// Counts a reply, or decides what a failure means. `sql` writes the statement for messages.
    fn conclude(
        &mut self,
        done: Result<Done, Failure>,
        call: &str,
        sql: &mut dyn FnMut(&mut Vec<u8>),
    ) -> Reply {
        let failure = match done {
            Ok(done) => return self.succeed(&done),
            Err(failure) => failure,
        };
        let login = &self.shared.settings.login;
        let is_ignored = login.ignores_all || login.ignored.contains(&failure.code);
        let is_lost = failure.is_lost();
        self.failure = failure;
        if !is_ignored {
            let mut text = Vec::new();
            sql(&mut text);
            let text = String::from_utf8_lossy(&text);
            say(Level::Fatal, &self.failure.of_call(call, &text));
            self.count(Counter::Error);
            self.fatal = Some(self.failure.code);
            return Reply::Fatal;
        }
        let Failure { code, message, .. } = &self.failure;
        say(Level::Debug, &format!("Ignoring error {code} {message}, "));
        self.shared.stats.worker(self.worker).ignore(*code);
        if is_lost {
            self.reconnect();
        } else {
            self.count(Counter::Error);
        }
        Reply::Ignorable
    }

    fn succeed(&mut self, done: &Done) -> Reply {
        let (counter, reply) = match (done.result_sets, done.affected_rows) {
            (1.., _) => (Counter::Read, Reply::Rows),
            (0, 1..) => (Counter::Write, Reply::Plain),
            (0, 0) => (Counter::Other, Reply::Plain),
        };
        self.rows = match reply {
            // For a query with several results, that of the first.
            Reply::Rows => self.stored.rows() as u64,
            _ => done.affected_rows,
        };
        self.count(counter);
        reply
    }

    /// Starts a bulk insert: rows follow this beginning of a statement.
    pub fn bulk_init(&mut self, prefix: &[u8]) {
        self.bulk = Some(Bulk::new(prefix));
    }

    /// Takes a row; true if that worked.
    pub fn bulk_next(&mut self, row: &[u8]) -> bool {
        let Some(mut bulk) = self.bulk.take() else {
            let line = "attempt to call bulk_insert_next() before bulk_insert_init()";
            say(Level::Alert, line);
            return false;
        };
        let is_sent = match bulk.take(row) {
            Fit::Taken => true,
            Fit::Never => {
                say(Level::Fatal, &Bulk::too_long());
                false
            }
            Fit::Full => self.send(&mut bulk) && bulk.take(row) == Fit::Taken,
        };
        self.bulk = Some(bulk);
        is_sent
    }

    /// Sends what is left; true if that worked.
    pub fn bulk_done(&mut self) -> bool {
        match self.bulk.take() {
            Some(mut bulk) if !bulk.is_empty() => self.send(&mut bulk),
            _ => true,
        }
    }

    fn send(&mut self, bulk: &mut Bulk) -> bool {
        let reply = self.query(bulk.sql());
        bulk.sent();
        matches!(reply, Reply::Plain | Reply::Rows)
    }
}

impl Drop for Session {
    /// So that the server doesn't see an aborted connection.
    fn drop(&mut self) {
        if !matches!(self.link, Link::Closed) {
            self.disconnect();
        }
    }
}

fn connect(shared: &Shared, worker: usize, options: &Options) -> Result<Connection, Error> {
    let mut connection = Connection::connect(options)?;
    if let Some(driven) = &shared.driven {
        driven.begin(worker, &mut connection)?;
    }
    Ok(connection)
}

fn query(connection: &mut Connection, sql: &[u8], stored: &mut Stored) -> Result<Done, Failure> {
    connection
        .query(sql, stored)
        .map_err(|error: Error| Failure::from(&error))
}
