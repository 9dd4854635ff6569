//! The tables and what is in them.

use std::io::Write;

use super::spec::{Ledger, OpName};
use crate::fill::{in_latin1, Layout, Row, Source, Table};

/// Engines without a primary key on a column whose values clients choose.
const KEYLESS: [&str; 2] = ["archive", "csv"];
/// How often a row's id and version are repeated in it: 200 bytes.
const REPEATS: usize = 5;

/// Writes the content of a row: its id and version, over and over.
pub fn write_body(id: u64, version: u64, out: &mut Vec<u8>) {
    for _ in 0..REPEATS {
        // Writing to memory doesn't fail.
        let _ = write!(out, "{id:020}{version:020}");
    }
}

/// The rows that are updated, in version 0.
#[derive(Debug)]
pub struct Versions;

impl Source for Versions {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        let mut row = Row::begin(layout, out);
        row.int(index);
        row.int(0);
        row.text(|out| write_body(index, 0, out));
        row.end();
    }
}

/// The tables that the ops need.
pub fn tables(ledger: &Ledger) -> Vec<Table<Versions>> {
    let has = |op: OpName| ledger.ops.contains(&op);
    let wanted = [
        (
            "ledger_rows",
            has(OpName::Insert) || has(OpName::Transaction),
            0,
        ),
        ("ledger_pairs", has(OpName::Transaction), 0),
        (
            "ledger_versions",
            has(OpName::Update),
            u64::from(ledger.rows),
        ),
    ];
    let wanted = wanted.into_iter().filter(|&(_, is_wanted, _)| is_wanted);
    wanted
        .map(|(name, _, rows)| Table {
            name: name.to_owned(),
            create: create(ledger, name),
            rows,
            source: Versions,
            chunk_rows: rows.max(1),
            after: Vec::new(),
        })
        .collect()
}

fn create(ledger: &Ledger, name: &str) -> String {
    let is_keyless = KEYLESS
        .iter()
        .any(|engine| ledger.engine.eq_ignore_ascii_case(engine));
    let key = if is_keyless { "" } else { ", PRIMARY KEY (id)" };
    let end = in_latin1(&ledger.engine, &ledger.create_options);
    format!(
        "CREATE TABLE {name} (id BIGINT NOT NULL, version BIGINT NOT NULL, \
         body VARCHAR(240) NOT NULL{key}){end}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_names_its_row_and_version() {
        let mut body = Vec::new();
        write_body(7, 3, &mut body);
        let one = "0000000000000000000700000000000000000003";
        assert_eq!(String::from_utf8(body).unwrap(), one.repeat(5));
    }

    #[test]
    fn there_are_tables_for_the_ops_alone() {
        let named = |json: &str| {
            let ledger: Ledger = serde_json::from_str(json).unwrap();
            tables(&ledger)
        };
        let all: Vec<String> = named("{}").into_iter().map(|table| table.name).collect();
        assert_eq!(all, ["ledger_rows", "ledger_pairs", "ledger_versions"]);
        let archive = named(r#"{"ops": ["insert"], "engine": "Archive"}"#);
        assert_eq!(archive.len(), 1);
        assert_eq!(
            archive[0].create,
            "CREATE TABLE ledger_rows (id BIGINT NOT NULL, version BIGINT NOT NULL, \
             body VARCHAR(240) NOT NULL) ENGINE = Archive DEFAULT CHARSET = latin1"
        );
    }
}
