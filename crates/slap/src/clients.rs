//! A client: runs the list over and over on its own connection, one statement per op.
//!
//! Most clients share one thread and never block. Clients that reconnect during the run (--detach)
//! have one thread each, because logging in blocks.

use std::collections::HashMap;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, Mutex, PoisonError};

use load::{OpState, Outcome, Purpose, Stop, Stream, Turn, Worker};
use wire::codec::command::{self, Execute};
use wire::{Connection, Discard, Encoding, Options, Value};

use crate::connecting;
use crate::failure::{exit, Failure};
use crate::report::Progress;
use workloads::slap::Statement;

/// What the clients of a timed part share.
pub struct Common {
    /// How they connect, with the schema.
    pub options: Options,
    /// The list that each of them runs.
    pub list: Vec<Statement>,
    /// Keys to choose from; never empty.
    pub keys: Vec<Vec<u8>>,
    /// Where choices are drawn from.
    pub draws: Purpose,
    pub init_command: Option<Vec<u8>>,
    /// COMMIT after every n statements; 0: the server commits each.
    pub commit: u64,
    /// Reconnect before statements 0, n, 2n... of each pass through the list; 0: never.
    pub detach: u64,
    /// True if statements are to be prepared.
    pub prepared: bool,
    pub progress: Progress,
    /// Ends the run; set by the first client that fails.
    pub stop: Stop,
    /// The error of that client.
    pub failure: Mutex<Option<Failure>>,
}

impl Common {
    /// Keeps the first failure and ends the run.
    fn fail(&self, failure: Failure) {
        let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(failure);
        self.stop.set();
    }

    /// The first failure.
    pub fn first_failure(&self) -> Option<Failure> {
        let first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        first.clone()
    }
}

/// A statement as one connection knows it.
#[derive(Debug, Clone, Copy)]
struct Prepared {
    id: u32,
    params: usize,
}

/// The step under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Statement,
    Commit,
}

/// One client.
pub struct Client<const BLOCKING: bool> {
    common: Arc<Common>,
    connection: Option<Connection>,
    /// By position in the list.
    prepared: Vec<Prepared>,
    draws: Stream,
    /// Position in the list.
    at: usize,
    /// True if COMMIT follows the current statement.
    commits: bool,
    step: Step,
    retries: u32,
}

impl<const BLOCKING: bool> Client<BLOCKING> {
    /// Client `number`, not connected.
    pub fn new(common: &Arc<Common>, number: usize) -> Client<BLOCKING> {
        Client {
            common: Arc::clone(common),
            connection: None,
            prepared: Vec::new(),
            draws: common.draws.stream(number as u64),
            at: 0,
            commits: false,
            step: Step::Statement,
            retries: 0,
        }
    }

    /// Connects and prepares. Blocks; if it can't, the client fails.
    pub fn connect(&mut self) {
        let common = Arc::clone(&self.common);
        if common.stop.is_set() {
            return;
        }
        if let Err(failure) = self.try_connect(common.commit == 0) {
            common.fail(failure);
            return;
        }
        if common.progress.shows_statements() {
            common.progress.statement(b"connected!");
        }
        if let (false, Some(connection)) = (BLOCKING, &mut self.connection) {
            // A socket that refuses this is broken, and its next command will fail.
            let _ = connection.set_polled(true);
        }
    }

    fn try_connect(&mut self, autocommit: bool) -> Result<(), Failure> {
        let common = Arc::clone(&self.common);
        let init = common.init_command.as_deref();
        let made = connecting::client(&common.options, init, autocommit).map_err(|error| {
            let text = connecting::text_with_code(&error);
            let message = format!("Error when connecting to server: {text}");
            Failure::new(exit::CLIENT_FAILED, message, error.hint())
        });
        let (connection, retries) = made?;
        self.retries += retries;
        self.connection = Some(connection);
        self.prepare()
    }

    /// Prepares each different statement of the list once.
    fn prepare(&mut self) -> Result<(), Failure> {
        self.prepared.clear();
        let (Some(connection), true) = (&mut self.connection, self.common.prepared) else {
            return Ok(());
        };
        let mut known: HashMap<Vec<u8>, Prepared> = HashMap::new();
        for statement in &self.common.list {
            let sql = statement.to_prepare();
            let prepared = match known.get(&sql) {
                Some(prepared) => *prepared,
                None => {
                    let prepared = prepare(connection, &sql, statement)?;
                    known.insert(sql, prepared);
                    prepared
                }
            };
            self.prepared.push(prepared);
        }
        Ok(())
    }

    /// Commits the remaining statements. Blocks.
    pub fn finish(&mut self) {
        let Some(connection) = &mut self.connection else {
            return;
        };
        let _ = connection.set_polled(false);
        // After a failure the rest doesn't count.
        if self.common.commit > 0 && !self.common.stop.is_set() {
            if let Err(error) = connection.query(b"COMMIT", &mut Discard) {
                self.common
                    .fail(refusal(exit::CLIENT_FAILED, b"COMMIT", &error));
            }
        }
    }

    /// Disconnects.
    pub fn close(&mut self) {
        if let Some(connection) = self.connection.take().filter(|made| !made.is_broken()) {
            // The server doesn't answer COM_QUIT, so a failure is ignored.
            let _ = connection.quit();
        }
    }

    /// How often a connection attempt was repeated.
    pub fn retries(&self) -> u32 {
        self.retries
    }

