//! The plan of the workload `statements`: its tables and its statements.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error as _, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::plan::{Phase, PhaseName, PlanError};

/// The workload `statements`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statements {
    /// What the phase `load` creates.
    #[serde(default)]
    pub tables: Vec<Table>,
    /// What the other phases do, in order.
    #[serde(default)]
    pub statements: Vec<Statement>,
}

/// A table and its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its name, without a schema.
    pub name: String,
    /// The CREATE TABLE statement.
    pub create: String,
    /// How many rows.
    pub rows: u64,
    /// The content of its columns.
    pub columns: Columns,
    /// Statements to run when all rows have been loaded.
    #[serde(default)]
    pub after: Vec<String>,
}

/// The content of a table's columns, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Columns {
    /// Each by itself.
    Each(Vec<Generator>),
    /// Rows of a named kind.
    Named(Named),
}

/// Named kinds of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Named {
    /// Those of the workload `accesslog`.
    AccessLog,
}

impl<'de> Deserialize<'de> for Columns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Columns, D::Error> {
        deserializer.deserialize_any(ColumnsVisitor)
    }
}

/// Written by hand, because serde's untagged enums forget the path of an error.
struct ColumnsVisitor;

impl<'de> Visitor<'de> for ColumnsVisitor {
    type Value = Columns;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list of columns, or the name of a kind of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Columns, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Columns::Each)
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Columns, E> {
        Named::deserialize(name.into_deserializer()).map(Columns::Named)
    }
}

/// The content of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "generate", rename_all = "snake_case", deny_unknown_fields)]
pub enum Generator {
    /// Uniform integers.
    Int {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// Integers in order.
    Sequence {
        /// The first.
        #[serde(default = "default_start")]
        start: i64,
    },
    /// Lower-case hexadecimal digits.
    Hex {
        /// How many digits.
        length: u8,
        /// Number of different values.
        distinct: u64,
    },
    /// A random decimal fraction, repeated.
    RepeatDecimal {
        /// How often at most.
        times_max: u16,
    },
}

fn default_start() -> i64 {
    1
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Its name in events.
    pub name: String,
    /// What is sent.
    pub sql: String,
    /// The part of the result that the checksum covers.
    #[serde(default)]
    pub compare: Compare,
    /// True if the rows have a total order, which the checksum then covers.
    #[serde(default)]
    pub ordered: bool,
}

/// The part of a result that a checksum covers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Compare {
    /// All columns.
    #[default]
    All,
    /// The number of rows.
    Rows,
    /// Some columns.
    Columns(Vec<ColumnRef>),
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnRef {
    /// By its name or alias.
    Name(String),
    /// By its place, from 1.
    Position(u64),
}

impl<'de> Deserialize<'de> for Compare {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Compare, D::Error> {
        let text = "wrong value, where \"all\", \"rows\" or a list of columns is needed";
        match Value::deserialize(deserializer)? {
            Value::String(word) if word == "all" => Ok(Compare::All),
            Value::String(word) if word == "rows" => Ok(Compare::Rows),
            Value::Array(columns) if !columns.is_empty() => {
                let columns = columns.iter().map(column_ref).collect::<Option<_>>();
                let text = "a column is its name or its position from 1";
                columns
                    .map(Compare::Columns)
                    .ok_or_else(|| D::Error::custom(text))
            }
            _ => Err(D::Error::custom(text)),
        }
    }
}

fn column_ref(value: &Value) -> Option<ColumnRef> {
    match value {
        Value::String(name) => Some(ColumnRef::Name(name.clone())),
        Value::Number(number) => number
            .as_u64()
            .filter(|&place| place > 0)
            .map(ColumnRef::Position),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

impl Serialize for Compare {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Compare::All => serializer.serialize_str("all"),
            Compare::Rows => serializer.serialize_str("rows"),
            Compare::Columns(columns) => serializer.collect_seq(columns),
        }
    }
}

impl Serialize for ColumnRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ColumnRef::Name(name) => serializer.serialize_str(name),
            ColumnRef::Position(place) => serializer.serialize_u64(*place),
        }
    }
}

impl Statements {
    /// Checks what types can't express.
    pub(super) fn check_keys(&self, phases: &[Phase]) -> Result<(), PlanError> {
        let asks = phases.iter().any(|phase| phase.name != PhaseName::Load);
        if asks && self.statements.is_empty() {
            let message = "there is a phase that needs statements, but no statement";
            return Err(PlanError::new(
                "workload.statements",
                message,
                "add a statement",
            ));
        }
        if self.statements.len() > usize::from(u16::MAX) {
            let message = format!("{} statements", self.statements.len());
            return Err(PlanError::new(
                "workload.statements",
                &message,
                "give at most 65535",
            ));
        }
        check_names("statements", self.statements.iter().map(|one| &one.name))?;
        check_tables(&self.tables, phases)
    }
}

/// Checks the tables that the phase `load` creates.
pub(crate) fn check_tables(tables: &[Table], phases: &[Phase]) -> Result<(), PlanError> {
    let loads = phases.iter().any(|phase| phase.name == PhaseName::Load);
    if loads && tables.is_empty() {
        let message = "there is a phase `load`, but no table";
        return Err(PlanError::new("workload.tables", message, "add a table"));
    }
    check_names("tables", tables.iter().map(|table| &table.name))?;
    for (number, table) in tables.iter().enumerate() {
        let path = format!("workload.tables[{number}].columns");
        let Columns::Each(columns) = &table.columns else {
            continue;
        };
        if columns.is_empty() {
            return Err(PlanError::new(
                &path,
                "no column is given",
                "describe every column",
            ));
        }
        for (place, generator) in columns.iter().enumerate() {
            generator.check(&format!("{path}[{place}]"))?;
        }
    }
    Ok(())
}

/// Each name of a list is there, and is given once.
pub(crate) fn check_names<'a>(
    list: &str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), PlanError> {
    let mut seen = BTreeSet::new();
    for (number, name) in names.enumerate() {
        let path = format!("workload.{list}[{number}].name");
        if name.is_empty() {
            return Err(PlanError::new(&path, "the name is empty", "give a name"));
        }
        if !seen.insert(name) {
            let message = format!("`{name}` is given twice");
            return Err(PlanError::new(&path, &message, "give each its own name"));
        }
    }
    Ok(())
}

impl Generator {
    /// Checks what types can't express.
    pub(crate) fn check(&self, path: &str) -> Result<(), PlanError> {
        match *self {
            Generator::Int { min, max } if min > max => {
                let message = format!("`min` {min} is above `max` {max}");
                Err(PlanError::new(path, &message, "exchange them"))
            }
            Generator::Hex { length: 0, .. } => Err(PlanError::new(
                path,
                "`length` is 0",
                "give 1 to 255 digits",
            )),
            Generator::Hex { distinct: 0, .. } => {
                Err(PlanError::new(path, "`distinct` is 0", "give at least 1"))
            }
            Generator::Hex { length, distinct }
                if length < 16 && distinct > 1_u64 << (4 * u32::from(length)) =>
            {
                let message = format!("{length} digits can't hold {distinct} different values");
                Err(PlanError::new(
                    path,
                    &message,
                    "raise `length` or lower `distinct`",
                ))
            }
            Generator::Int { .. }
            | Generator::Sequence { .. }
            | Generator::Hex { .. }
            | Generator::RepeatDecimal { .. } => Ok(()),
        }
    }
}
