"""The checks that only loads have: the same work, failed ops, steady state, the generator, stalls.

As in `fairness`, unknown is not yes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median, stdev
from typing import Any

from dyno.analysis.fairness.model import Check, Fairness
from dyno.analysis.load.model import StabilityRead
from dyno.analysis.load.stability import unsteady
from dyno.analysis.load.trial import measured
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan
from dyno.spec.summary import PhaseSummary
from dyno.spec.units import plural
from dyno.store.load_parts import load_parts

# Of noise alone, up to a tenth of steady trials look as if they drifted (simulated in the tests).
NOT_STEADY_SHARE = 0.2
SAME_WORK_SHARE = 0.01
# This many standard errors of the difference are chance: that of few trials is itself uncertain,
# and a sweep compares every arm at every point.
CHANCE_ERRORS = 4.0
CLASSES = ("read", "write", "other")
# From what may be ignored to what withholds verdicts.
ORDER: tuple[Check, ...] = ("ok", "warning", "unknown", "failed")


def checks(
    plan: Plan, samples: Samples, host: Mapping[str, Any], stability: list[StabilityRead]
) -> list[Fairness]:
    """All of them but `equal_work`, in the order of a report."""
    return [
        _ops(plan, samples),
        _steady(plan, samples),
        _generator(samples, host.get("cores_logical")),
        _awake(stability),
    ]


def equal_work(plan: Plan, samples: Samples) -> Fairness:
    """Each op was made of as many statements on all arms; the answers themselves go by the seed."""
    name = "equal work"
    if not samples.ok:
        return Fairness(name=name, check="unknown", says="No trial gave results.")
    worst: Check = "ok"
    lines, shown = [], ""
    for point, level in enumerate(plan.points):
        by_arm = {
            arm.name: _an_op(samples, arm.name, point, are_drawn=len(plan.ops) > 1)
            for arm in plan.arms
        }
        known = {arm: classes for arm, classes in by_arm.items() if classes is not None}
        for arm, classes in known.items():
            found, line = _as_much(classes, next(iter(known.values())))
            if found != "ok":
                worst = max(worst, found, key=ORDER.index)
                lines.append(f"{arm}, {level.label}: {line}")
        if known and not shown:
            shown = _classes(next(iter(known.values())))
    if not shown:
        return Fairness(
            name=name, check="unknown", says="The statements of an op were not counted by kind."
        )
    says = {
        "ok": f"Under load no answers are compared: the same seed made the rows and the ops. "
        f"Counted was that an op is made of the same statements on all arms: {shown}.",
        "warning": "Statements of the same number changed rows on one arm more often than on "
        "another.",
        "unknown": "Ops are drawn, and a single trial doesn't show how much of a difference is "
        "chance.",
        "failed": "An op wasn't made of the same statements on all arms: verdicts are withheld.",
    }
    return Fairness(name=name, check=worst, says=says[worst], details=lines)


@dataclass(frozen=True)
class AnOp:
    """One attempt at an op, by kind of statement: how many at the median of the trials, and the
    standard error of it, since where ops are drawn at random few of them differ by chance. `again`:
    the share of attempts that failed or were begun again, which may have ended before their last.
    `errors` is None where ops are drawn and there is one trial, which shows nothing of chance.
    """

    statements: dict[str, float]
    errors: dict[str, float] | None
    again: float


def _an_op(samples: Samples, arm: str, point: int, *, are_drawn: bool) -> AnOp | None:
    found = []
    for load in samples.at(arm, point):
        phase = measured(load.trial)
        if phase is None or phase.statements is None or not phase.ok:
            continue
        again = sum(phase.failed.values()) + sum(phase.retries.values()) + phase.unfinished
        attempts = phase.ok + again
        counts = {kind: getattr(phase.statements, kind) / attempts for kind in CLASSES}
        found.append(counts | {"again": again / attempts})
    if not found:
        return None
    middle = {key: median(f[key] for f in found) for key in found[0]}
    errors: dict[str, float] | None = dict.fromkeys(CLASSES, 0.0)
    if len(found) > 1:
        errors = {kind: stdev(f[kind] for f in found) / math.sqrt(len(found)) for kind in CLASSES}
    elif are_drawn:
        errors = None
    return AnOp({kind: middle[kind] for kind in CLASSES}, errors, middle["again"])


def _as_much(ours: AnOp, theirs: AnOp) -> tuple[Check, str]:
    """Whether two arms' ops are of the same statements, up to 1 %, chance, and what was begun
    again.
    """

    def apart(*kinds: str) -> bool:
        a, b = (sum(an_op.statements[kind] for kind in kinds) for an_op in (ours, theirs))
        slack = SAME_WORK_SHARE + ours.again + theirs.again
        errors = [an_op.errors or {} for an_op in (ours, theirs)]
        chance = math.hypot(*(of.get(kind, 0.0) for of in errors for kind in kinds))
        return abs(a - b) > slack * max(a, b, 1.0) + CHANCE_ERRORS * chance

    line = f"{_classes(ours)}, against {_classes(theirs)}"
    found: Check = "ok"
    if apart("read") or apart("write", "other"):
        found = "failed"
    elif apart("write"):
        found = "warning"
    is_known = ours.errors is not None and theirs.errors is not None
    return (found if found == "ok" or is_known else "unknown"), line


def _classes(an_op: AnOp) -> str:
    names = {"read": "reading", "write": "writing", "other": "others"}
    known = ((an_op.statements[kind], name) for kind, name in names.items())
    return ", ".join(f"{count:.4g} {name}" for count, name in known if count)


def _ops(plan: Plan, samples: Samples) -> Fairness:
    name = "failed ops"
    phases: dict[tuple[int, str], list[PhaseSummary]] = {}
    for trial in samples.ok:
        phase = measured(trial)
        if phase is not None:
            phases.setdefault((trial.point, trial.arm), []).append(phase)
    scheduled = sum(phase.scheduled for found in phases.values() for phase in found)
    if not scheduled:
        return Fairness(name=name, check="unknown", says="No op was scheduled in a good trial.")
    lines = [
        f"{arm}, {plan.points[point].label}: {', '.join(lost)}"
        for (point, arm), found in sorted(phases.items())
        if (lost := list(_lost(found)))
    ]
    if not lines:
        says = f"All {plural(scheduled, 'op')} that were scheduled ended well."
        return Fairness(name=name, check="ok", says=says)
    good = sum(phase.ok for found in phases.values() for phase in found)
    return Fairness(
        name=name,
        check="warning",
        says=f"{scheduled - good:,} of {plural(scheduled, 'op')} failed, were never begun or were "
        "broken off; no throughput or latency counts them.",
        details=lines,
    )


def _lost(phases: list[PhaseSummary]) -> Iterator[str]:
    """What became of the ops that didn't end well: "12 failed with 1205"."""
    codes: dict[str, int] = {}
    for phase in phases:
        for code, count in phase.failed.items():
            codes[code] = codes.get(code, 0) + count
    for code, count in sorted(codes.items(), key=lambda item: -item[1]):
        if count:
            yield f"{count:,} failed with {code}"
    skipped, unfinished = sum(p.skipped for p in phases), sum(p.unfinished for p in phases)
    if skipped:
        yield f"{skipped:,} were due and never begun"
    if unfinished:
        yield f"{unfinished:,} were broken off"


