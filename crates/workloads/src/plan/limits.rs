//! What a phase may specify about its limits and its load model, and what contradicts what.

use super::values::seconds;
use super::{Arrivals, Phase, PhaseName, PlanError, Search};

/// The highest rate that a plan may ask for.
const RATE_MAX_PER_S: f64 = 10_000_000.0;
/// The highest number of ops or rounds that a plan may ask for.
const COUNT_MAX: u64 = 1_000_000_000_000;

/// Checks one phase; `is_load`: the workload supports load models, and not rounds.
pub(super) fn phase_limits(path: &str, phase: &Phase, is_load: bool) -> Result<(), PlanError> {
    match phase.name {
        PhaseName::Load => loads(path, phase),
        PhaseName::Search => searches(path, phase, is_load),
        PhaseName::Warmup | PhaseName::Measure if is_load => models(path, phase),
        PhaseName::Warmup | PhaseName::Measure => rounds(path, phase),
    }
}

fn refuse(path: &str, message: &str, hint: &str) -> Result<(), PlanError> {
    Err(PlanError::new(path, message, hint))
}

/// The keys that a phase has besides its name.
fn keys_given(phase: &Phase) -> Vec<&'static str> {
    let keys = [
        ("rounds", phase.rounds.is_some()),
        ("ops", phase.ops.is_some()),
        ("duration_s", phase.duration_s.is_some()),
        ("until", phase.until.is_some()),
        ("arrivals", phase.arrivals.is_some()),
        ("think", phase.think.is_some()),
        ("ramp_s", phase.ramp_s.is_some()),
        ("search", phase.search.is_some()),
    ];
    keys.into_iter()
        .filter(|key| key.1)
        .map(|key| key.0)
        .collect()
}

fn only(path: &str, phase: &Phase, allowed: &[&str], why: &str) -> Result<(), PlanError> {
    match keys_given(phase).iter().find(|key| !allowed.contains(key)) {
        Some(key) => {
            let name = phase.name.as_str();
            refuse(path, &format!("phase `{name}` has `{key}`"), why)
        }
        None => Ok(()),
    }
}

fn loads(path: &str, phase: &Phase) -> Result<(), PlanError> {
    only(path, phase, &[], "it ends when the rows are in")
}

fn rounds(path: &str, phase: &Phase) -> Result<(), PlanError> {
    let why = "statements are run one after the other, by `rounds` or `duration_s`";
    only(path, phase, &["rounds", "duration_s"], why)?;
    match (phase.rounds, phase.duration_s) {
        (None, None) => refuse(
            path,
            "neither `rounds` nor `duration_s` is given",
            "give one of them",
        ),
        (Some(_), Some(_)) => refuse(path, "both `rounds` and `duration_s` are given", "give one"),
        (Some(rounds), None) => count(path, "rounds", rounds, 1_000_000_000),
        (None, Some(duration_s)) => seconds(&format!("{path}.duration_s"), duration_s, 0.001),
    }
}

fn models(path: &str, phase: &Phase) -> Result<(), PlanError> {
    if let Some(arrivals) = &phase.arrivals {
        let why = "with `arrivals` the phase is as long as their steps";
        only(path, phase, &["arrivals", "until"], why)?;
        return steps(&format!("{path}.arrivals"), arrivals);
    }
    let allowed = ["ops", "duration_s", "until", "think", "ramp_s"];
    only(
        path,
        phase,
        &allowed,
        "give `ops`, `duration_s` or `arrivals`",
    )?;
    if phase.ops.is_none() && phase.duration_s.is_none() {
        return refuse(
            path,
            "neither `ops` nor `duration_s` nor `arrivals` is given",
            "give one of them",
        );
    }
    if phase.until.is_some() && (phase.ops.is_some() || phase.duration_s.is_none()) {
        return refuse(
            path,
            "`until` goes with `duration_s` or `arrivals` alone",
            "give the longest time as `duration_s`",
        );
    }
    if let Some(ops) = phase.ops {
        count(path, "ops", ops, COUNT_MAX)?;
    }
    if let Some(duration_s) = phase.duration_s {
        seconds(&format!("{path}.duration_s"), duration_s, 0.001)?;
    }
    if let Some(think) = phase.think {
        seconds(&format!("{path}.think.mean_s"), think.mean_s, 0.0)?;
    }
    match phase.ramp_s {
        Some(ramp_s) => seconds(&format!("{path}.ramp_s"), ramp_s, 0.0),
        None => Ok(()),
    }
}

