"""What a run of loads shows, as tables: figures, latency by percentile, stability, scaling.

Derived from Findings alone. Costs per op, profiles and the generator have files of their own in
`sections`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from dyno.analysis.load.model import Figure, LatencyRead, PointRead, ScalingRead, StabilityRead
from dyno.analysis.model import Findings
from dyno.analysis.signed import MINUS
from dyno.report import metrics, numbers
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing
from dyno.spec.metrics import LATENCIES, METRICS, MetricKey
from dyno.spec.units import plural

T = TypeVar("T")
# Used if all points would be too many to read: the smallest, a middle one and the largest.
CHOSEN_POINTS = 3
NO_FIGURE = "no good trial, or too few ops for this percentile"
NO_INTERVAL = "no interval: it needs three blocks"
PERCENTILES = {0.5: "50 %", 0.75: "75 %", 0.9: "90 %", 0.95: "95 %", 0.99: "99 %"}
PERCENTILES |= {0.999: "99.9 %", 0.9999: "99.99 %", 1.0: "max"}

N95_MEANS = "N95 is the fewest connections with 95 % of the peak."
LAW_MEANS = "The law is the Universal Scalability Law: X(N) = λN / (1 + σ(N − 1) + κN(N − 1))."
STABILITY_MEANS = (
    "Medians over the trials, but stalls are counted over all of them. The variation is that of "
    "the throughput of seconds (standard deviation over mean); the worst second and the 1st "
    "percentile of seconds are given as a part of their median. In a stall (nearly) nothing ends "
    "for half a second or longer, in a slowdown less than half of the usual for two seconds. Those "
    "during which the load host itself was late are the host's and stand apart."
)


def points_of(findings: Findings) -> list[PointRead]:
    """The points in the order of their level."""
    return sorted(findings.points, key=lambda point: point.index)


def panel_of(point: PointRead) -> str:
    """What the scripts of a table or panel share: their group, and their level if there are
    several.
    """
    level = point.label.removeprefix(point.variant).removeprefix(", ")
    return ", ".join(filter(None, (point.group, level)))


def spread(items: list[T], most: int) -> list[T]:
    """At most `most` of the items: the first, the last, and evenly in between."""
    if len(items) <= most:
        return items
    if most == 1:
        return items[:1]
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]


def ops_with(findings: Findings, named: Iterable[str]) -> list[str]:
    """The ops among `named`, in the workload's order."""
    found = set(named)
    return [op.name for op in findings.ops if op.name in found]


def percentile(quantile: float) -> str:
    """A quantile as people say it: 0.999 -> "99.9 %", 1 -> "max"."""
    return PERCENTILES.get(quantile, f"{quantile * 100:g} %")


def at_point(findings: Findings, index: int) -> str:
    """Say ", 64 connections" where a run has several points; else nothing."""
    shown = points_of(findings)
    if len(shown) < 2:
        return ""
    return next((f", {point.label}" for point in shown if point.index == index), "")


def points_shown(findings: Findings) -> str:
    """Which points a short table shows; "" if it shows all."""
    points = points_of(findings)
    few = [point.label for point in spread(points, CHOSEN_POINTS)]
    if len(points) == len(few):
        return ""
    return f"Of {len(points)} points {', '.join(few)}; the others are in the findings."


def heading(findings: Findings, point: PointRead, op: str = "") -> str:
    """What a group of a table or a panel is about: the point, and the op if there are several."""
    several = op if len(findings.ops) > 1 else ""
    return ", ".join(filter(None, (several, point.label)))


def rate_heading(findings: Findings, point: PointRead, op: str) -> str:
    """The same where only the ops with the run's own rate appear."""
    return heading(findings, point, op if len(ops_with_rate(findings)) > 1 else "")


def figures(findings: Findings) -> Sheet:
    """Throughput and latencies by arm and point, each with the interval of its blocks and n."""
    rate = metrics.headline(findings)
    # A latency is one op's.
    kinds = (rate,) if rate == "total_throughput" else (rate, *LATENCIES)
    names = [m for m in kinds if any(f.metric == m for f in findings.figures)]
    found = {(f.op, f.point, f.arm, f.metric): f for f in findings.figures}
    groups = []
    for op in ops_with_rate(findings):
        for point in points_of(findings):
            rows = []
            for arm in findings.arms:
                here = [found.get((op, point.index, arm.name, metric)) for metric in names]
                n = max((f.n for f in here if f is not None), default=0)
                cells = [_figure(figure, n) for figure in here]
                flag = "baseline" if arm.baseline else ""
                rows.append(Row(arm.name, [*cells, given(str(n), warn=n == 0)], flag))
            groups.append(Group(rate_heading(findings, point, op), rows))
    columns = [Column(_figure_title(metric), METRICS[metric].way) for metric in names]
    return Sheet("Figures", "Arm", [*columns, Column("n")], groups, grouped_by="Point")


