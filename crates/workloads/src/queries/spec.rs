//! The plan of the workload `queries`: its tables and its queries.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::sql::names;
use crate::calendar;
use crate::defaults::{number, yes};
use crate::oltp::Distribution;
use crate::plan::{Phase, PhaseName, PlanError};
use crate::statements::{check_names, check_tables, Generator, Table};

/// The highest weight of a query.
const WEIGHT_MAX: u32 = 1_000_000;

/// The workload `queries`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queries {
    /// What the phase `load` creates.
    #[serde(default)]
    pub tables: Vec<Table>,
    /// What the other phases ask, by weight.
    #[serde(default)]
    pub queries: Vec<Query>,
    /// False sends everything as text. True prepares each statement on each connection, which the
    /// server's `max_prepared_stmt_count` must allow.
    #[serde(default = "yes")]
    pub prepared: bool,
}

/// A query: one op.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Its name in events.
    pub name: String,
    /// How often it is drawn, beside the weights of the others.
    #[serde(default = "number::<1>")]
    pub weight: u32,
    /// What is sent, one statement after the other. `:name` in it is a value.
    pub sql: Vec<String>,
    /// True encloses the statements in BEGIN and COMMIT.
    #[serde(default)]
    pub transaction: bool,
    /// What its values are drawn from, once for each op.
    #[serde(default)]
    pub values: BTreeMap<String, Draw>,
}

/// What a value is drawn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "draw", rename_all = "snake_case", deny_unknown_fields)]
pub enum Draw {
    /// Integers.
    Int {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
        /// How they are distributed.
        #[serde(default = "uniform")]
        distribution: Distribution,
    },
    /// Dates, as days since 1970-01-01.
    Date {
        /// The first.
        min: i64,
        /// The last.
        max: i64,
        /// How they are distributed.
        #[serde(default = "uniform")]
        distribution: Distribution,
    },
    /// Lower-case hexadecimal digits.
    Hex {
        /// How many digits.
        length: u8,
        /// Number of different values.
        distinct: u64,
    },
    /// One of some values.
    List {
        /// All of them.
        values: Vec<Literal>,
        /// How their places in the list are distributed.
        #[serde(default = "uniform")]
        distribution: Distribution,
    },
    /// What a column of a table has in one of its rows.
    Column {
        /// The table's name.
        table: String,
        /// The column's place in it, from 1.
        place: u32,
        /// How many rows the table was loaded with.
        rows: u64,
        /// What is in the column.
        generator: Generator,
        /// How the rows' numbers are distributed.
        #[serde(default = "uniform")]
        distribution: Distribution,
    },
}

/// A value in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "wrong type, where a whole number or a string is needed"
)]
pub enum Literal {
    /// An integer.
    Int(i64),
    /// Any text.
    Text(String),
}

fn uniform() -> Distribution {
    Distribution::Uniform {}
}

impl Queries {
    /// Checks what types can't express.
    pub(super) fn check_keys(&self, phases: &[Phase]) -> Result<(), PlanError> {
        let refuse =
            |message: &str, hint: &str| Err(PlanError::new("workload.queries", message, hint));
        let asks = phases.iter().any(|phase| phase.name != PhaseName::Load);
        if asks && self.queries.is_empty() {
            return refuse(
                "there is a phase that needs queries, but no query",
                "add one",
            );
        }
        if self.queries.len() > 1000 {
            let message = format!("{} queries", self.queries.len());
            return refuse(&message, "give at most 1000");
        }
        check_names("queries", self.queries.iter().map(|query| &query.name))?;
        for (number, query) in self.queries.iter().enumerate() {
            query.check(&format!("workload.queries[{number}]"))?;
        }
        check_tables(&self.tables, phases)
    }
}

impl Query {
    fn check(&self, path: &str) -> Result<(), PlanError> {
        let refuse = |key: &str, message: &str, hint: &str| {
            Err(PlanError::new(&format!("{path}.{key}"), message, hint))
        };
        if !(1..=WEIGHT_MAX).contains(&self.weight) {
            let message = format!("the weight is {}", self.weight);
            return refuse(
                "weight",
                &message,
                "give a whole number from 1 to 1,000,000",
            );
        }
        if self.sql.is_empty() {
            return refuse("sql", "no statement is given", "give one at least");
        }
        let mut used = Vec::new();
        for (number, sql) in self.sql.iter().enumerate() {
            let key = format!("sql[{number}]");
            if sql.trim().is_empty() {
                return refuse(&key, "the statement is empty", "write SQL");
            }
            if sql.contains('?') {
                let hint = "name it, as `:name`, and say in `values` what it is drawn from";
                return refuse(&key, &format!("there is a `?` in `{}`", self.name), hint);
            }
            for name in names(sql) {
                if !self.values.contains_key(name) {
                    let message = format!("`:{name}` isn't among the values of `{}`", self.name);
                    return refuse(&key, &message, "say in `values` what it is drawn from");
                }
                used.push(name.to_owned());
            }
        }
        for (name, draw) in &self.values {
            if !used.contains(name) {
                let hint = format!("write `:{name}` into the SQL, or leave it out");
                let message = format!("`{name}` is never used by `{}`", self.name);
                return refuse("values", &message, &hint);
            }
            draw.check(&format!("{path}.values.{name}"))?;
        }
        Ok(())
    }
}

impl Draw {
    fn check(&self, path: &str) -> Result<(), PlanError> {
        let refuse = |message: &str, hint: &str| Err(PlanError::new(path, message, hint));
        match self {
            Draw::Int { min, max, .. } | Draw::Date { min, max, .. } if min > max => refuse(
                &format!("`min` {min} is above `max` {max}"),
                "exchange them",
            ),
            Draw::Int { min, max, .. } if max.abs_diff(*min) == u64::MAX => {
                refuse("there are 2^64 different values", "give a smaller range")
            }
            Draw::Date { min, max, .. } if *min < calendar::FIRST || *max > calendar::LAST => {
                refuse(
                    "a date isn't between the years 1000 and 9999",
                    "give another one",
                )
            }
            Draw::List { values, .. } if values.is_empty() => {
                refuse("the list is empty", "give one value at least")
            }
            Draw::Column { place: 0, .. } => refuse("`place` is 0", "columns count from 1"),
            Draw::Column { rows: 0, .. } => refuse("`rows` is 0", "the table has no row to read"),
            Draw::Hex { length, distinct } => Generator::Hex {
                length: *length,
                distinct: *distinct,
            }
            .check(path),
            Draw::Column {
                generator,
                distribution,
                ..
            } => {
                generator.check(path)?;
                distribution.check(path)
            }
            Draw::Int { distribution, .. }
            | Draw::Date { distribution, .. }
            | Draw::List { distribution, .. } => distribution.check(path),
        }
    }
}
