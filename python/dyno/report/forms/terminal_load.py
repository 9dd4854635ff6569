"""The part of the terminal's report that only loads have: their points in a table."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dyno.analysis.load.model import Figure
from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared, State
from dyno.report import load, metrics, numbers, view
from dyno.report.forms.terminal_parts import estimate, heading, table
from dyno.spec.metrics import METRICS, MetricKey

STATE_MARK: dict[State, str] = {
    "different": "≠",
    "equivalent": "=",
    "precise": "±",
    "undecided": "?",
}
TAIL_MARK = "!"


def parts(findings: Findings) -> Iterator[RenderableType]:
    """Throughput, its ratio to the baseline and the p95 latency by point."""
    baseline = next((arm.name for arm in findings.arms if arm.baseline), None)
    against = f", ratio to {baseline}" if baseline else ""
    rate = metrics.headline(findings)
    words = METRICS[rate]
    timed = f" of {load.ops_with_rate(findings)[0]}" if rate == "total_throughput" else ""
    says = f"{words.noun}{against}: {words.side}; p95 latency{timed}: less is better"
    yield heading("Points", says)
    ratios = {
        (c.numerator_op, c.point, c.numerator_arm): c
        for c in view.with_control(findings)
        if c.metric == rate and _to_baseline(findings, c)
    }
    marks = [f"{mark} {state}" for state, mark in STATE_MARK.items()]
    tails = any(c.tail_driven for c in ratios.values())
    if ratios:
        yield Text(", ".join([*marks, *([f"{TAIL_MARK} tail-driven"] if tails else [])]), "dim")
    yield _points(findings, ratios)


def _points(findings: Findings, ratios: dict[tuple[str, int, str], Compared]) -> Table:
    rate = metrics.headline(findings)
    made = table(
        ("arm", False), (METRICS[rate].unit, True), ("ratio", True), ("interval", False),
        ("n", True), ("p95", True),
    )  # fmt: skip
    found = {(f.op, f.point, f.arm, f.metric): f for f in findings.figures}
    for op in load.ops_with_rate(findings):
        for point in load.points_of(findings):
            title = load.rate_heading(findings, point, op)
            made.add_row(Text(title, style="bold"))
            for arm in findings.arms:
                key = (op, point.index, arm.name)
                compared = ratios.get(key)
                cells = (
                    _ratio(compared)
                    if compared
                    else _alone(found.get((*key, rate)), is_baseline=arm.baseline)
                )
                ends = (_shown(found, key, rate), *cells, _shown(found, key, "p95"))
                made.add_row(Padding(Text(arm.name), (0, 0, 0, 2)), *ends)
    return made


def _ratio(compared: Compared) -> list[Text]:
    """Ratio with the mark of its state, interval, n."""
    ratio, interval, n, _ = estimate(compared)
    if compared.ratio is not None:
        tail = TAIL_MARK if compared.tail_driven else ""
        ratio.append(f" {STATE_MARK[compared.state]}{tail}")
    return [ratio, interval, n]


def _alone(figure: Figure | None, *, is_baseline: bool) -> list[Text]:
    """The cells of an arm without a comparison."""
    said = "baseline" if is_baseline else numbers.MISSING
    return [Text(""), Text(said, style="dim"), Text(str(figure.n) if figure else "0")]


def _shown(
    found: dict[tuple[str, int, str, MetricKey], Figure],
    key: tuple[str, int, str],
    metric: MetricKey,
) -> Text:
    figure = found.get((*key, metric))
    if figure is None:
        return Text(numbers.MISSING)
    return Text(metrics.shown(figure, figure.median.value, unit=False))


def _to_baseline(findings: Findings, compared: Compared) -> bool:
    baselines = {arm.name for arm in findings.arms if arm.baseline}
    same_op = compared.numerator_op == compared.denominator_op
    return same_op and compared.denominator_arm in baselines


def others(findings: Findings) -> list[Compared]:
    """The comparisons to list separately: for loads those of claims that have no row at a point."""
    if not view.is_load(findings):
        return findings.compared
    rate = metrics.headline(findings)
    return [
        c
        for c in findings.compared
        if c.primary and not (c.metric == rate and _to_baseline(findings, c))
    ]