def of_all_blocks(findings: Findings) -> list[Figure]:
    """The figures that all blocks of their arm have there, as the table shows them."""
    n: dict[tuple[str, int, str], int] = {}
    for figure in findings.figures:
        place = (figure.op, figure.point, figure.arm)
        n[place] = max(n.get(place, 0), figure.n)
    return [f for f in findings.figures if f.n == n[f.op, f.point, f.arm]]


def _figure_title(metric: MetricKey) -> str:
    row = METRICS[metric]
    return f"{row.title}, {row.unit}" if row.is_rate and not row.is_named_by_unit else row.title


def ops_with_rate(findings: Findings) -> list[str]:
    """The ops to show separately: all, or those that the run's rate is about if it names them."""
    rate = metrics.headline(findings)
    of_rate = (f.op for f in findings.figures if f.metric == rate or rate == "throughput")
    return ops_with(findings, of_rate)


def _figure(figure: Figure | None, n: int) -> Cell:
    """A figure of all the arm's `n` blocks. If some have too few ops for a percentile there is
    none: usually these are the slow ones, and a p99 of the fast ones can lie below the p95.
    """
    if figure is None:
        return missing(NO_FIGURE)
    if figure.n < n:
        return missing(f"only {figure.n} of {plural(n, 'block')} have enough ops")
    return given(metrics.shown(figure, figure.median.value, unit=False), bounds(figure))


def bounds(figure: Figure) -> str:
    """The interval of a figure in words, "" if there is none."""
    if figure.unit == "ms" and figure.median.interval:
        return numbers.milliseconds_span(*figure.median.interval)
    return numbers.ends(figure.median, numbers.rate)


def latency(findings: Findings, *, all_points: bool = False) -> Sheet:
    """Latency by percentile: all ops of all good trials of an arm at a point, merged."""
    known = {read.point for read in findings.latency}
    points = [point for point in points_of(findings) if point.index in known]
    points = points if all_points else spread(points, CHOSEN_POINTS)
    quantiles = sorted({quantile for read in findings.latency for quantile, _ in read.points})
    groups = []
    for op in ops_with(findings, (read.op for read in findings.latency)):
        for point in points:
            here = [r for r in findings.latency if (r.op, r.point) == (op, point.index)]
            rows = [Row(read.arm, _latency(read, quantiles)) for read in here]
            if rows:
                groups.append(Group(heading(findings, point, op), rows))
    columns = [Column(percentile(quantile)) for quantile in quantiles]
    return Sheet("Latency by percentile", "Arm", [*columns, Column("Ops")], groups, "Point")


def _latency(read: LatencyRead, quantiles: list[float]) -> list[Cell]:
    known = dict(read.points)
    few = "too few ops for this percentile"
    cells = [
        given(numbers.milliseconds(known[q])) if q in known else missing(few) for q in quantiles
    ]
    return [*cells, given(numbers.count(read.count))]


def stability(findings: Findings, *, all_points: bool = False) -> Sheet:
    """How evenly each arm ran at each point; few points unless `all_points`."""
    known = {read.point for read in findings.stability}
    points = [point for point in points_of(findings) if point.index in known]
    groups = []
    for point in points if all_points else spread(points, CHOSEN_POINTS):
        here = [read for read in findings.stability if read.point == point.index]
        rows = [Row(read.arm, _stability(read)) for read in here]
        groups.append(Group(point.label, rows))
    columns = [
        Column("Variation of seconds", "less is better"),
        Column("Worst second", "more is better"),
        Column("1st percentile of seconds", "more is better"),
        Column("Stalls", "less is better"),
        Column("Time in stalls", "less is better"),
        Column("Longest stall", "less is better"),
        Column("Stalls of the host"),
        Column("Not steady"),
        Column("Trials"),
    ]
    return Sheet("Stability", "Arm", columns, groups, "Point")


