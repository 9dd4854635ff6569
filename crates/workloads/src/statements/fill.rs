//! What the phase `load` makes for `statements`: each table in one chunk by one connection, so that
//! its rows lie in the server as they were numbered.

use super::generate;
use super::spec::{self, Columns, Named};
use crate::accesslog;
use crate::fill::{Layout, Source, Table};

/// The rows of a table.
#[derive(Debug)]
pub enum Rows {
    /// Each column by itself.
    Each(generate::Rows),
    /// Those of an access log.
    AccessLog(accesslog::MadeRows),
}

impl Rows {
    /// The rows of `table` under `seed`.
    pub fn new(seed: u64, table: &spec::Table) -> Rows {
        match &table.columns {
            Columns::Each(columns) => Rows::Each(generate::Rows::new(seed, &table.name, columns)),
            Columns::Named(Named::AccessLog) => Rows::AccessLog(accesslog::MadeRows::new(seed)),
        }
    }
}

impl Source for Rows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        match self {
            Rows::Each(rows) => rows.write(index, layout, out),
            Rows::AccessLog(rows) => rows.write(index, layout, out),
        }
    }
}

/// The tables of a plan under `seed`, in order.
pub fn tables(seed: u64, tables: &[spec::Table]) -> Vec<Table<Rows>> {
    tables.iter().map(|table| one(seed, table)).collect()
}

fn one(seed: u64, table: &spec::Table) -> Table<Rows> {
    let after = table.after.iter().enumerate();
    Table {
        name: table.name.clone(),
        create: table.create.clone(),
        rows: table.rows,
        source: Rows::new(seed, table),
        chunk_rows: u64::MAX,
        after: after
            .map(|(number, sql)| (format!("statement after[{number}]"), sql.clone()))
            .collect(),
    }
}