def _steady(plan: Plan, samples: Samples) -> Fairness:
    name = "steady state"
    count, known, lines = unsteady(plan, samples)
    if not known:
        return Fairness(name=name, check="unknown", says="The trials are too short to tell.")
    if not count:
        says = f"None of {plural(known, 'trial')} that could be judged drifted after its warm-up."
        return Fairness(name=name, check="ok", says=says)
    many = count > NOT_STEADY_SHARE * known
    return Fairness(
        name=name,
        check="warning" if many else "ok",
        says=f"{count} of {plural(known, 'trial')} weren't steady: "
        + ("a longer warm-up or a longer trial may be needed." if many else "no more than noise."),
        details=lines,
    )


def _generator(samples: Samples, cores: int | None) -> Fairness:
    name = "load generator"
    void = sum(t.status == "ok" and t.void is not None for t in samples.trials)
    seen = [
        (share, part)
        for trial in samples.ok
        for part in load_parts(trial, host_cpus=cores)
        if (share := part.cpu_share_pct) is not None
    ]
    if void:
        return Fairness(
            name=name,
            check="warning",
            says=f"In {plural(void, 'trial')} the generator was the limit: these give no figure.",
        )
    if not seen:
        return Fairness(name=name, check="unknown", says="Its own cost is not known.")
    worst, part = max(seen, key=lambda found: found[0])
    where = f" on {part.host}" if part.host else ""
    return Fairness(
        name=name,
        check="ok",
        says=f"dynoload used at most {worst:.1f} % of the CPU time that it may use{where} "
        f"({100 * part.room.share_max:.0f} % would make a trial void).",
    )


def _awake(stability: list[StabilityRead]) -> Fairness:
    name = "stalls of the load host"
    known = [s.environment_stalls for s in stability if s.environment_stalls is not None]
    if not known:
        return Fairness(
            name=name, check="unknown", says="Stalls can't be found: too few ops, or no heartbeat."
        )
    unknown = sum(s.unknown_stalls or 0 for s in stability)
    if sum(known):
        also = f" The origin of {plural(unknown, 'more')} is unknown." if unknown else ""
        return Fairness(
            name=name,
            check="warning",
            says=f"{plural(sum(known), 'stall')} came from the load host, which was late itself by "
            f"over 50 ms: these aren't counted as the server's.{also}",
        )
    if unknown:
        return Fairness(
            name=name,
            check="unknown",
            says=f"The origin of {plural(unknown, 'stall')} is unknown: they aren't counted "
            "as the server's.",
        )
    return Fairness(name=name, check="ok", says="No stall was the load host's.")
