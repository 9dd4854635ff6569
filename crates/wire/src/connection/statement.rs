//! Prepared statements.

use super::Connection;
use crate::codec::{command, PrepareReply, Prepared};
use crate::error::Error;
use crate::rows::{Done, Encoding, Rows};
use crate::value::Value;
use crate::Column;

/// A prepared statement; it belongs to the connection that prepared it.
#[derive(Debug, Clone)]
pub struct Statement {
    prepared: Prepared,
    connection_id: u32,
}

impl Statement {
    /// The server's number for it.
    pub fn id(&self) -> u32 {
        self.prepared.id
    }

    /// How many parameters `execute` needs.
    pub fn params(&self) -> usize {
        usize::from(self.prepared.params)
    }

    /// The columns of the result, as far as the server knows them when preparing.
    pub fn columns(&self) -> &[Column] {
        &self.prepared.columns
    }
}

impl Connection {
    /// Prepares a statement.
    pub fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        self.begin("preparing a statement")?;
        command::prepare(&mut self.channel.out, sql.as_bytes());
        self.send()?;
        let prepared = self.take_prepared();
        let prepared = self.settle(prepared)?;
        self.reply.learn_columns(prepared.id, &prepared.columns);
        self.bound.prepared(prepared.id, prepared.params);
        Ok(Statement {
            prepared,
            connection_id: self.connection_id(),
        })
    }

    fn take_prepared(&mut self) -> Result<Prepared, Error> {
        let mut reply = PrepareReply::new(self.deprecate_eof);
        while !reply.payload(self.channel.payload()?)? {}
        Ok(reply.into_prepared())
    }

    /// Executes a prepared statement. The number of `params` must be the statement's.
    pub fn execute<R: Rows>(
        &mut self,
        statement: &Statement,
        params: &[Value<'_>],
        rows: &mut R,
    ) -> Result<Done, Error> {
        self.check(statement)?;
        if params.len() != statement.params() {
            let what = format!("{} parameters for {}", params.len(), statement.params());
            return Err(Error::Usage { what });
        }
        self.begin("executing a statement")?;
        command::execute(&mut self.channel.out, statement.id(), params)?;
        self.run(Encoding::Binary, rows, &mut super::refuse)
    }

    /// Frees a prepared statement on the server; there is no reply.
    pub fn close(&mut self, statement: Statement) -> Result<(), Error> {
        self.check(&statement)?;
        self.begin("closing a statement")?;
        command::close(&mut self.channel.out, statement.id());
        self.reply.forget_columns(Some(statement.id()));
        self.bound.closed(statement.id());
        let sent = self.channel.send();
        self.settle(sent)
    }

    /// Resets a prepared statement's state on the server.
    pub fn reset_statement(&mut self, statement: &Statement) -> Result<(), Error> {
        self.check(statement)?;
        self.begin("resetting a statement")?;
        command::reset_statement(&mut self.channel.out, statement.id());
        self.run_plain()
    }

    /// Another connection's number would mean a different statement here.
    fn check(&self, statement: &Statement) -> Result<(), Error> {
        if statement.connection_id == self.connection_id() {
            return Ok(());
        }
        Err(Error::Usage {
            what: "statement prepared on another connection".to_owned(),
        })
    }
}
