//! A table to be made, and where its rows come from.

use std::ops::Range;

/// How rows are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Tabs between values, a line end after each row: what LOAD DATA reads by default.
    Lines,
    /// `('a','b'),`: what INSERT … VALUES takes, with one comma too many at the end.
    Values,
}

/// Rows from their numbers alone, so that any part of a table can be made by anybody.
///
/// Values must be plain ASCII without tabs, line ends, quotes or backslashes, as nothing is
/// escaped; any other go through [`super::Row::bytes`].
pub trait Source: Sync {
    /// Appends row `index`, from 0; or all rows of that index, where it stands for several.
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>);

    /// How many rows that is.
    fn rows_at(&self, index: u64) -> u64 {
        let _ = index;
        1
    }
}

/// A table to be made.
#[derive(Debug)]
pub struct Table<S> {
    /// Its name, without a schema.
    pub name: String,
    /// The CREATE TABLE statement.
    pub create: String,
    /// How many indexes its source has: as many as rows, unless [`Source::rows_at`] says otherwise.
    pub rows: u64,
    /// What is in them.
    pub source: S,
    /// How many indexes one statement loads, at least 1. Chunks of a table are begun in ascending
    /// order and may go in at the same time; a table of one chunk has its rows in order.
    pub chunk_rows: u64,
    /// When all rows are in: steps, as errors are to call them, and their statements.
    pub after: Vec<(String, String)>,
}

impl<S: Source> Table<S> {
    /// How many rows these indexes are.
    pub(super) fn rows_of(&self, indexes: Range<u64>) -> u64 {
        indexes.map(|index| self.source.rows_at(index)).sum()
    }
}

/// What follows the engine in CREATE TABLE: `create_options` of a plan with a space before them.
pub(crate) fn table_options(create_options: &str) -> String {
    match create_options.trim() {
        "" => String::new(),
        options => format!(" {options}"),
    }
}
