//! What types can't say about a plan: ranges, and keys that contradict one another.

use std::collections::BTreeSet;

use super::limits::phase_limits;
use super::{AnyWorkload, Phase, PhaseName, Plan, PlanError, Target, Tls, SCHEMA};

/// The most connections that a plan may ask for.
const CONNECTIONS_MAX: u32 = 10_000;
/// The longest time that a plan may ask for: a year. Keeps nanoseconds far from overflowing.
const SECONDS_MAX: f64 = 31_536_000.0;

pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
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
    match &plan.workload {
        AnyWorkload::Statements(statements) => statements.check(&plan.phases),
        AnyWorkload::Oltp(oltp) => oltp.check(&plan.phases),
        AnyWorkload::AccessLog(log) => log.check(),
        AnyWorkload::Slap(slap) => slap.check(),
        AnyWorkload::Tpcc(tpcc) => tpcc.check(plan.connections, &plan.phases),
        AnyWorkload::Linkbench(linkbench) => linkbench.check(),
    }
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
    if plan.observe != super::Observe::default() {
        return refuse("there is no server to observe", "leave `observe` out");
    }
    Ok(())
}

fn target(target: &Target) -> Result<(), PlanError> {
    let refuse = |message: &str, hint: &str| Err(PlanError::new("target", message, hint));
    match (&target.socket, &target.host) {
        (None, None) if target.noop => return Ok(()),
        (_, _) if target.noop => return refuse("`noop` is given with an address", "give one"),
        (None, None) => return refuse("neither `socket` nor `host` is given", "give one of them"),
        (Some(_), Some(_)) => return refuse("both `socket` and `host` are given", "give one"),
        (Some(_), None) if target.port.is_some() => {
            return refuse(
                "`port` is given with `socket`",
                "`port` goes with `host` only",
            );
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
    match (target.tls, &target.ca_file) {
        (Tls::Verify | Tls::VerifyCa, None) => {
            refuse("`tls` is to verify, but there is no `ca_file`", "add it")
        }
        (Tls::Off | Tls::Required, Some(_)) => refuse(
            "`ca_file` is given, but `tls` is not `verify` or `verify_ca`",
            "write `tls`: `verify`",
        ),
        (Tls::Verify | Tls::VerifyCa, Some(_)) | (Tls::Off | Tls::Required, None) => Ok(()),
    }
}

pub(super) fn seconds(path: &str, value: f64, min: f64) -> Result<(), PlanError> {
    // Written this way round so that a NaN is refused too.
    if value >= min && value <= SECONDS_MAX {
        return Ok(());
    }
    let hint = format!("give seconds from {min} to {SECONDS_MAX}");
    Err(PlanError::new(path, &format!("{value} seconds"), &hint))
}

fn phases(phases: &[Phase], is_load: bool) -> Result<(), PlanError> {
    if phases.is_empty() {
        return Err(PlanError::new(
            "phases",
            "no phase is given",
            "give at least one",
        ));
    }
    let mut seen = BTreeSet::new();
    for (number, phase) in phases.iter().enumerate() {
        let path = format!("phases[{number}]");
        let name = phase.name.as_str();
        if !seen.insert(name) {
            let message = format!("phase `{name}` is given twice");
            return Err(PlanError::new(&path, &message, "give it once"));
        }
        if phase.name == PhaseName::Load && number > 0 {
            return Err(PlanError::new(
                &path,
                "phase `load` is not the first",
                "put it first",
            ));
        }
        phase_limits(&path, phase, is_load)?;
    }
    Ok(())
}

/// A number of the workload that types allow to be too small or too large.
pub(crate) fn in_range(key: &str, value: u32, min: u32, max: u32) -> Result<(), PlanError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let hint = format!("give a number from {min} to {max}");
    let path = format!("workload.{key}");
    Err(PlanError::new(&path, &value.to_string(), &hint))
}

/// An engine's name goes into CREATE TABLE as it is, so it is one word.
pub(crate) fn engine_name(name: &str) -> Result<(), PlanError> {
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || !name.bytes().all(is_of_word) {
        let message = format!("`{name}` is no name of an engine");
        let hint = "give a name as SHOW ENGINES does";
        return Err(PlanError::new("workload.engine", &message, hint));
    }
    Ok(())
}
