//! The plan of the workload `oltp`. Keys and defaults are those of sysbench 1.0, except `loaders`.

use serde::{Deserialize, Serialize};

use super::distribution::Distribution;
use crate::defaults::{innodb, number, yes};

/// The workload `oltp`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oltp {
    /// What an op is.
    pub script: ScriptName,
    /// How many tables: `sbtest1` and so on. `bulk_insert` has at least one per connection.
    #[serde(default = "number::<1>")]
    pub tables: u32,
    /// How many rows in each.
    #[serde(default = "number::<10_000>")]
    pub table_size: u32,
    /// How many ids a range select covers.
    #[serde(default = "number::<100>")]
    pub range_size: u32,
    /// Selects of one row by its id.
    #[serde(default = "number::<10>")]
    pub point_selects: u32,
    /// Selects of a range of ids.
    #[serde(default = "number::<1>")]
    pub simple_ranges: u32,
    /// Sums over a range of ids.
    #[serde(default = "number::<1>")]
    pub sum_ranges: u32,
    /// Selects of a range of ids, sorted by another column.
    #[serde(default = "number::<1>")]
    pub order_ranges: u32,
    /// The same without duplicates.
    #[serde(default = "number::<1>")]
    pub distinct_ranges: u32,
    /// False leaves out all four kinds of ranges.
    #[serde(default = "yes")]
    pub range_selects: bool,
    /// Updates of the indexed column.
    #[serde(default = "number::<1>")]
    pub index_updates: u32,
    /// Updates of a column without an index.
    #[serde(default = "number::<1>")]
    pub non_index_updates: u32,
    /// Pairs of a DELETE and an INSERT of the same id.
    #[serde(default = "number::<1>")]
    pub delete_inserts: u32,
    /// True sends the statements of a transaction without BEGIN and COMMIT.
    #[serde(default)]
    pub skip_trx: bool,
    /// True makes the ids an AUTO_INCREMENT column. False leaves the tables of `oltp_insert` empty,
    /// since it then generates its own ids.
    #[serde(default = "yes")]
    pub auto_inc: bool,
    /// True creates a secondary index on the ids instead of the primary key.
    #[serde(default)]
    pub secondary: bool,
    /// False leaves out the index that each table gets when its rows have been loaded.
    #[serde(default = "yes")]
    pub create_secondary: bool,
    /// The storage engine.
    #[serde(default = "innodb")]
    pub engine: String,
    /// Appended to CREATE TABLE.
    #[serde(default)]
    pub create_options: String,
    /// False sends everything as text. True prepares each statement for each table on each
    /// connection, which the server's `max_prepared_stmt_count` must allow. `oltp_insert` and
    /// `bulk_insert` always use text.
    #[serde(default = "yes")]
    pub prepared: bool,
    /// With `select_random_points`: how many values are asked for.
    #[serde(default = "number::<10>")]
    pub random_points: u32,
    /// With `select_random_ranges`: how many ranges are asked for.
    #[serde(default = "number::<10>")]
    pub number_of_ranges: u32,
    /// With `select_random_ranges`: last value of a range minus its first.
    #[serde(default = "number::<5>")]
    pub delta: u32,
    /// How many connections fill the tables.
    #[serde(default = "number::<4>")]
    pub loaders: u32,
    /// What ids and values of `k` are drawn from.
    #[serde(default)]
    pub distribution: Distribution,
}

/// What an op is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptName {
    /// A transaction of all kinds of reads and writes.
    OltpReadWrite,
    /// A transaction of reads.
    OltpReadOnly,
    /// A transaction of writes.
    OltpWriteOnly,
    /// One row by its id.
    OltpPointSelect,
    /// Updates of the indexed column, each on its own.
    OltpUpdateIndex,
    /// Updates of a column without an index, each on its own.
    OltpUpdateNonIndex,
    /// One new row.
    OltpInsert,
    /// One row fewer, and never a new one: after a while most deletes hit nothing.
    OltpDelete,
    /// Rows by values of the indexed column.
    SelectRandomPoints,
    /// Counts rows in ranges of the indexed column.
    SelectRandomRanges,
    /// One row of a multi-row INSERT.
    BulkInsert,
}

impl ScriptName {
    /// As the plan spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            ScriptName::OltpReadWrite => "oltp_read_write",
            ScriptName::OltpReadOnly => "oltp_read_only",
            ScriptName::OltpWriteOnly => "oltp_write_only",
            ScriptName::OltpPointSelect => "oltp_point_select",
            ScriptName::OltpUpdateIndex => "oltp_update_index",
            ScriptName::OltpUpdateNonIndex => "oltp_update_non_index",
            ScriptName::OltpInsert => "oltp_insert",
            ScriptName::OltpDelete => "oltp_delete",
            ScriptName::SelectRandomPoints => "select_random_points",
            ScriptName::SelectRandomRanges => "select_random_ranges",
            ScriptName::BulkInsert => "bulk_insert",
        }
    }
}
