//! The plan of the workload `slap`. Defaults are those of mysqlslap --auto-generate-sql.

use serde::{Deserialize, Serialize};

use super::generate::{Columns, Generate, LoadType, Primary};
use super::rows::SlapRows;
use crate::defaults::{innodb, number};
use crate::fill::{table_options, Table};
use crate::plan::{engine_name, in_range, PlanError};

/// More columns of a kind, or more different statements, than this are a mistake.
const MANY: u32 = 1000;
/// How many rows one statement of the phase `load` loads.
const CHUNK_ROWS: u64 = 65_536;

/// The workload `slap`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slap {
    /// What the statements do.
    #[serde(default)]
    pub load_type: LoadType,
    /// The table's first column, by which `key`, `mixed` and `update` find a row. Without it they
    /// read or change all rows.
    #[serde(default)]
    pub primary: Primary,
    /// Columns with a unique index.
    #[serde(default)]
    pub secondary: u32,
    /// Columns of integers.
    #[serde(default = "number::<1>")]
    pub int_columns: u32,
    /// True gives each of them an index.
    #[serde(default)]
    pub int_indexed: bool,
    /// Columns of strings.
    #[serde(default = "number::<1>")]
    pub char_columns: u32,
    /// True gives each of them an index.
    #[serde(default)]
    pub char_indexed: bool,
    /// Different statements, which a connection runs one after another, in a cycle.
    #[serde(default = "number::<11>")]
    pub unique_queries: u32,
    /// Different rows, which are repeated to fill the table.
    #[serde(default = "number::<10>")]
    pub unique_rows: u32,
    /// Initial rows in the table.
    #[serde(default = "rows")]
    pub rows: u64,
    /// The storage engine.
    #[serde(default = "innodb")]
    pub engine: String,
    /// Appended to CREATE TABLE.
    #[serde(default)]
    pub create_options: String,
}

fn rows() -> u64 {
    99
}

impl Slap {
    /// Checks what types can't express.
    pub(super) fn check_keys(&self) -> Result<(), PlanError> {
        engine_name(&self.engine)?;
        let ranges = [
            ("secondary", self.secondary, 0),
            ("int_columns", self.int_columns, 0),
            ("char_columns", self.char_columns, 0),
            ("unique_queries", self.unique_queries, 1),
            ("unique_rows", self.unique_rows, 1),
        ];
        for (key, value, least) in ranges {
            in_range(key, value, least, MANY)?;
        }
        if self.int_columns + self.char_columns == 0 {
            let message = "there is no column to read or write";
            let hint = "give int_columns or char_columns";
            return Err(PlanError::new("workload", message, hint));
        }
        if self.primary != Primary::None && self.rows == 0 && self.is_by_key() {
            let hint = "give rows, so that there is something to find";
            return Err(PlanError::new("workload.rows", "0", hint));
        }
        Ok(())
    }

    fn is_by_key(&self) -> bool {
        !matches!(self.load_type, LoadType::Read | LoadType::Write)
    }

    /// What is to be generated.
    pub fn generate(&self) -> Generate {
        let columns = |count: u32, indexed| Columns {
            count: count as usize,
            indexed,
        };
        Generate {
            primary: self.primary,
            secondary: self.secondary as usize,
            ints: columns(self.int_columns, self.int_indexed),
            chars: columns(self.char_columns, self.char_indexed),
            load_type: self.load_type,
            // One fewer than there are.
            unique_queries: self.unique_queries as usize - 1,
            unique_writes: 0,
            writes: 0,
        }
    }

    /// The names of the ops: the kinds of statements used.
    pub fn op_names(&self) -> Vec<String> {
        let names: &[&str] = match self.load_type {
            LoadType::Mixed if self.unique_queries > 1 => &["insert", "select"],
            LoadType::Mixed | LoadType::Write => &["insert"],
            LoadType::Read | LoadType::Key => &["select"],
            LoadType::Update => &["update"],
        };
        names.iter().map(|&name| name.to_owned()).collect()
    }

    /// The table, filled in one order for any engine.
    pub(super) fn table(&self, seed: u64) -> Table<SlapRows> {
        let create = String::from_utf8_lossy(&self.generate().create_table()).into_owned();
        let options = table_options(&self.create_options);
        Table {
            name: "t1".to_owned(),
            create: format!("{create} ENGINE={}{options}", self.engine),
            rows: self.rows,
            source: SlapRows::new(seed, self),
            chunk_rows: CHUNK_ROWS,
            after: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(keys: serde_json::Value) -> Slap {
        serde_json::from_value(keys).unwrap()
    }

    #[test]
    fn the_table_is_mysqlslap_s_with_its_engine() {
        let slap = read(json!({"engine": "archive", "create_options": "COMMENT='x'"}));
        assert_eq!(
            slap.table(1).create,
            "CREATE TABLE `t1` (intcol1 INT(32) ,charcol1 VARCHAR(128)) ENGINE=archive COMMENT='x'"
        );
        assert_eq!(slap.op_names(), ["insert", "select"]);
        assert_eq!(read(json!({"load_type": "key"})).op_names(), ["select"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(read(json!({})).check_keys().is_ok());
        for keys in [
            json!({"engine": "a b"}),
            json!({"int_columns": 0, "char_columns": 0}),
            json!({"unique_queries": 0}),
            json!({"unique_rows": 1001}),
            json!({"primary": "guid", "load_type": "key", "rows": 0}),
        ] {
            assert!(read(keys.clone()).check_keys().is_err(), "{keys}");
        }
    }
}
