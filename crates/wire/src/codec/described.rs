//! The columns of a result set: described with it, or left out because the client has them from
//! before (MariaDB's metadata caching, since 10.6).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Column;
use crate::error::Error;

/// The columns of the current result set.
#[derive(Debug, Default)]
pub(super) struct Described {
    /// Those of each prepared statement as the server last described them, if it may omit them.
    known: Option<FxHashMap<u32, Arc<[Column]>>>,
    /// The statement being executed.
    statement: Option<u32>,
    /// The known ones, if this result set has these. Kept here, so that a row needs no lookup.
    recalled: Option<Arc<[Column]>>,
    /// Only the first `len` belong to this result set; the rest wait for reuse.
    columns: Vec<Column>,
    len: usize,
}

impl Described {
    /// From now on the server may omit what it described before.
    pub(super) fn cache(&mut self) {
        self.known = Some(FxHashMap::default());
    }

    pub(super) fn is_caching(&self) -> bool {
        self.known.is_some()
    }

    /// A statement was prepared, with these columns.
    pub(super) fn learn(&mut self, statement: u32, columns: &[Column]) {
        if let Some(known) = &mut self.known {
            known.insert(statement, columns.into());
        }
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

    /// A result set begins.
    pub(super) fn begin(&mut self) {
        self.recalled = None;
        self.len = 0;
    }

    /// The result set just begun has the columns described last for its statement; false if these
    /// aren't `count`.
    pub(super) fn recall(&mut self, count: usize) -> bool {
        let known = self.known.as_ref().zip(self.statement);
        self.recalled = known.and_then(|(known, statement)| known.get(&statement).cloned());
        self.current().len() == count
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
        if let (Some(known), Some(statement)) = (&mut self.known, self.statement) {
            known.insert(statement, self.columns[..self.len].into());
        }
    }

    #[inline]
    pub(super) fn current(&self) -> &[Column] {
        match &self.recalled {
            Some(recalled) => recalled,
            None => &self.columns[..self.len],
        }
    }
}
