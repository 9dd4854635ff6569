//! A table to create, and where its rows come from.

use std::ops::Range;

/// How rows are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Tabs between values, a line end after each row: what LOAD DATA reads by default.
    Lines,
    /// `('a','b'),`: what INSERT … VALUES takes, with an extra comma at the end.
    Values,
}

/// Rows derived only from their numbers, so that anybody can generate any part of a table.
///
/// Values must be plain ASCII without tabs, line ends, quotes or backslashes, as nothing is
/// escaped; all others go through [`super::Row::bytes`].
pub trait Source: Sync {
    /// Appends row `index`, from 0; or all rows of that index, if it stands for several.
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>);

    /// How many rows an index stands for.
    fn rows_at(&self, index: u64) -> u64 {
        let _ = index;
        1
    }
}

/// A table to create.
#[derive(Debug)]
pub struct Table<S> {
    /// Its name, without a schema.
    pub name: String,
    /// The CREATE TABLE statement.
    pub create: String,
    /// How many indexes its source has: as many as rows, unless [`Source::rows_at`] says otherwise.
    pub rows: u64,
    /// Their content.
    pub source: S,
    /// How many indexes one statement loads, at least 1. Chunks of a table are started in ascending
    /// order and may be loaded concurrently; a table of one chunk has its rows in order.
    pub chunk_rows: u64,
    /// What to run when all rows are in: steps, as errors name them, and their statements.
    pub after: Vec<(String, String)>,
}

impl<S: Source> Table<S> {
    /// How many rows these indexes stand for.
    pub(super) fn rows_of(&self, indexes: Range<u64>) -> u64 {
        indexes.map(|index| self.source.rows_at(index)).sum()
    }
}

/// The end of CREATE TABLE for tables of latin1: engine, character set, and `create_options`.
/// `MyRocks` refuses an index on text whose collation isn't binary.
pub(crate) fn in_latin1(engine: &str, create_options: &str) -> String {
    let named = create_options.to_ascii_uppercase().contains("COLLATE");
    let collate = match engine.eq_ignore_ascii_case("rocksdb") && !named {
        true => " COLLATE latin1_bin",
        false => "",
    };
    let options = table_options(create_options);
    format!(" ENGINE = {engine} DEFAULT CHARSET = latin1{collate}{options}")
}

/// What follows the engine in CREATE TABLE: a plan's `create_options` with a space before them.
pub(crate) fn table_options(create_options: &str) -> String {
    match create_options.trim() {
        "" => String::new(),
        options => format!(" {options}"),
    }
}
