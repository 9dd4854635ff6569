//! The plan of the workload `accesslog`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::defaults::{innodb, number, yes};
use crate::fill::{table_options, Source, Table};
use crate::plan::{engine_name, in_range, PlanError};

/// The most rows that one INSERT may have: about 4 KiB, far below any max_allowed_packet.
const ROWS_PER_INSERT_MAX: u32 = 1000;
/// How many rows one statement of the phase `load` loads.
const CHUNK_ROWS: u64 = 65_536;
const TABLE: &str = "accesslog";
const COLUMNS: [&str; 10] = [
    "method",
    "bytes_sent",
    "protocol",
    "uri",
    "args",
    "hostname",
    "client",
    "Referer",
    "slash_user",
    "e2_node",
];

/// The workload `accesslog`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessLog {
    /// A file with the rows of a real log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<PathBuf>,
    /// How many rows the phase `load` puts into the table.
    #[serde(default)]
    pub rows: u64,
    /// How many rows one INSERT has.
    #[serde(default = "number::<1>")]
    pub rows_per_insert: u32,
    /// The storage engine.
    #[serde(default = "innodb")]
    pub engine: String,
    /// False omits the time's default of zero, which a strict `sql_mode` may refuse.
    #[serde(default = "yes")]
    pub zero_time: bool,
    /// Appended to CREATE TABLE.
    #[serde(default)]
    pub create_options: String,
}

impl AccessLog {
    /// Checks what types can't express.
    pub(super) fn check_keys(&self) -> Result<(), PlanError> {
        engine_name(&self.engine)?;
        let rows = self.rows_per_insert;
        in_range("rows_per_insert", rows, 1, ROWS_PER_INSERT_MAX)
    }

    /// The table, and how it is filled: in one order for any engine, like a log.
    pub fn table<S: Source>(&self, source: S) -> Table<S> {
        Table {
            name: TABLE.to_owned(),
            create: self.create(),
            rows: self.rows,
            source,
            chunk_rows: CHUNK_ROWS,
            after: Vec::new(),
        }
    }

    fn create(&self) -> String {
        let zero = if self.zero_time {
            " default '0000-00-00 00:00:00'"
        } else {
            ""
        };
        let text = |name: &str| format!("{name} varchar(255) default NULL");
        format!(
            "CREATE TABLE {TABLE} (id int(10) unsigned NOT NULL, {}, \
             time datetime NOT NULL{zero}) ENGINE={}{}",
            COLUMNS.map(text).join(", "),
            self.engine,
            table_options(&self.create_options)
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::MadeRows;
    use super::*;

    fn read(keys: serde_json::Value) -> AccessLog {
        serde_json::from_value(keys).unwrap()
    }

    #[test]
    fn the_table_is_the_published_one() {
        assert_eq!(
            read(json!({"engine": "archive"}))
                .table(MadeRows::new(1))
                .create,
            "CREATE TABLE accesslog (id int(10) unsigned NOT NULL, \
             method varchar(255) default NULL, bytes_sent varchar(255) default NULL, \
             protocol varchar(255) default NULL, uri varchar(255) default NULL, \
             args varchar(255) default NULL, hostname varchar(255) default NULL, \
             client varchar(255) default NULL, Referer varchar(255) default NULL, \
             slash_user varchar(255) default NULL, e2_node varchar(255) default NULL, \
             time datetime NOT NULL default '0000-00-00 00:00:00') ENGINE=archive"
        );
        let strict = read(json!({"zero_time": false, "create_options": "ROW_FORMAT=DYNAMIC"}));
        let create = strict.table(MadeRows::new(1)).create;
        assert!(create.contains("time datetime NOT NULL)"), "{create}");
        assert!(
            create.ends_with(") ENGINE=innodb ROW_FORMAT=DYNAMIC"),
            "{create}"
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(read(json!({})).check_keys().is_ok());
        for keys in [
            json!({"engine": "a b"}),
            json!({"rows_per_insert": 0}),
            json!({"rows_per_insert": 1001}),
        ] {
            assert!(read(keys.clone()).check_keys().is_err(), "{keys}");
        }
    }
}
