//! The load plan: what a run is to do, as JSON. Described in docs/reference/load-plan.md.
//!
//! Reading is strict: an unknown key, a wrong type or a contradiction is refused with the path to
//! it and a hint. What was read can be written back with every default filled in.

mod check;
mod error;
mod limits;
mod phase;
mod target;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use check::{engine_name, in_range};
pub use error::PlanError;
pub use phase::{
    ArrivalKind, Arrivals, Phase, PhaseName, RateStep, Search, Think, ThinkKind, Until,
};
pub use target::{Secret, Target, Tls};

use crate::accesslog::AccessLog;
use crate::linkbench::Linkbench;
use crate::oltp::Oltp;
use crate::slap::Slap;
use crate::statements::Statements;
use crate::tpcc::Tpcc;

/// The newest version of the plan format that this program reads; it reads all older ones too.
/// History: 1, the first. 2: load models, limits by ops, retries, the workload `oltp`; every plan
/// of schema 1 means the same in it.
pub const SCHEMA: u32 = 2;

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
    /// After the end of a timed phase, so many seconds are left to the ops that still run.
    #[serde(default = "default_drain_s")]
    pub drain_s: f64,
    /// Which refusals are answered by running the transaction again.
    #[serde(default)]
    pub retries: Retries,
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

fn default_drain_s() -> f64 {
    60.0
}

/// Which refusals are answered by running the whole transaction again, with the same inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retries {
    /// Error numbers: deadlock, record changed and lock wait timeout, unless others are given.
    pub codes: Vec<u16>,
    /// How often one op is run again at most.
    pub limit: u16,
}

impl Default for Retries {
    fn default() -> Retries {
        Retries {
            codes: vec![1213, 1020, 1205],
            limit: 100,
        }
    }
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

/// A workload, by its `kind`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AnyWorkload {
    /// Named statements, each timed alone.
    Statements(Statements),
    /// The OLTP scripts that sysbench bundles.
    Oltp(Oltp),
    /// A web server's access log, written row by row.
    #[serde(rename = "accesslog")]
    AccessLog(AccessLog),
    /// What mysqlslap makes up by itself.
    Slap(Slap),
    /// TPC-C-like.
    #[serde(rename = "tpcc")]
    Tpcc(Tpcc),
    /// The social graph.
    Linkbench(Linkbench),
}

/// The values of `kind`.
const KINDS: [&str; 6] = [
    "statements",
    "oltp",
    "accesslog",
    "slap",
    "tpcc",
    "linkbench",
];

impl Plan {
    /// Reads a plan and checks it.
    pub fn read(text: &str) -> Result<Plan, PlanError> {
        let value: Value = serde_json::from_str(text).map_err(PlanError::json)?;
        let read: Plan<Value> = typed(value, "")?;
        let workload = AnyWorkload::read(&read.workload)?;
        let mut plan = read.with(workload);
        check::check(&plan)?;
        // With its defaults filled in it has keys of the newest schema.
        plan.schema = SCHEMA;
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
            drain_s,
            retries,
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
            drain_s,
            retries,
            observe,
            phases,
            workload,
        }
    }
}

impl AnyWorkload {
    /// True for a workload of ops that come by a load model, without rounds.
    pub fn is_load(&self) -> bool {
        match self {
            AnyWorkload::Statements(_) => false,
            AnyWorkload::Oltp(_)
            | AnyWorkload::AccessLog(_)
            | AnyWorkload::Slap(_)
            | AnyWorkload::Tpcc(_)
            | AnyWorkload::Linkbench(_) => true,
        }
    }

    /// True for a workload that sends several statements at once, and goes on by what it is
    /// answered.
    pub fn converses(&self) -> bool {
        matches!(self, AnyWorkload::Tpcc(_) | AnyWorkload::Linkbench(_))
    }

    /// How many connections fill the tables.
    pub fn loaders(&self) -> usize {
        match self {
            AnyWorkload::Statements(_) | AnyWorkload::AccessLog(_) | AnyWorkload::Slap(_) => 1,
            AnyWorkload::Oltp(oltp) => oltp.loaders as usize,
            AnyWorkload::Tpcc(tpcc) => tpcc.loaders as usize,
            AnyWorkload::Linkbench(linkbench) => linkbench.loaders as usize,
        }
    }

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
            Some(Value::String(kind)) => {
                let keys = Value::Object(keys);
                match kind.as_str() {
                    "statements" => typed(keys, "workload").map(AnyWorkload::Statements),
                    "oltp" => typed(keys, "workload").map(AnyWorkload::Oltp),
                    "accesslog" => typed(keys, "workload").map(AnyWorkload::AccessLog),
                    "slap" => typed(keys, "workload").map(AnyWorkload::Slap),
                    "tpcc" => typed(keys, "workload").map(AnyWorkload::Tpcc),
                    "linkbench" => typed(keys, "workload").map(AnyWorkload::Linkbench),
                    other => Err(PlanError::unknown("workload.kind", "value", other, &KINDS)),
                }
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
