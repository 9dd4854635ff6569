//! The parameter types that the server has of each prepared statement.
//!
//! Like client libraries, a connection sends them with a statement's first execution, and again
//! only if they change. A server that gets them each time sets the parameters up each time.

use rustc_hash::FxHashMap;

use super::command::{executed, EXECUTE_HEAD, NULL_KIND};
use super::frame::{finish, FULL};

/// The types of one statement's parameters.
#[derive(Debug)]
struct Types {
    params: usize,
    /// Two bytes for each parameter, as sent last; empty if the server has none.
    sent: Vec<u8>,
}

/// What the server has of each statement.
#[derive(Debug, Default)]
pub struct Bound {
    /// By number. MySQL counts the statements of a connection, MariaDB those of all.
    statements: FxHashMap<u32, Types>,
    /// The statement executed last.
    last: Option<u32>,
}

impl Bound {
    /// A statement was prepared.
    pub fn prepared(&mut self, statement: u32, params: u16) {
        let params = usize::from(params);
        let sent = Vec::with_capacity(2 * params);
        self.statements.insert(statement, Types { params, sent });
    }

    /// A statement is no longer prepared.
    pub fn closed(&mut self, statement: u32) {
        self.statements.remove(&statement);
    }

    /// No statement is prepared any more.
    pub fn all_closed(&mut self) {
        self.statements.clear();
    }

    /// The command sent last failed: what the server kept of it isn't known.
    pub fn failed(&mut self) {
        if let Some(types) = self.types() {
            types.sent.clear();
        }
    }

    /// The types of the statement executed last.
    fn types(&mut self) -> Option<&mut Types> {
        self.statements.get_mut(&self.last?)
    }

    /// Leaves the types out of a command that is about to be sent, if it executes a statement and
    /// the server has them. Returns the statement.
    pub fn omit(&mut self, command: &mut Vec<u8>) -> Option<u32> {
        self.last = executed(command);
        if let Some(types) = self.types() {
            types.omit(command);
        }
        self.last
    }
}

impl Types {
    fn omit(&mut self, command: &mut Vec<u8>) {
        let flag = EXECUTE_HEAD + self.params.div_ceil(8);
        let places = flag + 1..flag + 1 + 2 * self.params;
        if self.params == 0 || command.len() >= FULL {
            return;
        }
        let Some(new) = command.get_mut(places.clone()) else {
            return;
        };
        keep_those_of_nulls(new, &self.sent);
        if *new == self.sent {
            command.drain(places);
            command[flag] = 0;
            finish(command, 0, 0);
        } else {
            self.sent.clear();
            self.sent.extend_from_slice(new);
        }
    }
}

/// NULL is marked apart from its type, so a parameter that is NULL at times has one type.
fn keep_those_of_nulls(new: &mut [u8], sent: &[u8]) {
    for (new, sent) in new.chunks_exact_mut(2).zip(sent.chunks_exact(2)) {
        if new[0] == NULL_KIND {
            new.copy_from_slice(sent);
        }
    }
}
