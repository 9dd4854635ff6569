//! What the phase `load` creates for `statements`: each table in one chunk on one connection, so
//! that its rows are stored in the server in order of number.

use super::generate;
use super::spec::{self, Columns, Named};
use crate::accesslog;
use crate::fill::{Layout, Source, Table};

/// The rows of a table.
#[derive(Debug)]
pub enum TableRows {
    /// Each column by itself.
    Each(generate::GeneratedRows),
    /// Those of an access log.
    AccessLog(accesslog::MadeRows),
}

impl TableRows {
    /// The rows of `table` under `seed`.
    pub fn new(seed: u64, table: &spec::Table) -> TableRows {
        match &table.columns {
            Columns::Each(columns) => {
                TableRows::Each(generate::GeneratedRows::new(seed, &table.name, columns))
            }
            Columns::Named(Named::AccessLog) => {
                TableRows::AccessLog(accesslog::MadeRows::new(seed))
            }
        }
    }
}

impl Source for TableRows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        match self {
            TableRows::Each(rows) => rows.write(index, layout, out),
            TableRows::AccessLog(rows) => rows.write(index, layout, out),
        }
    }
}

/// The tables of a plan under `seed`, in order.
pub fn tables(seed: u64, tables: &[spec::Table]) -> Vec<Table<TableRows>> {
    tables.iter().map(|table| one(seed, table)).collect()
}

fn one(seed: u64, table: &spec::Table) -> Table<TableRows> {
    let after = table.after.iter().enumerate();
    Table {
        name: table.name.clone(),
        create: table.create.clone(),
        rows: table.rows,
        source: TableRows::new(seed, table),
        chunk_rows: u64::MAX,
        after: after
            .map(|(number, sql)| (format!("statement after[{number}]"), sql.clone()))
            .collect(),
    }
}
