"""A run folder -> Findings: gathers what the other files of this package find, and the answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median

from dyno.analysis.costs import counters
from dyno.analysis.costs.because import because
from dyno.analysis.costs.changes import cost_changes
from dyno.analysis.costs.engine import engine_costs
from dyno.analysis.costs.model import Costs
from dyno.analysis.costs.moved import moved
from dyno.analysis.costs.per_op import costs_of_trials, per_op
from dyno.analysis.costs.profiles import profiles
from dyno.analysis.explains import compare_plans, explained
from dyno.analysis.fairness import checks as fairness
from dyno.analysis.load.figures import figures, points
from dyno.analysis.load.generator import generator
from dyno.analysis.load.histograms import naming_damage
from dyno.analysis.load.hosts import load_hosts
from dyno.analysis.load.latency import latency
from dyno.analysis.load.scaling import scaling
from dyno.analysis.load.series import series
from dyno.analysis.load.stability import stability
from dyno.analysis.model import ArmRead, Findings, OpRead, RunRead, Times
from dyno.analysis.part import BlockValue
from dyno.analysis.profiles.find import compare_profiles, split_latencies
from dyno.analysis.samples import Samples, gather
from dyno.analysis.tables.sizes import sizes
from dyno.analysis.tables.storage import storage
from dyno.analysis.tasks.find import tasks
from dyno.analysis.tasks.model import Tasks
from dyno.analysis.values import median_of_known
from dyno.analysis.verdicts import claims, compare
from dyno.analysis.verdicts.answer import answer
from dyno.analysis.verdicts.control import check_control, read_control
from dyno.analysis.verdicts.floor import check_floor, floor_of
from dyno.analysis.verdicts.sets import by_set, set_of_blocks
from dyno.analysis.verdicts.sets import check as check_sets
from dyno.analysis.verdicts.spread import Trials
from dyno.analysis.why.answered import answers
from dyno.analysis.workloads import of_workload
from dyno.spec.plan import Plan, Quantity
from dyno.spec.units import format_duration
from dyno.stats import Design
from dyno.store.run import RunFolder
from dyno.store.trial import Trial

# How many failed tasks, and how many tasks with reported progress, the answer names.
TASK_SENTENCES = 4


def find(folder: RunFolder) -> Findings:
    """Everything that a run folder shows. Raises StoreError for a folder that can't be read."""
    with naming_damage(folder):
        return _find(folder)


def _find(folder: RunFolder) -> Findings:
    plan = folder.plan()
    samples = gather(plan, folder)
    host = folder.host()
    floor = floor_of(host)
    design = compare.design_of(plan, floor)
    state = folder.state()
    over = state.state == "complete"
    judged = compare.judge_all(plan, samples, design, over=over)
    trials = Trials.of(plan, samples)
    sets = set_of_blocks(folder.hosts(), samples.trials)
    compared = compare.compared(plan, judged, trials, design)
    controls = compare.judge_controls(plan, samples, design, over=over)
    control = read_control(plan, compare.compared(plan, controls, trials, design))
    equal = fairness.results_equal(plan, samples)
    verdicts = claims.judge_claims(plan, samples, judged, compared, design, equal)
    counted = counters.count(plan, folder, samples, compared)
    plans = list(explained(plan, samples))
    of_trials = costs_of_trials(plan, samples)
    costs = list(per_op(plan, of_trials))
    changes = list(cost_changes(plan, of_trials, design, over=over))
    point = counters.most_apart(plan, compared)
    reasons = because(plan, changes, costs, point=point, delta=design.delta)
    even = list(stability(plan, samples))
    checked = [*fairness.check(plan, folder, samples, even)]
    checked.append(check_control(control) if control else check_floor(floor, delta=design.delta))
    maintenance = tasks(plan, folder, samples)
    return Findings(
        name=plan.name,
        title=plan.title,
        question=plan.question,
        published=plan.published,
        answer=list(answer(compared, verdicts, samples, _of_tasks(maintenance))),
        run=_run(plan, folder, samples, design),
        arms=_arms(plan, samples),
        ops=_ops(plan),
        times=list(_times(plan, samples)),
        compared=compared,
        control=control,
        claims=verdicts,
        claims_left_out=[claim.says for claim in plan.left_out_claims],
        fairness=[equal, *checked, *check_sets(compared, sets)],
        counters=counted,
        moved=moved(counted, compared),
        explained=plans,
        plans_compared=list(compare_plans(plans)),
        why=[*answers(folder, plan.name), *reasons],
        costs=_costs(samples),
        limits=_limits(plan, samples),
        host=host,
        points=points(plan),
        figures=list(figures(plan, samples)),
        series=list(series(folder, samples)),
        latency=list(latency(plan, samples)),
        stability=even,
        scaling=list(scaling(plan, samples)),
        per_op=costs,
        cost_changes=changes,
        engine_costs=list(engine_costs(plan, samples, design, over=over)),
        sizes=list(sizes(plan, samples)),
        storage=storage(plan, samples),
        profiles=list(profiles(plan, samples)),
        profiles_compared=list(compare_profiles(plan, folder, samples, compared)),
        latency_split=list(split_latencies(plan, samples, compared)),
        generator=list(generator(plan, samples, host)),
        load_hosts=list(load_hosts(samples.trials)),
        by_set=list(by_set(compared, sets)),
        tasks=maintenance,
        **of_workload(plan, samples),
    )


