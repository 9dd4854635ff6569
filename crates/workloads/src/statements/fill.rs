//! What the phase `load` makes for `statements`: each table in one chunk by one connection, so that
//! its rows lie in the server as they were numbered.

use super::generate::Rows;
use super::spec;
use crate::fill::Table;

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
