//! The load plan: what a run is to do, as JSON. Described in docs/reference/load-plan.md.
//!
//! Reading is strict: an unknown key, a wrong type or a contradiction is refused with the path to
//! it and a hint. What was read can be written back with every default filled in.

mod check;
mod error;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use error::PlanError;

use crate::statements::Statements;

/// The version of the plan format that this program reads. History: 1, the first.
pub const SCHEMA: u32 = 1;

/// Everything that a run needs to know. `W` is the workload: its own type once it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan<W = AnyWorkload> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Every random stream is derived from it by name.
    pub seed: u64,
    /// Where the server is.
    pub target: Target,
    /// SQL run on every connection right after it was made.
    #[serde(default)]
    pub session: Vec<String>,
    /// How many connections, each with a worker of its own.
    #[serde(default = "default_connections")]
    pub connections: u32,
    /// Length of an interval in seconds.
    #[serde(default = "default_interval_s")]
    pub interval_s: f64,
    /// An op that takes longer than this many seconds is killed.
    #[serde(default = "default_timeout_s")]
    pub timeout_s: f64,
    /// What to read from the server beside the ops.
    #[serde(default)]
    pub observe: Observe,
    /// In order.
    pub phases: Vec<Phase>,
    /// What to do.
    pub workload: W,
}

fn default_connections() -> u32 {
    1
}

fn default_interval_s() -> f64 {
    1.0
}

fn default_timeout_s() -> f64 {
    3600.0
}

/// Where the server is, and who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Path of a Unix socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
    /// Name or address of a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// With `host`; 3306 if it isn't said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Account name.
    #[serde(default = "default_user")]
    pub user: String,
    /// Name of the environment variable that holds the password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_env: Option<String>,
    /// Default schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// Encryption.
    #[serde(default)]
    pub tls: Tls,
    /// Certificates of the authorities (PEM), with `tls` `verify`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
}

fn default_user() -> String {
    "root".to_owned()
}

/// Whether connections are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tls {
    /// In clear.
    #[default]
    Off,
    /// Encrypted; the certificate is not checked.
    Required,
    /// Encrypted; the certificate is checked.
    Verify,
}

/// What to read from the server beside the ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Observe {
    /// Session and global variables, once.
    pub settings: bool,
    /// EXPLAIN of every SELECT, once.
    pub explain: bool,
    /// Session and global status around every statement.
    pub status: bool,
}

/// One phase of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Which one.
    pub name: PhaseName,
    /// How often each connection does everything once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// For how many seconds ops are begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
}

/// The phases that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseName {
    /// Creates the tables and fills them.
    Load,
    /// As `measure`, but not what is to be reported.
    Warmup,
    /// What is to be reported.
    Measure,
}

impl PhaseName {
    /// As the formats spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            PhaseName::Load => "load",
            PhaseName::Warmup => "warmup",
            PhaseName::Measure => "measure",
        }
    }
}

/// A workload, by its `kind`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AnyWorkload {
    /// Named statements, each timed alone.
    Statements(Statements),
}

/// The values of `kind`.
const KINDS: [&str; 1] = ["statements"];

impl Plan {
    /// Reads a plan and checks it.
    pub fn read(text: &str) -> Result<Plan, PlanError> {
        let value: Value = serde_json::from_str(text).map_err(PlanError::json)?;
        let read: Plan<Value> = typed(value, "")?;
        let workload = AnyWorkload::read(&read.workload)?;
        let mut plan = read.with(workload);
        check::check(&plan)?;
        if plan.target.host.is_some() {
            plan.target.port.get_or_insert(3306);
        }
        Ok(plan)
    }
}

impl<W> Plan<W> {
    fn with<V>(self, workload: V) -> Plan<V> {
        // Taken apart field by field, so that a new field can't be forgotten here.
        let Plan {
            schema,
            seed,
            target,
            session,
            connections,
            interval_s,
            timeout_s,
            observe,
            phases,
            workload: _,
        } = self;
        Plan {
            schema,
            seed,
            target,
            session,
            connections,
            interval_s,
            timeout_s,
            observe,
            phases,
            workload,
        }
    }
}

impl AnyWorkload {
    /// Reads the part of a plan that depends on `kind`. Done by hand because serde's tagged enums
    /// forget the path of an error.
    fn read(value: &Value) -> Result<AnyWorkload, PlanError> {
        let Value::Object(keys) = value else {
            return Err(PlanError::new(
                "workload",
                "wrong type: an object is needed",
                "",
            ));
        };
        let mut keys = keys.clone();
        match keys.remove("kind") {
            Some(Value::String(kind)) if kind == KINDS[0] => Ok(AnyWorkload::Statements(typed(
                Value::Object(keys),
                "workload",
            )?)),
            Some(Value::String(kind)) => {
                Err(PlanError::unknown("workload.kind", "value", &kind, &KINDS))
            }
            Some(other) => Err(PlanError::new(
                "workload.kind",
                &format!("wrong type: {other}, where a string is needed"),
                &format!("one of {}", KINDS.join(", ")),
            )),
            None => Err(PlanError::missing("workload", "kind")),
        }
    }
}

fn typed<T: serde::de::DeserializeOwned>(value: Value, under: &str) -> Result<T, PlanError> {
    serde_path_to_error::deserialize(value).map_err(|error| PlanError::serde(under, &error))
}
