"""What every form of the report says alike: names, order, and the words around figures.

Derived from Findings alone. No markup here, and nothing is estimated: that is done in analysis.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.model import ArmRead, Findings, OpRead
from dyno.analysis.verdicts.model import ClaimRead, Compared
from dyno.report import numbers
from dyno.report.metrics import compared_metrics
from dyno.spec.experiment import Published, Settings
from dyno.spec.metrics import METRICS, Metric, MetricKey
from dyno.spec.units import format_duration, plural

VERDICTS = ("reproduced", "direction only", "not reproduced", "inconclusive")
VERDICT_MARK = {
    "reproduced": "✓",
    "direction only": "≈",
    "not reproduced": "✗",
    "inconclusive": "?",
}
# Above it an adjusted p shows no difference.
P_MOST = 0.05
CHECK_MARK = {"failed": "✗", "warning": "!", "unknown": "?", "ok": "✓"}
CHECK_ORDER = {check: place for place, check in enumerate(CHECK_MARK)}
STATE_MEANS = {
    "different": "the interval leaves 1 out, and the effect is above the floor",
    "equivalent": "the whole interval lies within the floor around 1",
    "precise": "the interval is as narrow as was asked for",
    "undecided": "none of these yet: more blocks would be needed",
}
# What the host's facts say if something else ran, and the checks that find fault with a host.
BUSY = "load average"
OF_HOST = ("stalls of the load host", "A/A floor")
NO_INTERVAL = "no interval yet: it needs as many blocks as the first look"


@dataclass(frozen=True)
class Group:
    """Comparisons that belong together, in the order of the findings, and their heading.

    For statements: those of one op, or of two ops with each other. For loads: those of one metric
    at one point. `op` is set if all are about one op.
    """

    title: str
    op: str | None
    metric: MetricKey
    compared: list[Compared]

    @property
    def size(self) -> int:
        """How many comparisons it has."""
        return len(self.compared)

    @property
    def words(self) -> Metric:
        """The metric's row, for its words."""
        return METRICS[self.metric]

    def against(self) -> str | None:
        """The one arm that all the others are compared with, if there is just one."""
        arms = {c.denominator_arm for c in self.compared}
        between_arms = all(c.numerator_arm != c.denominator_arm for c in self.compared)
        return arms.pop() if len(arms) == 1 and between_arms else None


def is_load(findings: Findings) -> bool:
    """Whether the run was a load at points; otherwise its ops were individually timed statements.

    The ops of a load have no SQL. If no trial succeeded, nothing else shows that it was a load.
    """
    without_sql = bool(findings.ops) and not any(op.sql for op in findings.ops)
    return bool(findings.figures) or without_sql


def op_title(op: OpRead) -> str:
    """An op's name, with what it says of itself."""
    return f"{op.name}: {op.says}" if op.says else op.name


def ops_of(compared: Compared) -> str:
    """The op that is compared, or "X / Y" if two are."""
    if compared.numerator_op == compared.denominator_op:
        return compared.numerator_op
    return f"{compared.numerator_op} / {compared.denominator_op}"


def group_of(findings: Findings, compared: Compared) -> str:
    """What is compared: "Q2", "Throughput, 64 connections"; loads of several ops name theirs."""
    if compared.metric == "time":
        return ", ".join(filter(None, (ops_of(compared), compared.point_label)))
    parts = [named_ops(findings, compared), METRICS[compared.metric].title]
    return ", ".join(filter(None, (*parts, compared.point_label)))


def named_ops(findings: Findings, compared: Compared) -> str:
    """The op of a load, or the task, if it has to be named; "" if there is only one."""
    several = len(findings.ops) > 1 or compared.numerator_op != compared.denominator_op
    named = several and METRICS[compared.metric].owner != "all ops"
    return ops_of(compared) if named or METRICS[compared.metric].owner == "task" else ""


