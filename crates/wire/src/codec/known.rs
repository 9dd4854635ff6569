//! Columns of prepared statements that the client already has, so that the server omits them
//! (MariaDB's metadata caching, since 10.6).

use std::collections::HashMap;

use super::Column;

/// The columns of each statement as the server last described them.
#[derive(Debug, Default)]
pub(super) struct Known {
    statements: HashMap<u32, Vec<Column>>,
    /// Those in use, taken out of the map so that a row needs no lookup.
    recalled: Option<(u32, Vec<Column>)>,
}

impl Known {
    /// The server described a statement's columns.
    pub(super) fn learn(&mut self, statement: u32, columns: &[Column]) {
        self.put_back();
        let known = self.statements.entry(statement).or_default();
        known.truncate(columns.len());
        let (same, new) = columns.split_at(known.len());
        known.clone_from_slice(same);
        known.extend_from_slice(new);
    }

    /// The statement is closed.
    pub(super) fn forget(&mut self, statement: u32) {
        self.put_back();
        self.statements.remove(&statement);
    }

    /// No statements are prepared any more.
    pub(super) fn forget_all(&mut self) {
        self.recalled = None;
        self.statements.clear();
    }

    /// Makes [`Known::columns`] those of this statement; false if they aren't `count`.
    pub(super) fn recall(&mut self, statement: u32, count: usize) -> bool {
        if !matches!(self.recalled, Some((id, _)) if id == statement) {
            self.put_back();
            self.recalled = self.statements.remove_entry(&statement);
        }
        self.columns().len() == count
    }

    /// The columns recalled last.
    pub(super) fn columns(&self) -> &[Column] {
        self.recalled.as_ref().map_or(&[], |(_, columns)| columns)
    }

    fn put_back(&mut self) {
        self.statements.extend(self.recalled.take());
    }
}
