//! The phase `load`: creates tables, sends their rows, runs what comes after; over several
//! connections at once.
//!
//! Rows go in by LOAD DATA LOCAL INFILE, made while they are sent and never held. Where the server
//! refuses local files they go in by INSERT with many rows. A row that the server changed or left
//! out ends the run: tables that differ between arms would make every comparison worthless.
//!
//! What is filled is said by a workload; `queue` deals out the work, `loader` does it on one
//! connection, `progress` tells how far a table is, and `crew` is all connections together. The
//! session's settings are the plan's alone: nothing is relaxed for loading.

mod crew;
mod loader;
mod progress;
mod queue;
mod row;

use std::ops::Range;

use wire::Connection;

use crate::error::Error;
use crate::workload::Shared;
use crew::Crew;

pub use row::Row;

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
/// escaped; any other go through [`Row::bytes`].
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
    /// How many indexes of its source; so many rows, unless that says otherwise.
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
    fn rows_of(&self, indexes: Range<u64>) -> u64 {
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

/// Makes all tables. `first` is the first loader's connection; there are as many loaders as
/// `shared.loader_slots`, or fewer where there isn't work for all, and the others connect here.
pub fn fill<S: Source>(
    shared: &Shared,
    first: &mut Connection,
    tables: &[Table<S>],
) -> Result<(), Error> {
    Crew::new(shared, tables).run(first)
}
