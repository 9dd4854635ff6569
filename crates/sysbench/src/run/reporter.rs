//! The reports during a run: at every interval, and at checkpoints. Each has its own Lua state for
//! the script's hooks.

use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

use load::BIN_NS;

use super::Run;
use crate::error::Error;
use crate::log;
use crate::lua::State;
use crate::recording::Recording;
use crate::report::{self, Final};
use crate::stats::{Base, Stat};

/// Waits until this many seconds have been measured; false if the run ends before.
fn wait_until(run: &Run, second: u64) -> bool {
    let due_ns = (second + run.shared.settings.warmup_s).saturating_mul(1_000_000_000);
    let left_ns = due_ns.saturating_sub(run.shared.pace.now_ns());
    !run.gate.wait_closed(Duration::from_nanos(left_ns))
}

/// Reports every interval.
pub(super) fn intervals(run: &Arc<Run>) -> Result<(), Error> {
    let shared = &run.shared;
    let settings = &shared.settings;
    let state = State::ready(shared, settings.threads)?;
    let has_hook = state.has_hook("report_intermediate");
    let mut base = Base::default();
    run.gate.wait_for_start();
    if settings.warmup_s > 0 && wait_until(run, 0) {
        shared.end_warmup();
        base.clone_from(&shared.last());
    }
    for turn in 1.. {
        if !wait_until(run, turn * settings.report_interval_s) {
            break;
        }
        let stat = reading(run, &mut base);
        if has_hook {
            state.report("report_intermediate", &stat, false)?;
            continue;
        }
        let uses_sql = shared.uses_sql.load(Ordering::Relaxed);
        let mut lines = report::interval(&stat, settings.percentile(), uses_sql);
        if settings.rate > 0 {
            lines += &report::queue(&stat, uses_sql);
        }
        log::print(&lines);
    }
    state.finish_reports();
    Ok(())
}

fn reading(run: &Run, base: &mut Base) -> Stat {
    let shared = &run.shared;
    let now_ns = shared.pace.measured_ns();
    let (mut stat, _) = shared
        .stats
        .read(base, now_ns, &shared.settings.percentiles);
    stat.threads_running = match run.gate.running() {
        // The last interval may end just after the last worker.
        0 => shared.settings.threads,
        running => running,
    };
    stat.queue_length = shared.pace.queue_length();
    stat.concurrency = shared.pace.concurrency();
    stat
}

/// Reports at the checkpoints.
pub(super) fn checkpoints(run: &Arc<Run>) -> Result<(), Error> {
    let state = State::ready(&run.shared, run.shared.settings.threads)?;
    run.gate.wait_for_start();
    for &second in &run.shared.settings.checkpoints_s {
        if !wait_until(run, second) {
            break;
        }
        log::print(&format!("[ {second}s ] Checkpoint report:\n"));
        cumulative(run, &state, At::Checkpoint)?;
    }
    state.finish_reports();
    Ok(())
}

/// The occasion of a full report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Checkpoint,
    /// The run is being cut off.
    CutOff,
    End,
}

/// A full report since the last one, by the script's hook if it has one; JSON is always ours.
pub(super) fn cumulative(run: &Run, state: &State, at: At) -> Result<(), Error> {
    let shared = &run.shared;
    let settings = &shared.settings;
    let now_ns = shared.pace.measured_ns();
    let (stat, fairness, buckets) = {
        let mut base = shared.last();
        shared
            .stats
            .checkpoint(&mut base, now_ns, &settings.percentiles)
    };
    let report = Final {
        settings,
        stat: &stat,
        fairness: &fairness,
        buckets: &buckets,
        uses_sql: shared.uses_sql.load(Ordering::Relaxed),
    };
    if settings.is_json {
        log::print_always(&report::json(&report));
        return Ok(());
    }
    // As in sysbench: only at the end, even with a hook, and at any verbosity.
    if settings.has_histogram && at == At::End {
        log::print("Latency histogram (values are in milliseconds)\n");
        log::print_always(&report.histogram());
        log::print(" \n");
    }
    if state.has_hook("report_cumulative") {
        state.report("report_cumulative", &stat, true)?;
    } else {
        log::print(&report.text());
    }
    Ok(())
}

/// Closes the recording's intervals, and measures every tenth of a second how late it is itself.
pub(super) fn record(run: &Run, recording: &Recording) -> Result<(), Error> {
    run.gate.wait_for_start();
    for tick in 1.. {
        let due_ns = tick * BIN_NS;
        let left_ns = due_ns.saturating_sub(run.shared.pace.now_ns());
        if run.gate.wait_closed(Duration::from_nanos(left_ns)) {
            break;
        }
        let now_ns = run.shared.pace.now_ns();
        let has_queue = run.shared.settings.rate > 0;
        let backlog = has_queue.then(|| run.shared.pace.queue_length() as u64);
        recording.tick(now_ns, now_ns.saturating_sub(due_ns), backlog)?;
    }
    Ok(())
}