def _of_tasks(found: Tasks | None) -> list[str]:
    if found is None:
        return []
    return [*found.failed[:TASK_SENTENCES], *found.reports[:TASK_SENTENCES]]


def _ops(plan: Plan) -> list[OpRead]:
    """The statements, or the op kinds of a load, which aren't single statements."""
    if plan.is_load:
        return [OpRead(name=op, sql="", says=None) for op in plan.ops]
    return [OpRead(name=s.name, sql=s.sql, says=s.says) for s in plan.statements]


def _run(plan: Plan, folder: RunFolder, samples: Samples, design: Design) -> RunRead:
    state = folder.state()
    started = datetime.fromtimestamp(state.started_unix_ms / 1000, UTC)
    return RunRead(
        id=folder.path.name,
        state=state.state,
        reason=state.reason,
        blocks=state.blocks_done,
        trials_ok=len(samples.ok),
        trials_failed=len(samples.trials) - len(samples.ok),
        elapsed_s=state.elapsed_s,
        started=started.strftime("%Y-%m-%d %H:%M UTC"),
        dyno=state.dyno,
        seed=plan.options.seed,
        scale=plan.scale,
        delta=math.expm1(design.delta),
        quick=plan.options.quick,
        repeat=state.command or f"dyno run {plan.name}",
        most_blocks=design.last,
        slices=plan.protocol.slices,
    )


def _arms(plan: Plan, samples: Samples) -> list[ArmRead]:
    found = []
    for arm in plan.arms:
        trials = [trial for trial in samples.trials if trial.arm == arm.name]
        server = next((trial.server for trial in trials if trial.server), None)
        found.append(
            ArmRead(
                name=arm.name,
                baseline=arm.baseline,
                server=str(arm.server),
                product=server.product if server else "unavailable",
                version=server.version if server else "unavailable",
                engine=arm.storage,
                tmpdir=arm.tmpdir,
                plugins=arm.plugins,
                settings=arm.settings,
                session=arm.session,
                trials_ok=sum(trial.is_good for trial in trials),
                failures=[trial.no_figure_reason for trial in trials if not trial.is_good],
            )
        )
    return found


def _times(plan: Plan, samples: Samples) -> Iterator[Times]:
    rows = {
        (trial.arm, run.statement): run.rows for trial in samples.ok for run in trial.statements
    }
    for op in plan.ops:
        for arm in plan.arms:
            by_block = samples.of(Quantity(arm=arm.name, op=op))
            if by_block:
                yield Times(
                    arm=arm.name,
                    op=op,
                    n=len(by_block),
                    median_s=median(by_block.values()),
                    min_s=min(by_block.values()),
                    max_s=max(by_block.values()),
                    rows=rows.get((arm.name, op)),
                    blocks=[BlockValue(block=b, value=v) for b, v in sorted(by_block.items())],
                )