def _stability(read: StabilityRead) -> list[Cell]:
    def share(value: float | None) -> Cell:
        return missing() if value is None else given(numbers.percent(value))

    def counted(value: int | None, *, warn: bool = False) -> Cell:
        return missing() if value is None else given(f"{value:,}", warn=warn and value > 0)

    slower = read.slowdowns
    stalls = counted(read.stalls)
    if slower and not stalls.missing:
        stalls = given(stalls.text, f"and {plural(slower, 'slowdown')}")
    longest = read.longest_stall_s
    none = read.stalls == 0
    return [
        share(read.cv),
        share(read.worst_second_share),
        share(read.p1_second_share),
        stalls,
        share(read.stalled_share),
        missing("there was no stall" if none else numbers.UNAVAILABLE)
        if longest is None or none
        else given(numbers.seconds(longest)),
        counted(read.environment_stalls, warn=True),
        counted(read.not_steady, warn=True),
        given(str(read.trials)),
    ]


def stability_says(findings: Findings) -> str:
    """How evenly the whole run went, in a sentence or two."""
    reads = findings.stability
    said = []
    if any(read.not_steady is not None for read in reads):
        shaky = sum(read.not_steady or 0 for read in reads)
        trials = sum(read.trials for read in reads)
        said.append(f"{shaky:,} of {plural(trials, 'trial')} never reached a steady state.")
    if any(read.stalls is not None for read in reads):
        stalls = sum(read.stalls or 0 for read in reads)
        worst = max(reads, key=lambda read: read.longest_stall_s or 0.0)
        long = f", the longest {numbers.seconds(worst.longest_stall_s)} on {worst.arm}"
        known = stalls and worst.longest_stall_s
        said.append(f"The servers stalled {plural(stalls, 'time')}{long if known else ''}.")
    if any(read.environment_stalls for read in reads):
        late = sum(read.environment_stalls or 0 for read in reads)
        said.append(f"{plural(late, 'stall')} more came from the load host, which was late itself.")
    if unknown := sum(read.unknown_stalls or 0 for read in reads):
        said.append(f"The origin of {plural(unknown, 'stall')} is unknown.")
    return " ".join(said) or "How evenly it ran is unavailable."


def scaling_words(findings: Findings) -> list[tuple[str, str]]:
    """What the analysis says about each arm's scaling."""
    return [(_scaled(findings, read), read.says) for read in findings.scaling]


def _scaled(findings: Findings, read: ScalingRead) -> str:
    """The arm, with the op if there are several."""
    return f"{read.arm}, {read.op}" if len(ops_with_rate(findings)) > 1 else read.arm


def scaling(findings: Findings) -> Sheet:
    """The peak of each arm, the fewest connections that come near it, and the law if it fits."""
    rate = metrics.headline(findings)
    unit, times = METRICS[rate].unit, METRICS[rate].per_s
    rows = [Row(_scaled(findings, read), _scaling(read, times)) for read in findings.scaling]
    columns = [
        Column(f"Peak, {unit}", "more is better"),
        Column("N95"),
        Column(f"Of one connection (λ), {unit}"),
        Column("Contention (σ)", "less is better"),
        Column("Coherence (κ)", "less is better"),
        Column("Peak of the curve (N*)"),
        Column("Largest residual"),
    ]
    return Sheet("Scaling", "Arm", columns, [Group("", rows)])


def _scaling(read: ScalingRead, times: int) -> list[Cell]:
    """`times` converts a rate per second to the unit shown."""
    law = read.usl
    cells = [
        given(
            numbers.rate(read.peak_ops_per_s * times),
            f"at {plural(read.peak_connections, 'connection')}",
        ),
        missing() if read.n95 is None else given(f"{read.n95:,}"),
    ]
    if law is None:
        return [*cells, *[missing("the law doesn't fit, or there are too few levels")] * 5]
    return [
        *cells,
        given(numbers.rate(law.lambda_ops_per_s * times)),
        given(_small(law.sigma)),
        given(numbers.point(law.kappa, _small), numbers.ends(law.kappa, _small)),
        missing("this sweep shows no peak") if law.n_star is None else given(f"{law.n_star:.0f}"),
        given(numbers.percent(law.residual_max)),
    ]


def _small(value: float | None) -> str:
    """A coefficient of the law, which may be very small: "0.0277", "1.04e−4"."""
    if value is None:
        return numbers.MISSING
    if value != 0 and abs(value) < 0.001:
        return f"{value:.2e}".replace("e-0", "e-").replace("-", MINUS)
    return numbers.significant(value)
