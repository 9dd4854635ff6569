//! From a plan's phase to its load.

use std::time::Duration;

use kinds::load_plan::Plan;
use load::{Gaps, Limits, Model, Pauses, Phase as LoadPhase, Profile, Purpose, RateStep, Think};
use workloads::plan::{ArrivalKind, Arrivals, Phase, ThinkKind};
use workloads::Shared;

/// After a stop, how long running statements have to finish.
const PATIENCE: Duration = Duration::from_secs(5);

/// The job of a phase whose load has this model; `until_signal`: a signal may end it.
pub fn job(
    plan: &Plan,
    shared: &Shared,
    model: Model,
    until_signal: bool,
) -> LoadPhase<load::Monotonic> {
    LoadPhase {
        clock: shared.clock,
        stop: shared.stop.clone(),
        model,
        interval_ns: nanoseconds(plan.interval_s),
        patience: PATIENCE,
        drain_ns: nanoseconds(plan.drain_s),
        limit_ns: shared.limit().map(|limit| limit.as_nanos() as u64),
        until_signal,
    }
}

/// The model of a timed phase; a round of all connections is `in_round` ops.
pub fn model(phase: &Phase, seed: u64, in_round: u64) -> Model {
    if let Some(Arrivals {
        distribution,
        steps,
    }) = &phase.arrivals
    {
        let steps = steps.iter().map(|step| RateStep {
            duration_s: step.duration_s,
            from_per_s: step.rate_per_s,
            to_per_s: step.to_per_s.unwrap_or(step.rate_per_s),
        });
        let steps: Vec<RateStep> = steps.collect();
        return open(&steps, *distribution, seed);
    }
    let limits = Limits {
        ops: phase.ops.or(phase.rounds.map(|rounds| rounds * in_round)),
        duration_ns: phase.duration_s.map(nanoseconds),
    };
    let think = phase.think.map(|think| Think {
        pauses: match think.distribution {
            ThinkKind::Constant => Pauses::Constant,
            ThinkKind::Exponential => Pauses::Exponential,
        },
        mean_ns: nanoseconds(think.mean_s),
        draws: Purpose::new(seed, "think"),
    });
    Model::Closed {
        limits,
        think,
        ramp_ns: nanoseconds(phase.ramp_s.unwrap_or(0.0)),
    }
}

/// An open load of these steps.
pub fn open(steps: &[RateStep], distribution: ArrivalKind, seed: u64) -> Model {
    Model::Open {
        profile: Profile::new(steps),
        gaps: match distribution {
            ArrivalKind::Poisson => Gaps::Poisson,
            ArrivalKind::Fixed => Gaps::Fixed,
        },
        seed,
    }
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}
