//! Prepared statements of scripts: on the server, or as text if it can't or mustn't.

use wire::codec::command::{query_with, Execute};
use wire::{Connection, Done, Encoding, Value};

use super::{text, Failure, Link, Reply, Session, Stored};
use crate::log::{say, Level};

/// The server can't prepare this statement.
const UNSUPPORTED: u16 = 1295;

/// A statement of a script.
#[derive(Debug)]
pub(super) struct Statement {
    sql: String,
    form: Form,
    /// The connection on which it was prepared.
    generation: u64,
}

#[derive(Debug)]
enum Form {
    Server(wire::Statement),
    Text(Vec<String>),
}

impl Form {
    fn params(&self) -> usize {
        match self {
            Form::Server(statement) => statement.params(),
            Form::Text(pieces) => pieces.len() - 1,
        }
    }
}

impl Session {
    /// Prepares a statement: returns its number and how many parameters it has. Reports failures.
    pub fn prepare(&mut self, sql: &str) -> Option<(usize, usize)> {
        let form = match self.form(sql) {
            Ok(form) => form,
            Err(failure) => {
                say(Level::Fatal, "mysql_stmt_prepare() failed");
                let line = format!("MySQL error: {} \"{}\"", failure.code, failure.message);
                say(Level::Fatal, &line);
                self.fatal = Some(failure.code);
                self.failure = failure;
                return None;
            }
        };
        let params = form.params();
        self.statements.push(Some(Statement {
            sql: sql.to_owned(),
            form,
            generation: self.generation,
        }));
        Some((self.statements.len() - 1, params))
    }

    fn form(&mut self, sql: &str) -> Result<Form, Failure> {
        let prepares = self.shared.settings.login.prepares;
        let connection = match &mut self.link {
            Link::Open(connection) if prepares => connection,
            Link::Closed => {
                self.misuse();
                return Err(self.failure.clone());
            }
            _ => return Ok(Form::Text(text::pieces(sql))),
        };
        match connection.prepare(sql) {
            Ok(statement) => Ok(Form::Server(statement)),
            Err(error) if error.code() == Some(UNSUPPORTED) => Ok(Form::Text(text::pieces(sql))),
            Err(error) => Err(Failure::from(&error)),
        }
    }

    /// Forgets a statement; the server's error is ignored.
    pub fn close_statement(&mut self, number: usize) {
        let Some(statement) = self.statements.get_mut(number).and_then(Option::take) else {
            return;
        };
        if let (Link::Open(connection), Form::Server(prepared)) = (&mut self.link, statement.form) {
            if statement.generation == self.generation && !connection.is_broken() {
                let _ = connection.close(prepared);
            }
        }
    }

    /// Executes a statement.
    pub fn execute<'a>(
        &mut self,
        number: usize,
        values: impl ExactSizeIterator<Item = Value<'a>>,
    ) -> Reply {
        self.stored.clear();
        let Some(slot) = self.statements.get_mut(number) else {
            return Reply::Misuse;
        };
        let Some(mut statement) = slot.take() else {
            say(Level::Alert, "attempt to use an already closed statement");
            return Reply::Misuse;
        };
        let done = match self.renew(&mut statement) {
            Err(failure) => Err(failure),
            Ok(()) => match &mut self.link {
                Link::Open(connection) => {
                    run(connection, &statement.form, values, &mut self.stored)
                }
                Link::Dry => Ok(Done::default()),
                Link::Closed => {
                    self.statements[number] = Some(statement);
                    return self.misuse();
                }
            },
        };
        let sql = &mut |out: &mut Vec<u8>| out.extend_from_slice(statement.sql.as_bytes());
        let reply = self.conclude(done, "mysql_stmt_execute", sql);
        self.statements[number] = Some(statement);
        reply
    }

    /// Prepares a statement again whose connection is gone.
    fn renew(&mut self, statement: &mut Statement) -> Result<(), Failure> {
        match &self.link {
            Link::Open(connection) if connection.is_broken() => return Err(Failure::gone()),
            // Nothing to prepare it on: that is the caller's to report.
            Link::Closed => return Ok(()),
            _ => {}
        }
        if statement.generation != self.generation {
            statement.form = self.form(&statement.sql)?;
            statement.generation = self.generation;
        }
        Ok(())
    }
}

fn run<'a>(
    connection: &mut Connection,
    form: &Form,
    values: impl ExactSizeIterator<Item = Value<'a>>,
    stored: &mut Stored,
) -> Result<Done, Failure> {
    if values.len() != form.params() {
        let message = "No data supplied for parameters in prepared statement";
        return Err(Failure::client(2031, message));
    }
    let fail = |error: wire::Error| Failure::from(&error);
    match form {
        Form::Server(statement) => {
            let out = connection.compose().map_err(fail)?;
            // The number of parameters was sent by the server as 16 bits.
            let mut execute = Execute::begin(out, statement.id(), values.len() as u16);
            values.for_each(|value| execute.bind(&value));
            execute.finish();
            connection.exchange(Encoding::Binary, stored).map_err(fail)
        }
        Form::Text(pieces) => {
            let out = connection.compose().map_err(fail)?;
            query_with(out, |out| text::write(out, pieces, values));
            connection.exchange(Encoding::Text, stored).map_err(fail)
        }
    }
}
