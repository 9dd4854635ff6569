"""Claims about status counters, and about what trials show of a task besides its metrics: no
estimates, so every trial must be within the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from dyno.analysis.costs.counters import measured_runs
from dyno.analysis.costs.of_trial import status_per_op
from dyno.analysis.costs.per_op import status_known
from dyno.analysis.samples import Samples
from dyno.analysis.tasks.progress import reported
from dyno.analysis.values import greatest_of_known
from dyno.analysis.verdicts.model import ClaimRead, Verdict
from dyno.spec.metrics import METRICS, FigureKey, TrialFigure
from dyno.spec.plan import Plan, PlannedClaim, Quantity
from dyno.spec.subject import OfTrials
from dyno.spec.wording import asks, expects
from dyno.store.trial import TaskRun


def claim_of_trials(
    plan: Plan, planned: PlannedClaim, quantity: Quantity, samples: Samples
) -> ClaimRead:
    """A verdict on a claim about a counter (per execution of a statement or task, or per op of a
    load, by trial), or about a figure of each trial's task.
    """
    claim, subject = planned.claim, planned.claim.subject
    assert isinstance(subject, OfTrials)
    figure = subject.figure
    values = _values(plan, samples, quantity, figure)
    low, high = claim.between or (claim.at_least, claim.at_most)
    outside = [
        v for v in values if (low is not None and v < low) or (high is not None and v > high)
    ]
    if not values:
        found: Verdict = "inconclusive"
        why = figure.lacking
    elif outside:
        found = "not reproduced"
        why = f"{len(outside)} of {len(values)} trials are outside; median {median(values):g}"
    else:
        found = "reproduced"
        why = f"in all {len(values)} trials; from {min(values):g} to {max(values):g}"
    of_ops = figure.is_counter and plan.is_load and METRICS[quantity.metric].owner != "task"
    unit = " an op" if of_ops else figure.unit
    return ClaimRead(
        says=claim.says,
        published=claim.published,
        asks=asks(planned),
        expected=expects(planned),
        low=low,
        high=high,
        verdict=found,
        why=why,
        n=len(values),
        compared=None,
        measured=_said(values, unit) if values else None,
        needed_blocks=None,
    )


def _said(values: list[float], unit: str) -> str:
    """The median, and the least and the most if they differ: each value is judged."""
    least, most = min(values), max(values)
    spread = f" ({least:g} to {most:g})" if least < most else ""
    return f"{median(values):g}{unit}{spread}"


def _values(plan: Plan, samples: Samples, quantity: Quantity, figure: TrialFigure) -> list[float]:
    if not figure.is_counter:
        return _figures(samples, quantity, figure.key)
    counter = figure.key
    if METRICS[quantity.metric].owner == "task":
        return _of_tasks(plan, samples, quantity, counter)
    if plan.is_load:
        return _of_loads(plan, samples, quantity, counter)
    return _of_statements(plan, samples, quantity, counter)


def _figures(samples: Samples, quantity: Quantity, figure: FigureKey) -> list[float]:
    """The figure of each trial's task, if it has one."""
    runs = [
        run
        for trial in samples.ok
        for run in trial.tasks
        if (trial.arm, trial.point, run.name) == (quantity.arm, quantity.point, quantity.op)
        and run.outcome != "not run"
    ]
    found = (FIGURES[figure](run) for run in runs)
    return [value for value in found if value is not None]


def _progress_error(run: TaskRun) -> float | None:
    seen = reported(run)
    return round(abs(seen.error_points), 1) if seen is not None else None


def _row_log_peak(run: TaskRun) -> float | None:
    return greatest_of_known(sample.rowlog_pct for sample in run.progress)


def _failed(run: TaskRun) -> float | None:
    return float(run.outcome != "ok")


# How to compute the figures of `spec.metrics.TASK_FIGURES`.
FIGURES: dict[FigureKey, Callable[[TaskRun], float | None]] = {
    "progress_error": _progress_error,
    "row_log_peak": _row_log_peak,
    "failed": _failed,
}


def _of_loads(plan: Plan, samples: Samples, quantity: Quantity, counter: str) -> list[float]:
    """The counter's delta per op, by trial; empty if it never moved on the arm's server."""
    known = status_known(plan, samples).get(plan.arm(quantity.arm).server, set())
    found = [status_per_op(load.trial, known) for load in samples.at(quantity.arm, quantity.point)]
    return [status[counter] for status in found if counter in status]


def _of_tasks(plan: Plan, samples: Samples, quantity: Quantity, counter: str) -> list[float]:
    """The counter's delta in each trial's task; empty if it never moved in one on this server."""
    server = plan.arm(quantity.arm).server
    metric = quantity.metric
    runs = [
        (Quantity(arm=trial.arm, op=run.name, point=trial.point, metric=metric), run.status)
        for trial in samples.ok
        for run in trial.tasks
        if plan.arm(trial.arm).server == server and run.outcome != "not run"
    ]
    if not any(counter in status for _, status in runs):
        return []
    return [float(status.get(counter, 0)) for of, status in runs if of == quantity]


def _of_statements(plan: Plan, samples: Samples, quantity: Quantity, counter: str) -> list[float]:
    """A counter's delta in each measured run of an op on an arm.

    Only deltas other than 0 are stored. A counter that moved somewhere on this arm's server is 0
    where it is absent; one that never did may not exist there: then the list is empty.
    """
    server = plan.arm(quantity.arm).server
    runs = [
        (trial.arm, run, (run.global_status or {}) | (run.session_status or {}))
        for trial in samples.ok
        for run in measured_runs(trial)
        if plan.arm(trial.arm).server == server and run.session_status is not None
    ]
    if not any(counter in deltas for _, _, deltas in runs):
        return []
    return [
        float(deltas.get(counter, 0))
        for name, run, deltas in runs
        if name == quantity.arm and run.statement == quantity.op
    ]