def _costs(samples: Samples) -> Costs:
    ok = samples.ok
    shares = [s for t in ok if (s := fairness.client_cpu_share_pct(t)) is not None]
    per_op = [
        1e6 * t.summary.client.cpu_s / ops
        for t in ok
        if t.summary and (ops := sum(phase.ok for phase in t.summary.phases))
    ]
    telemetry = [c for t in ok if (c := t.telemetry_cost.cpu_share_pct) is not None]
    sample_ms = [c for t in ok if (c := t.telemetry_cost.sample_ms_mean) is not None]
    awake = [t.placement for t in ok if t.placement and t.placement.awake]
    steps = sorted({step for trial in ok for step in trial.steps})
    return Costs(
        client_cpu_share_pct=median(shares) if shares else None,
        client_cpu_us_per_op=median(per_op) if per_op else None,
        telemetry_cpu_share_pct=median(telemetry) if telemetry else None,
        telemetry_sample_ms=median(sample_ms) if sample_ms else None,
        profiler_cpu_share_pct=median_of_known(_perf_share_pct(trial) for trial in ok),
        awake=awake[0].awake if awake else None,
        awake_cpu_s=median_of_known(placed.awake_cpu_s for placed in awake),
        asleep_us=median_of_known(placed.asleep_us for placed in awake),
        looped_us=median_of_known(placed.looped_us for placed in awake),
        steps_s={
            step: median(trial.steps[step] for trial in ok if step in trial.steps) for step in steps
        },
    )


def _perf_share_pct(trial: Trial) -> float | None:
    """The CPU time of perf while a load was measured, in per cent of one core."""
    cost = trial.profiler
    if cost is None or cost.perf_cpu_s is None or not cost.seconds:
        return None
    return 100 * cost.perf_cpu_s / cost.seconds


def _limits(plan: Plan, samples: Samples) -> list[str]:
    """What this run can't show, as far as its plan reveals it."""
    found = [
        "The result is for this host, this data size and these server versions. Others may differ."
    ]
    if len({arm.server for arm in plan.arms}) > 1:
        found.append(
            "The arms are different server builds: a difference may come from anything that "
            "changed between them, not only from what the question asks about."
        )
    if plan.scale != 1:
        found.append(
            f"The dataset has {plan.scale:g} of the experiment's rows; claims were stated for all."
        )
    found.append(_levels(plan))
    if plan.protocol.slices > 1:
        length = f" of {format_duration(plan.protocol.duration)}" if plan.is_load else ""
        found.append(
            f"A block is {plan.protocol.slices} slices{length} by turns, while the servers of all "
            "arms are up: they share memory, disk and CPUs, and one may feel the other's "
            "background work."
        )
    partly = [s.name for s in plan.statements if s.compare != "all"]
    if partly:
        found.append(
            f"Of the answers of {', '.join(partly)} only the columns that the statement determines "
            "are compared; the other columns may differ."
        )
    if len(plan.comparisons) > 1:
        found.append(
            f"{len(plan.comparisons)} comparisons, each at {1 - plan.protocol.alpha:.0%} "
            "confidence: see the Holm-adjusted p for all primary ones together."
        )
    if plan.is_load and any(task.beside for task in plan.tasks):
        found.append(
            "Throughput and latency are those of the whole measured phase, the tasks beside it "
            "included, unless a part of it is named."
        )
    if not samples.ok:
        found.append("No trial succeeded.")
    return found


def _levels(plan: Plan) -> str:
    """The levels that were measured; the others are unknown."""
    levels = [point.label for point in plan.points]
    if len(levels) == 1:
        return f"{levels[0]}: nothing is said about others."
    which = "points" if plan.points[0].variant is not None else "levels"
    return f"{len(levels)} {which}, {levels[0]} to {levels[-1]}: nothing is said about others."
