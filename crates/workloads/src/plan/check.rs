//! What types can't say about a plan: ranges, and keys that contradict one another.

use std::collections::BTreeSet;

use super::{AnyWorkload, Phase, PhaseName, Plan, PlanError, Target, Tls, SCHEMA};

/// The most connections that a plan may ask for.
const CONNECTIONS_MAX: u32 = 10_000;
/// The longest time that a plan may ask for: a year. Keeps nanoseconds far from overflowing.
const SECONDS_MAX: f64 = 31_536_000.0;

pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    if plan.schema != SCHEMA {
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
    phases(&plan.phases)?;
    match &plan.workload {
        AnyWorkload::Statements(statements) => statements.check(&plan.phases),
    }
}

fn target(target: &Target) -> Result<(), PlanError> {
    let refuse = |message: &str, hint: &str| Err(PlanError::new("target", message, hint));
    match (&target.socket, &target.host) {
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
        (Tls::Verify, None) => refuse("`tls` is `verify`, but there is no `ca_file`", "add it"),
        (Tls::Off | Tls::Required, Some(_)) => refuse(
            "`ca_file` is given, but `tls` is not `verify`",
            "write `tls`: `verify`",
        ),
        (Tls::Verify, Some(_)) | (Tls::Off | Tls::Required, None) => Ok(()),
    }
}

fn seconds(path: &str, value: f64, min: f64) -> Result<(), PlanError> {
    // Written this way round so that a NaN is refused too.
    if value >= min && value <= SECONDS_MAX {
        return Ok(());
    }
    let hint = format!("give seconds from {min} to {SECONDS_MAX}");
    Err(PlanError::new(path, &format!("{value} seconds"), &hint))
}

fn phases(phases: &[Phase]) -> Result<(), PlanError> {
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
        phase_extent(&path, phase)?;
    }
    Ok(())
}

fn phase_extent(path: &str, phase: &Phase) -> Result<(), PlanError> {
    let refuse = |message: &str, hint: &str| Err(PlanError::new(path, message, hint));
    match (phase.name, phase.rounds, phase.duration_s) {
        (PhaseName::Load, None, None) => Ok(()),
        (PhaseName::Load, _, _) => refuse(
            "phase `load` has `rounds` or `duration_s`",
            "it ends when the rows are in",
        ),
        (_, None, None) => refuse(
            "neither `rounds` nor `duration_s` is given",
            "give one of them",
        ),
        (_, Some(_), Some(_)) => refuse("both `rounds` and `duration_s` are given", "give one"),
        (_, Some(rounds), None) if !(1..=1_000_000_000).contains(&rounds) => refuse(
            &format!("{rounds} rounds"),
            "give a number from 1 to 1000000000",
        ),
        (_, Some(_), None) => Ok(()),
        (_, None, Some(duration_s)) => seconds(&format!("{path}.duration_s"), duration_s, 0.001),
    }
}
