//! The load plan: what a run is to do, as JSON. Described in docs/reference/load-plan.md.
//!
//! Reading is strict: an unknown key, a wrong type or a contradiction is refused with the path to
//! it and a hint. A plan that was read can be written back with every default filled in.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use workloads::plan::{
    phases, seconds, target, typed, Phase, PhaseName, PlanError, Retries, Target,
};
use workloads::Spec;

use crate::any::AnyWorkload;

/// The most connections that a plan may ask for.
const CONNECTIONS_MAX: u32 = 10_000;
/// The most of several programs together.
const OF_MAX: u32 = 10_000_000;
/// The newest version of the plan format that this program reads; it reads all older ones too.
/// History: 1, the first. 2: load models, limits by ops, retries, the workload `oltp`; every plan
/// of schema 1 has the same meaning in it.
pub const SCHEMA: u32 = 2;

/// Everything that a run needs to know. `W` is the workload: its own type once it has been read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan<W = AnyWorkload> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Every random stream is derived from it by name.
    pub seed: u64,
    /// Where the server is.
    pub target: Target,
    /// SQL run on every connection right after connecting.
    #[serde(default)]
    pub session: Vec<String>,
    /// How many connections, each with its own worker.
    #[serde(default = "default_connections")]
    pub connections: u32,
    /// Which of all connections these are, where several programs make one load together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// What each timed phase waits for once all connections are ready: nothing unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// Length of an interval in seconds.
    #[serde(default = "default_interval_s")]
    pub interval_s: f64,
    /// An op that takes longer than this many seconds is killed.
    #[serde(default = "default_timeout_s")]
    pub timeout_s: f64,
    /// How many seconds ops may still run after the end of a timed phase.
    #[serde(default = "default_drain_s")]
    pub drain_s: f64,
    /// Which refusals are answered by rerunning the transaction.
    #[serde(default)]
    pub retries: Retries,
    /// What to read from the server besides the ops.
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

/// What a timed phase waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// A line `go <ns>` on standard input: it begins at that instant of CLOCK_MONOTONIC.
    Go,
}

/// The connections of this program among all: those from `first` on, of `of`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// The number of the first connection here, from 0.
    pub first: u32,
    /// How many connections all programs have together.
    pub of: u32,
}

/// What to read from the server besides the ops.
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

impl<W> Plan<W> {
    /// Which of all connections those of this program are: all of them if the plan has no share.
    pub fn part(&self) -> Share {
        self.share.unwrap_or(Share {
            first: 0,
            of: self.connections,
        })
    }
}

impl Plan {
    /// Reads a plan and checks it.
    pub fn read(text: &str) -> Result<Plan, PlanError> {
        let value: Value = serde_json::from_str(text).map_err(PlanError::json)?;
        let read: Plan<Value> = typed(value, "")?;
        let workload = AnyWorkload::read(&read.workload)?;
        let mut plan = read.with(workload);
        check(&plan)?;
        // With its defaults filled in, it has keys of the newest schema.
        plan.schema = SCHEMA;
        if plan.target.host.is_some() {
            plan.target.port.get_or_insert(3306);
        }
        Ok(plan)
    }
}

impl<W> Plan<W> {
    fn with<V>(self, workload: V) -> Plan<V> {
        // Destructured field by field, so that a new field can't be forgotten here.
        let Plan {
            schema,
            seed,
            target,
            session,
            connections,
            share,
            start,
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
            share,
            start,
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

fn check(plan: &Plan) -> Result<(), PlanError> {
    if !(1..=SCHEMA).contains(&plan.schema) {
        let message = format!("{} is not a version that this dynoload reads", plan.schema);
        return Err(PlanError::new(
            "schema",
            &message,
            &format!("write schema {SCHEMA}"),
        ));
    }
    target(&plan.target)?;
    if !(1..=CONNECTIONS_MAX).contains(&plan.connections) {
        let message = format!("{} connections", plan.connections);
        let hint = format!("give a number from 1 to {CONNECTIONS_MAX}");
        return Err(PlanError::new("connections", &message, &hint));
    }
    seconds("interval_s", plan.interval_s, 0.01)?;
    seconds("timeout_s", plan.timeout_s, 0.1)?;
    seconds("drain_s", plan.drain_s, 0.1)?;
    phases(&plan.phases, plan.workload.is_load())?;
    if plan.target.noop {
        noop(plan)?;
    }
    if let Some(part) = plan.share {
        share(plan, part)?;
    }
    plan.workload.check(plan.part().of, &plan.phases)
}

/// What several programs can't do together is refused.
fn share(plan: &Plan, part: Share) -> Result<(), PlanError> {
    let refuse = |message: &str, hint: &str| Err(PlanError::new("share", message, hint));
    if part.of > OF_MAX || u64::from(part.first) + u64::from(plan.connections) > part.of.into() {
        let message = format!(
            "{} connections from number {} on aren't a share of {}",
            plan.connections, part.first, part.of
        );
        let hint =
            format!("`first` and `connections` together are at most `of`, and that {OF_MAX}");
        return refuse(&message, &hint);
    }
    if !plan.workload.is_load() {
        return refuse(
            "statements are run by one program",
            "leave `share` out, or use a load workload",
        );
    }
    let has = |name| plan.phases.iter().any(|phase| phase.name == name);
    if has(PhaseName::Load) {
        return refuse(
            "rows are loaded by one program",
            "load them with a plan of its own, without `share`",
        );
    }
    if plan.phases.iter().any(|phase| phase.search.is_some()) {
        return refuse(
            "a search goes on by what one program measures",
            "leave `search` out, or run it in one program",
        );
    }
    Ok(())
}

/// Without a server there is nothing to load, to read or to compare.
fn noop(plan: &Plan) -> Result<(), PlanError> {
    let refuse = |message: &str, hint: &str| Err(PlanError::new("target.noop", message, hint));
    if !plan.workload.is_load() {
        return refuse(
            "there is no server to answer the statements",
            "use a load workload",
        );
    }
    if plan.workload.converses() {
        return refuse(
            "the workload goes on by what a server answers",
            "use a server, or the workload `oltp`",
        );
    }
    if plan
        .phases
        .iter()
        .any(|phase| phase.name == PhaseName::Load)
    {
        return refuse(
            "there is no server to load rows into",
            "leave phase `load` out",
        );
    }
    if plan.observe != Observe::default() {
        return refuse("there is no server to observe", "leave `observe` out");
    }
    Ok(())
}
