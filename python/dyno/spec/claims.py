"""Claims resolved: which quantities each is about, and what the run compares because of them."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.errors import SpecError
from dyno.spec.changed import changed
from dyno.spec.claim import Claim
from dyno.spec.claimed_points import claimed_points
from dyno.spec.experiment import Arm, Experiment
from dyno.spec.matrix import expand_arms
from dyno.spec.metrics import METRIC_ORDER, METRICS, MetricKey
from dyno.spec.point import Point
from dyno.spec.quantity import Comparison, PlannedClaim, Quantity
from dyno.spec.subject import OfTrials, Ratio
from dyno.spec.task import Task, done_by
from dyno.spec.words import refuse_unknown
from dyno.spec.workload import AnyWorkload

Pair = tuple[Quantity, Quantity]


def plan_claims(
    experiment: Experiment, arms: list[Arm], ops: list[str], points: list[Point]
) -> tuple[list[PlannedClaim], list[Claim], list[Comparison]]:
    """Claims resolved, claims about what this run leaves out, and all comparisons.

    Without claims about ratios every comparison with the baseline is primary; for a load workload
    those of throughput (see `Kind.headline`), never those of its 95th percentile; with tasks those
    of their times, or of the least values that they search.
    """
    names = [arm.name for arm in arms]
    ops = [*ops, *(task.name for task in experiment.task)]
    baseline = next(arm.name for arm in arms if arm.baseline)
    found: list[tuple[Claim, list[Quantity]]] = []
    left_out: list[Claim] = []
    for written in experiment.claim:
        wanted = _quantities(written, experiment)
        at_points = list(claimed_points(written, experiment, points))
        if not all(q.arm in names and q.op in ops for q in wanted):
            left_out.append(written)
            continue
        for claim, point in at_points:
            if point is None:
                left_out.append(claim)
                continue
            named = {"metric": wanted[0].metric} if isinstance(claim.subject, Ratio) else {}
            quantities = [changed(q, point=point) for q in wanted]
            found.append((changed(claim, **named), quantities))
    claimed = {(q[0], q[1]) for _, q in found if len(q) == 2}
    done = done_by(experiment.task, names)
    defaults = {task.metrics[0] for task in done if task.compare == "time"}
    defaults = defaults or {experiment.workload.headline}
    usual = {
        (
            Quantity(arm=name, op=op, point=point, metric=metric),
            Quantity(arm=baseline, op=op, point=point, metric=metric),
        )
        for metric, op, who in _usual(experiment)
        for point in range(len(points) if METRICS[metric].has_level else 1)
        for name in names
        if name != baseline and (not who or {name, baseline} <= set(who))
    }
    usual -= {(b, a) for a, b in claimed}

    def place(pair: Pair) -> list[int]:
        where = [i for q in pair for i in (ops.index(q.op), names.index(q.arm))]
        return [METRIC_ORDER[pair[0].metric], *where, pair[0].point]

    pairs = sorted(claimed | usual, key=place)
    comparisons = [
        Comparison(
            numerator=a,
            denominator=b,
            primary=(a, b) in claimed or (not claimed and a.metric in defaults),
        )
        for a, b in pairs
    ]
    return [_planned(claim, q, pairs, points) for claim, q in found], left_out, comparisons


def _planned(
    claim: Claim, quantities: list[Quantity], pairs: list[Pair], points: list[Point]
) -> PlannedClaim:
    levels = len(points) > 1 and METRICS[quantities[0].metric].has_level
    label = points[quantities[0].point].label if levels else ""
    if len(quantities) == 1:
        return PlannedClaim(claim=claim, quantity=quantities[0], at_label=label)
    pair = (quantities[0], quantities[1])
    return PlannedClaim(claim=claim, comparison=pairs.index(pair), at_label=label)


def _usual(experiment: Experiment) -> Iterator[tuple[MetricKey, str, list[str]]]:
    """What is compared with the baseline in any case, and on which arms; [] means all."""
    workload: AnyWorkload = experiment.workload
    first = workload.headline
    for op in workload.headline_ops:
        yield first, op, []
    yield from (("p95", op, []) for op in workload.secondary_ops)
    if experiment.sweep is not None and experiment.sweep.variants:
        yield "server_cpu", workload.headline_ops[0], []
    if experiment.protocol.loads:
        yield "load_time", workload.headline_ops[0], []
    for task in experiment.task:
        if task.compare == "time":
            yield from ((metric, task.name, task.arms) for metric in task.metrics)


def _quantities(claim: Claim, experiment: Experiment) -> list[Quantity]:
    """What a claim is about, at the first point."""
    default = experiment.workload.headline
    task = _named_task(claim, experiment)
    if isinstance(claim.subject, OfTrials):
        _refuse_figure(claim, claim.subject, task, experiment)
    metric = claim.metric or (task.metrics[0] if task is not None else default)
    known = list(_known_metrics(experiment))
    if metric not in known:
        raise SpecError(
            f"claim {claim.says!r}: the workload {experiment.workload.kind!r} has no metric "
            f"{metric!r}",
            hint=f"known: {', '.join(known)}",
        )
    if metric == "load_time" and not experiment.protocol.loads:
        raise SpecError(
            f"claim {claim.says!r}: no load is timed",
            hint="set protocol.loads to the number of blocks in which the data are loaded again",
        )
    arms = [arm.name for arm in expand_arms(experiment)]
    references = claim.subject.names
    workload = experiment.workload
    is_shared = metric == default or METRICS[metric].owner == "all ops"
    ops = workload.headline_ops if is_shared else workload.ops
    if METRICS[metric].owner == "task":
        ops = _task_names(claim, metric, experiment)
    pairs = [_arm_and_op(text, claim, arms, ops, metric) for text in references]
    for arm, op in pairs:
        doers = next((task.arms for task in experiment.task if task.name == op), [])
        if doers and arm not in doers:
            raise SpecError(
                f"claim {claim.says!r}: arm {arm!r} doesn't do the task {op!r}",
                hint=f"those that do: {', '.join(doers)}",
            )
    if len(pairs) == 2 and pairs[0] == pairs[1]:
        raise SpecError(
            f"claim {claim.says!r}: it compares {references[0]!r} with itself",
            hint="name two arms, or two ops, in ratio_of",
        )
    return [Quantity(arm=arm, op=op, metric=metric) for arm, op in pairs]


def _known_metrics(experiment: Experiment) -> Iterator[MetricKey]:
    """What claims about this experiment may name."""
    default = experiment.workload.headline
    for key, metric in METRICS.items():
        match metric.needs:
            case "load":
                is_known = experiment.workload.is_load
            case "task":
                is_known = bool(experiment.task)
            case _:
                is_known = key == default
        if is_known:
            yield key


def _refuse_figure(
    claim: Claim, subject: OfTrials, task: Task | None, experiment: Experiment
) -> None:
    """Raise SpecError for a task figure without a task, or of a task that can't have it."""
    if subject.figure.is_counter:
        return
    if task is None:
        names = ", ".join(task.name for task in experiment.task)
        raise SpecError(
            f"claim {claim.says!r}: figure is of a task, and {subject.of!r} names none",
            hint=f'write of = "ARM @ TASK"; tasks: {names}' if names else "add a [[task]]",
        )
    is_one = len(task.statements) == 1 and task.least is None
    if subject.figure.of_one_statement and not is_one:
        raise SpecError(
            f"claim {claim.says!r}: {subject.figure.key} is of a task of one statement that is run "
            "once",
            hint=f'claim figure = "failed" of {task.name!r}',
        )


