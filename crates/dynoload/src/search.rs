//! The phase `search`: tries rates until the highest one that keeps the objective is found.
//!
//! `bisect` says which rate comes next; it is tried and judged here. The search as a whole is one
//! phase of the run; each rate that was tried has its own summary, named after it.

use load::{Class, Counts, PhaseEnd, RateStep};
use workloads::event::{Event, Limit, SearchStep};
use workloads::plan::Search;
use workloads::{Error, Workload};

use crate::bisect::{thousandths, Bisection, Next};
use crate::model::open;
use crate::phases::Phases;

/// Runs the search on these workers, and returns those that are left.
pub fn run<W: Workload + Sync>(
    phases: &mut Phases<'_, W>,
    search: &Search,
    mut workers: Vec<W::Worker>,
) -> Result<Vec<W::Worker>, Error> {
    let mut bisection = Bisection::new(search);
    let mut nth: u64 = 0;
    loop {
        let (rate_per_s, confirming) = match bisection.next() {
            Next::Over(result) => {
                phases.shared.events.say(Event::SearchResult(result));
                return Ok(workers);
            }
            Next::Try {
                rate_per_s,
                confirming,
            } => (rate_per_s, confirming),
        };
        let step = RateStep {
            duration_s: search.step_s,
            from_per_s: rate_per_s,
            to_per_s: rate_per_s,
        };
        // Each try has its own arrivals, the same in each run of the plan.
        let seed = phases.plan.seed.wrapping_add(nth);
        nth += 1;
        let model = open(&[step], search.distribution, seed);
        let end = phases.drive("search", model, workers, false, || Ok(()))?;
        let (step, broken) = judge(search, rate_per_s, confirming, &end);
        let is_stopped = phases.shared.stop.is_set();
        workers = end.workers;
        phases.shared.events.say(Event::SearchStep(step));
        if is_stopped {
            return Ok(workers);
        }
        if let Some(result) = bisection.record(rate_per_s, broken) {
            phases.shared.events.say(Event::SearchResult(result));
            return Ok(workers);
        }
    }
}

/// The result of a try: the event, and why it didn't hold.
fn judge<W>(
    search: &Search,
    rate_per_s: f64,
    confirming: bool,
    end: &PhaseEnd<W>,
) -> (SearchStep, Option<Limit>) {
    let Counts {
        scheduled,
        ok,
        failed,
        skipped,
        unfinished,
    } = &end.tally.counts;
    let failed: u64 = failed.values().sum();
    let left = skipped + unfinished;
    let share = |count: u64| count as f64 / (*scheduled).max(1) as f64;
    let mut done = end.tally.ops().filter(|(_, class, _)| *class == Class::Ok);
    let latency = done
        .next()
        .map(|(_, _, op)| op.latency.quantile_ns(search.quantile));
    let quantile_ms = latency.map(|ns| ns as f64 / 1e6);
    let broken = if share(left) > search.error_share_max {
        Some(Limit::Backlog)
    } else if share(failed) > search.error_share_max {
        Some(Limit::Errors)
    } else if quantile_ms.is_none_or(|ms| ms > search.latency_ms) {
        Some(Limit::Latency)
    } else {
        None
    };
    let elapsed_s = (end.end_ns - end.start_ns) as f64 / 1e9;
    let step = SearchStep {
        rate_per_s,
        achieved_per_s: thousandths(*ok as f64 / elapsed_s.max(search.step_s)),
        quantile_ms,
        error_share: (share(left + failed) * 1e6).round() / 1e6,
        backlog_end: *skipped,
        held: broken.is_none(),
        confirming,
    };
    (step, broken)
}
