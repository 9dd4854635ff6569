//! The columns of a result set: described with it, or left out because the client has them from
//! before (MariaDB's metadata caching, since 10.6).

use rustc_hash::FxHashMap;

use super::Column;
use crate::error::Error;

/// Columns by the numbers of statements.
type Known = FxHashMap<u32, Vec<Column>>;

/// The columns of the current result set.
#[derive(Debug, Default)]
pub(super) struct Described {
    /// Those of each prepared statement as the server last described them, if it may omit them.
    known: Option<Known>,
    /// The statement being executed.
    statement: Option<u32>,
    /// The columns of this result set are the known ones.
    is_recalled: bool,
    /// Only the first `len` belong to this result set; the rest wait for reuse.
    columns: Vec<Column>,
    len: usize,
}

impl Described {
    /// From now on the server may omit what it described before.
    pub(super) fn cache(&mut self) {
        self.known = Some(Known::default());
    }

    pub(super) fn is_caching(&self) -> bool {
        self.known.is_some()
    }

    /// A statement was prepared, with these columns.
    pub(super) fn learn(&mut self, statement: u32, columns: &[Column]) {
        learn(&mut self.known, Some(statement), columns);
    }

    /// A statement, or with `None` every statement, is no longer prepared.
    pub(super) fn forget(&mut self, statement: Option<u32>) {
        match (&mut self.known, statement) {
            (Some(known), Some(statement)) => drop(known.remove(&statement)),
            (Some(known), None) => known.clear(),
            (None, _) => {}
        }
    }

    /// A command was sent, which executes this statement, if any.
    pub(super) fn start(&mut self, statement: Option<u32>) {
        self.statement = statement;
    }

    /// A result set begins, with its columns left out if `is_recalled`.
    pub(super) fn begin(&mut self, is_recalled: bool) {
        self.is_recalled = is_recalled;
        self.len = 0;
    }

    /// Takes the definition of the next column, unless nobody `wants` it.
    pub(super) fn read(&mut self, packet: &[u8], wants: bool) -> Result<(), Error> {
        if !wants && (self.known.is_none() || self.statement.is_none()) {
            return Ok(());
        }
        if self.columns.len() == self.len {
            self.columns.push(Column::default());
        }
        self.columns[self.len].read(packet)?;
        self.len += 1;
        Ok(())
    }

    /// All columns of the result set were described.
    pub(super) fn end(&mut self) {
        let columns = &self.columns[..self.len];
        learn(&mut self.known, self.statement, columns);
    }

    /// The columns; none if they were left out and never described.
    #[inline]
    pub(super) fn current(&self) -> &[Column] {
        match (&self.known, self.statement) {
            (Some(known), Some(statement)) if self.is_recalled => {
                known.get(&statement).map_or(&[], Vec::as_slice)
            }
            _ if self.is_recalled => &[],
            _ => &self.columns[..self.len],
        }
    }
}

fn learn(known: &mut Option<Known>, statement: Option<u32>, columns: &[Column]) {
    if let (Some(known), Some(statement)) = (known, statement) {
        columns.clone_into(known.entry(statement).or_default());
    }
}