def _named_task(claim: Claim, experiment: Experiment) -> Task | None:
    """The task that takes the place of the op; None if none does."""
    op = claim.subject.names[-1].partition("@")[2].strip() or claim.op
    return next((task for task in experiment.task if task.name == op), None)


def _task_names(claim: Claim, metric: MetricKey, experiment: Experiment) -> list[str]:
    """The names of the tasks that have the metric."""
    found = [task.name for task in experiment.task if metric in task.metrics]
    if not found:
        row = METRICS[metric]
        raise SpecError(
            f"claim {claim.says!r}: {metric} is of a task {row.which_task}, and there is none",
            hint=row.hint,
        )
    return found


def _arm_and_op(
    text: str, claim: Claim, arms: list[str], ops: list[str], metric: MetricKey
) -> tuple[str, str]:
    """The arm and op named by "ARM" (with the claim's op, or the only one) or "ARM @ OP"."""
    arm, separator, op = (part.strip() for part in text.partition("@"))
    if not separator:
        if claim.op is None and len(ops) > 1:
            raise SpecError(
                f"claim {claim.says!r}: {text!r} names no op", hint='add op = "…" or "ARM @ OP"'
            )
        op = claim.op or ops[0]
    refuse_unknown(arm, arms, what="arm", where=f"claim {claim.says!r}: ")
    owner = METRICS[metric].owner
    what = "task" if owner == "task" else "statement" if metric == "time" else "op"
    refuse_unknown(op, ops, what=what, where=f"claim {claim.says!r}: ")
    return arm, op