    /// Reconnects. Autocommit is on again afterwards, as in mysqlslap.
    fn reconnect(&mut self) -> Result<(), Failure> {
        self.close();
        self.try_connect(true)
    }

    /// Writes the command of a step and sends it.
    fn send(&mut self, step: Step) -> Result<OpState, wire::Error> {
        self.step = step;
        let common = &self.common;
        let connection = self.connection.as_mut().ok_or(wire::Error::Lost {
            during: "running a query",
        })?;
        let key = &common.keys[self.draws.below(common.keys.len() as u64) as usize];
        let statement = &common.list[self.at];
        let out = connection.compose()?;
        let encoding = match (step, self.prepared.get(self.at)) {
            (Step::Commit, _) => {
                command::query(out, b"COMMIT");
                Encoding::Text
            }
            (Step::Statement, Some(prepared)) => {
                let mut execute = Execute::begin(out, prepared.id, prepared.params as u16);
                if prepared.params > 0 {
                    execute.bind(&Value::Chars(key));
                }
                execute.finish();
                Encoding::Binary
            }
            (Step::Statement, None) => {
                command::query_with(out, |out| statement.write(out, key));
                Encoding::Text
            }
        };
        if common.progress.shows_statements() {
            common.progress.statement(&text_of(step, statement, key));
        }
        if !BLOCKING {
            return connection.start(encoding).map(|()| OpState::Waits);
        }
        connection.exchange(encoding, &mut Discard)?;
        Ok(self.answered())
    }

    /// A step was answered: returns what follows, or the end of the op.
    fn answered(&mut self) -> OpState {
        if self.step == Step::Statement && self.commits {
            let sent = self.send(Step::Commit);
            return sent.unwrap_or_else(|error| self.failed(&error));
        }
        OpState::Ended(Outcome::Ok)
    }

    fn failed(&mut self, error: &wire::Error) -> OpState {
        let mut sql = Vec::new();
        match self.step {
            Step::Commit => sql.extend_from_slice(b"COMMIT"),
            Step::Statement => self.common.list[self.at].write(&mut sql, b"..."),
        }
        self.common.fail(refusal(exit::CLIENT_FAILED, &sql, error));
        OpState::Ended(Outcome::Failed(error.code().unwrap_or(0)))
    }
}

fn prepare(
    connection: &mut Connection,
    sql: &[u8],
    statement: &Statement,
) -> Result<Prepared, Failure> {
    let text = String::from_utf8_lossy(sql);
    let made = connection
        .prepare(&text)
        .map_err(|error| refusal(exit::CLIENT_FAILED, sql, &error))?;
    let (found, wanted) = (made.params(), usize::from(statement.by_key));
    if found != wanted {
        return Err(Failure::new(
            exit::CLIENT_FAILED,
            format!("Cannot prepare {text} : {found} parameters, and {wanted} values for them"),
            "leave out --prepared, or write the values into the statement",
        ));
    }
    Ok(Prepared {
        id: made.id(),
        params: found,
    })
}

fn text_of(step: Step, statement: &Statement, key: &[u8]) -> Vec<u8> {
    let mut sql = Vec::new();
    match step {
        Step::Commit => sql.extend_from_slice(b"COMMIT"),
        Step::Statement => statement.write(&mut sql, key),
    }
    sql.push(b';');
    sql
}

/// The failure for a refused statement.
pub fn refusal(code: u8, sql: &[u8], error: &wire::Error) -> Failure {
    let (sql, text) = (String::from_utf8_lossy(sql), connecting::text(error));
    let message = format!("Cannot run query {sql} ERROR : {text}");
    Failure::new(code, message, error.hint())
}

impl<const BLOCKING: bool> Worker for Client<BLOCKING> {
    fn blocks(&self) -> bool {
        BLOCKING
    }

    fn next_op(&mut self, turn: Turn) -> u16 {
        let common = &self.common;
        self.at = (turn.nth % common.list.len() as u64) as usize;
        self.commits = common.commit > 0 && (turn.nth + 1) % common.commit == 0;
        0
    }

    fn begin_op(&mut self) -> OpState {
        let detach = self.common.detach;
        if BLOCKING && detach > 0 && self.at as u64 % detach == 0 {
            if let Err(failure) = self.reconnect() {
                self.common.fail(failure);
                return OpState::Ended(Outcome::Failed(0));
            }
        }
        let sent = self.send(Step::Statement);
        sent.unwrap_or_else(|error| self.failed(&error))
    }

    fn resume_op(&mut self) -> OpState {
        let Some(connection) = &mut self.connection else {
            return OpState::Waits;
        };
        match connection.resume(&mut Discard) {
            Ok(None) => OpState::Waits,
            Ok(Some(_)) => self.answered(),
            Err(error) => self.failed(&error),
        }
    }

    fn give_up_op(&mut self) -> Outcome {
        if let Some(connection) = &mut self.connection {
            connection.hang_up();
        }
        self.failed(&wire::Error::Timeout {
            during: "running a query",
            after: self.common.options.read_timeout.unwrap_or_default(),
        });
        Outcome::Failed(0)
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        let connection = self.connection.as_ref().filter(|_| !BLOCKING);
        connection.map(Connection::descriptor)
    }

    fn is_sending(&self) -> bool {
        self.connection.as_ref().is_some_and(Connection::is_sending)
    }
}