def pair_of(compared: Compared) -> str:
    """The arms that are compared: "A / B", or the one arm if two of its ops are compared."""
    if compared.numerator_arm == compared.denominator_arm:
        return compared.numerator_arm
    return f"{compared.numerator_arm} / {compared.denominator_arm}"


def groups(findings: Findings) -> list[Group]:
    """Comparisons by op, metric and point; the workload's order, those between ops come last."""
    places = {op.name: place for place, op in enumerate(findings.ops)}
    metrics = compared_metrics(findings)
    found: dict[tuple[int, str, int, int], list[Compared]] = {}
    for c in findings.compared:
        op = ops_of(c)
        key = (places.get(op, len(places)), op, metrics.index(c.metric), c.point)
        found.setdefault(key, []).append(c)
    order = {key: (key[0], key[2], key[3]) for key in found}
    return [
        Group(
            title=group_of(findings, members[0]),
            op=key[1] if key[1] in places else None,
            metric=members[0].metric,
            compared=members,
        )
        for key, members in sorted(found.items(), key=lambda item: order[item[0]])
    ]


def groups_apart(findings: Findings) -> tuple[list[Group], list[Group]]:
    """The groups to show, and those of metrics that a load run compares on the side only."""
    first = compared_metrics(findings)[:1]
    main = {*first, *(c.metric for c in findings.compared if c.primary)}
    found = groups(findings)
    return [g for g in found if g.metric in main], [g for g in found if g.metric not in main]


def ratios_are(findings: Findings) -> str:
    """What ratios are of, and which way is better, for the heading of the comparisons."""
    if not is_load(findings):
        return "Ratios are of times, first arm to second: below 1 the first arm is faster."
    said = (f"{METRICS[m].title}: {METRICS[m].side}." for m in compared_metrics(findings))
    return " ".join(("Ratios are first arm to second.", *said))


def of_control(findings: Findings) -> list[Compared]:
    """The control arm's comparisons; none without one."""
    return findings.control.compared if findings.control else []


def with_control(findings: Findings) -> list[Compared]:
    """All comparisons, those of the control arm last."""
    return [*findings.compared, *of_control(findings)]


def compared_of(findings: Findings, claim: ClaimRead) -> Compared | None:
    """The comparison that a claim is based on; None for a claim about a counter."""
    if claim.compared is None or not 0 <= claim.compared < len(findings.compared):
        return None
    return findings.compared[claim.compared]


def holm_note(findings: Findings) -> str:
    """How a difference and a large adjusted p can both be true; "" if that isn't the case."""
    tested = [c for c in findings.compared if c.holm_p is not None]
    if not any(c.state == "different" and (c.holm_p or 0) > P_MOST for c in tested):
        return ""
    return (
        "Where a state is different and p (Holm) is above 0.05, both are true: the state is about "
        "this comparison alone, and p (Holm) guards against a single false alarm among all "
        f"{len(tested):,} primary comparisons."
    )


def measured(findings: Findings, claim: ClaimRead) -> str:
    """What was measured for a claim: "0.482 (0.463 to 0.501), n = 12"."""
    c = compared_of(findings, claim)
    if c is None:
        return f"{claim.measured or 'unavailable'}, n = {claim.n}"
    return numbers.ratio_of(c.ratio, c.n)


def why(findings: Findings, claim: ClaimRead) -> str:
    """Why a claim got its verdict, and how many blocks would settle it, if a run can have them."""
    most = findings.run.most_blocks
    if not claim.needed_blocks:
        return claim.why
    if most is not None and claim.needed_blocks > most:
        return f"{claim.why}; not with this spread: a run has {plural(most, 'block')} at most"
    return f"{claim.why}; about {plural(claim.needed_blocks, 'block')} would be needed"


def tally(findings: Findings) -> str:
    """How many claims got which verdict: "5 claims: 4 reproduced, 1 inconclusive."."""
    if not findings.claims:
        return "This experiment makes no claim that could be checked here."
    counts: Counter[str] = Counter(claim.verdict for claim in findings.claims)
    parts = ", ".join(f"{counts[v]} {v}" for v in VERDICTS if counts[v])
    return f"{plural(len(findings.claims), 'claim')}: {parts}."


