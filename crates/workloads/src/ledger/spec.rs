//! The plan of the workload `ledger`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::defaults::{innodb, number};
use crate::plan::{engine_name, in_range, PlanError};

/// More rows to update than this hide what is lost: each is written too rarely.
const ROWS_MAX: u32 = 10_000_000;

/// The workload `ledger`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// The ops, in turn.
    #[serde(default = "all_ops")]
    pub ops: Vec<OpName>,
    /// How many rows are updated; each belongs to one connection.
    #[serde(default = "number::<1000>")]
    pub rows: u32,
    /// The storage engine.
    #[serde(default = "innodb")]
    pub engine: String,
    /// Appended to CREATE TABLE.
    #[serde(default)]
    pub create_options: String,
    /// Each acknowledged op is appended to this file: `ns insert id`, `ns transaction id`, `ns
    /// update id version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes_file: Option<PathBuf>,
}

fn all_ops() -> Vec<OpName> {
    vec![OpName::Insert, OpName::Update, OpName::Transaction]
}

/// What an op is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpName {
    /// One new row.
    Insert,
    /// The next version of a row.
    Update,
    /// A new row in each of two tables, committed together.
    Transaction,
}

impl OpName {
    /// As the plan spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            OpName::Insert => "insert",
            OpName::Update => "update",
            OpName::Transaction => "transaction",
        }
    }
}

impl Ledger {
    /// Checks what types can't express.
    pub(super) fn check_keys(&self, connections: u32) -> Result<(), PlanError> {
        engine_name(&self.engine)?;
        in_range("rows", self.rows, 1, ROWS_MAX)?;
        if self.ops.is_empty() {
            let hint = "give `insert`, `update`, `transaction`, or some of them";
            return Err(PlanError::new("workload.ops", "names no op", hint));
        }
        let mut names: Vec<&str> = self.ops.iter().map(|op| op.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("`{}` is given twice", twice[0]);
            return Err(PlanError::new(
                "workload.ops",
                &message,
                "name each op once",
            ));
        }
        if self.ops.contains(&OpName::Update) && self.rows < connections {
            let message = format!("{}, but there are {connections} connections", self.rows);
            let hint = "each connection updates rows of its own: give at least one to each";
            return Err(PlanError::new("workload.rows", &message, hint));
        }
        Ok(())
    }
}