fn count(path: &str, key: &str, value: u64, max: u64) -> Result<(), PlanError> {
    if (1..=max).contains(&value) {
        return Ok(());
    }
    let hint = format!("give a number from 1 to {max}");
    refuse(path, &format!("{value} {key}"), &hint)
}

fn steps(path: &str, arrivals: &Arrivals) -> Result<(), PlanError> {
    if arrivals.steps.is_empty() {
        return refuse(path, "no step is given", "give at least one");
    }
    for (number, step) in arrivals.steps.iter().enumerate() {
        let path = format!("{path}.steps[{number}]");
        seconds(&format!("{path}.duration_s"), step.duration_s, 0.001)?;
        rate(&format!("{path}.rate_per_s"), step.rate_per_s, 0.0)?;
        if let Some(to_per_s) = step.to_per_s {
            rate(&format!("{path}.to_per_s"), to_per_s, 0.0)?;
        }
    }
    if arrivals
        .steps
        .iter()
        .all(|step| step.rate_per_s + step.to_per_s.unwrap_or(0.0) <= 0.0)
    {
        return refuse(path, "every rate is 0", "give a rate above 0");
    }
    Ok(())
}

fn rate(path: &str, value: f64, min: f64) -> Result<(), PlanError> {
    // Written this way round so that NaN is refused too.
    if value >= min && value <= RATE_MAX_PER_S {
        return Ok(());
    }
    let hint = format!("give ops a second from {min} to {RATE_MAX_PER_S}");
    refuse(path, &format!("{value} ops a second"), &hint)
}

fn searches(path: &str, phase: &Phase, is_load: bool) -> Result<(), PlanError> {
    if !is_load {
        return refuse(
            path,
            "statements have no rate to search for",
            "use a load workload",
        );
    }
    only(path, phase, &["search"], "its keys stand under `search`")?;
    let Some(search) = phase.search else {
        return refuse(path, "phase `search` has no `search`", "add it");
    };
    let path = format!("{path}.search");
    let Search {
        quantile,
        latency_ms,
        error_share_max,
        rate_min_per_s,
        rate_max_per_s,
        ..
    } = search;
    share(&format!("{path}.quantile"), quantile)?;
    share(&format!("{path}.error_share_max"), error_share_max)?;
    share(&format!("{path}.precision"), search.precision)?;
    seconds(&format!("{path}.step_s"), search.step_s, 0.1)?;
    seconds(&format!("{path}.latency_ms"), latency_ms / 1000.0, 1e-6)?;
    rate(&format!("{path}.rate_min_per_s"), rate_min_per_s, 0.01)?;
    rate(&format!("{path}.rate_max_per_s"), rate_max_per_s, 0.01)?;
    if search.precision < 0.001 {
        return refuse(&path, "`precision` is below 0.001", "give at least 0.001");
    }
    if rate_min_per_s >= rate_max_per_s {
        return refuse(
            &path,
            "`rate_min_per_s` is not below `rate_max_per_s`",
            "give a range to search in",
        );
    }
    Ok(())
}

fn share(path: &str, value: f64) -> Result<(), PlanError> {
    if (0.0..1.0).contains(&value) {
        return Ok(());
    }
    refuse(
        path,
        &format!("{value} is not a share"),
        "give a number from 0 to below 1",
    )
}