def run_facts(findings: Findings) -> list[str]:
    """The run in a few short facts."""
    run = findings.run
    failed = f", {run.trials_failed:,} failed" if run.trials_failed else ""
    slices = f" of {run.slices} slices" if run.slices > 1 else ""
    facts = [
        f"{plural(run.blocks, 'block')}{slices}",
        *([plural(len(findings.points), "point")] if len(findings.points) > 1 else []),
        f"{run.trials_ok:,} trials{failed}",
        format_duration(run.elapsed_s),
        f"scale {run.scale:g}",
        f"nothing below {run.delta:.1%} is called a difference".replace("%", " %"),
        f"seed {run.seed}",
    ]
    return [*facts, "quick form"] if run.quick else facts


def ending(findings: Findings) -> str:
    """How the run ended, and why."""
    reason = findings.run.reason.rstrip(".")
    return f"{findings.run.state}: {reason}." if reason else f"{findings.run.state}."


def published_by(published: Published) -> str:
    """Where the question comes from, in one line."""
    by = f", {published.by}" if published.by else ""
    year = f" ({published.year})" if published.year else ""
    return f"{published.title}{by}{year}"


def published_on(published: Published) -> list[tuple[str, str]]:
    """The setup on which it was answered there."""
    named = [
        ("Server", published.server),
        ("Hardware", published.hardware),
        ("Notes", published.notes),
    ]
    return [(name, text) for name, text in named if text]


def settings_text(settings: Settings) -> str:
    """Settings as `name=value` pairs."""
    return " ".join(f"{name}={value}" for name, value in settings.items()) or numbers.MISSING


def arm_engine(arm: ArmRead) -> str | None:
    """The engine that the arm asks for, and the plugins that its server loads; None without."""
    plugins = f"plugin {', '.join(arm.plugins)}" if arm.plugins else ""
    return ", ".join(filter(None, (arm.engine, plugins))) or None


def arm_server(arm: ArmRead) -> str:
    """The server that was found behind an arm."""
    found = f"{arm.product} {arm.version}".strip()
    return found if found else arm.server


def by_severity(checks: list[Fairness]) -> list[Fairness]:
    """Failed first, then warnings, unknown and ok ones; the given order within."""
    return sorted(checks, key=lambda check: CHECK_ORDER[check.check])


def fairness_summary(checks: list[Fairness]) -> str:
    """How many checks ended how: "9 checks: 1 failed, 8 ok."."""
    counts: Counter[str] = Counter(check.check for check in checks)
    parts = ", ".join(f"{counts[c]} {c}" for c in CHECK_MARK if counts[c])
    return f"{plural(len(checks), 'check')}: {parts}." if checks else "No checks were made."


def alarms(findings: Findings) -> list[str]:
    """What is shown above the answer: two copies of one server that came out different."""
    control = findings.control
    if control is None or not control.alarms:
        return []
    found = [control.compared[index] for index in control.alarms]
    worst = max(found, key=lambda c: abs(math.log(c.ratio.value)) if c.ratio else 0.0)
    others = plural(len(found) - 1, "more comparison")
    more = f" The same holds for {others}." if len(found) > 1 else ""
    return [
        f"Equal servers came out different here: {control.arm} is a second copy of {control.of}, "
        f"and {worst.sentence}{more} Differences of that size may be the host's."
    ]


def cautions(findings: Findings) -> list[str]:
    """What is shown beside the answer: a busy host may have contributed to it."""
    warned = {found.name: found for found in findings.fairness if found.check == "warning"}
    said = [line for line in warned["host"].details if BUSY in line] if "host" in warned else []
    said += [warned[name].says.rstrip(".") for name in OF_HOST if name in warned]
    return [f"The host may have contributed: {line}." for line in said]
