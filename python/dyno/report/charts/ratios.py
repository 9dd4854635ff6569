"""The chart of ratios: estimates and intervals, in front of the bands of the claims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import ClaimRead, Compared
from dyno.report import load, numbers, view
from dyno.report.charts import look
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.stack import Panel, stacked
from dyno.report.metrics import better, compared_metrics
from dyno.spec.metrics import METRICS, MetricKey

# Blue is better, orange is worse, whichever way that is.
COLOURS = {"better": look.LESS, "worse": look.MORE, "even": look.EVEN}
EM = "\N{EM SPACE}"

Band = tuple[Compared, float | None, float | None, str]


def charts(findings: Findings) -> list[Chart]:
    """Ratios with their intervals on a log axis: one chart per metric, none without a ratio."""
    metrics = compared_metrics(findings)
    return [
        _chart(findings, metric, name="ratios" if place == 0 else f"ratios-{metric}")
        for place, metric in enumerate(metrics)
        if any(c.ratio is not None for c in findings.compared if c.metric == metric)
    ]


def _chart(findings: Findings, metric: MetricKey, *, name: str) -> Chart:
    words = METRICS[metric]
    by = "op and pair of arms" if metric == "time" else "pair of arms"
    by += " and point" if _swept(findings, metric) else ""
    return Chart(
        name=name,
        label="" if metric == "time" else f"Ratios, {words.noun}",
        title=f"Ratio of {words.plural}, by {by}",
        caption=_caption(findings, metric),
        spec=_spec(findings, metric, look.WIDE),
        narrow=_spec(findings, metric, look.NARROW),
    )


def _of(findings: Findings, metric: MetricKey) -> list[Compared]:
    """The comparisons that are drawn, the control arm's last."""
    found = view.with_control(findings)
    return [c for c in found if c.metric == metric and c.ratio is not None]


def _caption(findings: Findings, metric: MetricKey) -> str:
    found = _of(findings, metric)
    words = [_what(metric), "Filled: different; hollow: not shown to differ."]
    without = [c for c in found if c.ratio and c.ratio.interval is None]
    if not without:
        words.append("The line is the repeated confidence interval of the stop rule.")
    elif len(without) == len(found):
        words.append(f"Points only: {view.NO_INTERVAL}.")
    else:
        words.append(f"A line is an interval; where none is drawn, {view.NO_INTERVAL}.")
    bands = _bands(findings, metric)
    if bands:
        domain = look.ratio_domain(_extremes(findings, metric, bands))
        seen = [_cut(low, high, domain) is not None for _, low, high, _ in bands]
        words.append("The shaded bands are what the claims expect." if any(seen) else "")
        words.append("" if all(seen) else "What a claim expects beyond the axis is not drawn.")
    verdicts = {
        claim.verdict: view.VERDICT_MARK[claim.verdict]
        for compared, claim in _claims(findings, metric)
        if compared.ratio is not None
    }
    if verdicts:
        said = ", ".join(f"{mark} {verdict}" for verdict, mark in verdicts.items())
        words.append(f"A mark beside a figure is the verdict of its claim: {said}.")
    if findings.control and any(c.metric == metric and c.ratio for c in findings.control.compared):
        arm, of = findings.control.arm, findings.control.of
        words.append(f"{arm} is a second copy of {of}: it shows what equal servers differ by.")
    return " ".join(filter(None, words))


def _what(metric: MetricKey) -> str:
    words = METRICS[metric]
    if metric == "time":
        return (
            "Each point is the ratio of the first arm's time to the second's, on a log axis: left "
            "of 1 the first arm needs less time."
        )
    return (
        f"Each point is the ratio of the first arm's {words.noun} to the second's, on a log axis: "
        f"{'right' if words.more_is_better else 'left'} of 1 the first arm is better."
    )


def _bands(findings: Findings, metric: MetricKey) -> list[Band]:
    """The bands of claims about a metric: comparison, low, high, the claim's words."""
    return [
        (compared, claim.low, claim.high, claim.says)
        for compared, claim in _claims(findings, metric)
        if claim.low is not None or claim.high is not None
    ]


def _claims(findings: Findings, metric: MetricKey) -> list[tuple[Compared, ClaimRead]]:
    """The claims about a metric, each with the comparison that it is about."""
    found = [(view.compared_of(findings, claim), claim) for claim in findings.claims]
    return [(c, claim) for c, claim in found if c is not None and c.metric == metric]


def _spec(findings: Findings, metric: MetricKey, page: Page) -> Spec:
    bands = _bands(findings, metric)
    marks: dict[int, str] = {}
    for compared, claim in _claims(findings, metric):
        mark = view.VERDICT_MARK[claim.verdict]
        marks[id(compared)] = marks.get(id(compared), "") + mark
    domain = look.ratio_domain(_extremes(findings, metric, bands))
    panels = [
        _panel(findings, title, subtitle, rows, bands, marks, domain)
        for title, subtitle, rows in _grouped(findings, metric)
    ]
    axis = {
        "scale": {"type": "log"},
        "axis": {
            "title": _axis_title(metric, narrow=page.narrow),
            "values": look.ratio_ticks(domain, page.narrow),
            "format": "~r",
            "grid": True,
            "domain": False,
        },
    }
    body = stacked(panels, page, axis, domain)
    return document(f"Ratios of {METRICS[metric].plural}", body, page)


def _axis_title(metric: MetricKey, *, narrow: bool) -> str:
    words = METRICS[metric]
    if metric == "time":
        return f"←{EM}less time{EM}·{EM}ratio of times{EM}·{EM}more time{EM}→"
    left, right = ("worse", "better") if words.more_is_better else ("better", "worse")
    if narrow:
        return f"← {left}{EM}ratio of {words.plural}{EM}{right} →"
    return f"←{EM}{left}{EM}·{EM}ratio of {words.plural}{EM}·{EM}{right}{EM}→"


def _swept(findings: Findings, metric: MetricKey) -> bool:
    return len({c.point for c in findings.compared if c.metric == metric}) > 1


def _grouped(
    findings: Findings, metric: MetricKey
) -> Iterator[tuple[str, str, list[tuple[str, Compared]]]]:
    """Panels: title, subtitle, and rows of name and comparison. Statements and a single point have
    a panel per op, a row per pair of arms.
    """
    ops = {op.name: op for op in findings.ops}
    if _swept(findings, metric):
        yield from _by_point(findings, metric)
        return
    for group in view.groups(findings):
        members = [c for c in group.compared if c.ratio is not None]
        if not members or group.metric != metric:
            continue
        members += _controls(findings, members[0])
        against = group.against()
        title = f"{group.title}, against {against}" if against else group.title
        op_read = ops.get(group.op or "")
        said = (op_read.says or op_read.sql) if op_read else ""
        yield (
            title,
            said,
            [(c.numerator_arm if against else look.wrapped(view.pair_of(c)), c) for c in members],
        )


def _by_point(
    findings: Findings, metric: MetricKey
) -> Iterator[tuple[str, str, list[tuple[str, Compared]]]]:
    """For a sweep a panel per pair of arms, a row per point, so that the trend over the points is
    visible. Scripts have a panel per group and level, the largest ratio first.
    """
    points = {point.index: point for point in findings.points}
    panels: dict[tuple[str, ...], list[Compared]] = {}
    for compared in _of(findings, metric):
        point = points[compared.point]
        group = load.panel_of(point) if point.variant else ""
        key = (group, view.named_ops(findings, compared), view.pair_of(compared))
        panels.setdefault(key, []).append(compared)
    for (group, op, pair), members in panels.items():
        ordered = sorted(members, key=lambda c: c.point)
        if any(points[c.point].variant for c in members):
            ordered = sorted(members, key=lambda c: -(c.ratio.value if c.ratio else 1.0))
        rows = [(points[c.point].variant or c.point_label, c) for c in ordered]
        yield ": ".join(filter(None, (group, op, pair))), "", rows


def _controls(findings: Findings, beside: Compared) -> list[Compared]:
    """The control arm's row of a panel: the same metric, op and point."""

    def place(c: Compared) -> tuple[object, ...]:
        return (c.metric, c.point, c.numerator_op, c.denominator_op)

    drawn = (c for c in view.of_control(findings) if c.ratio is not None)
    return [c for c in drawn if place(c) == place(beside)]


def _extremes(findings: Findings, metric: MetricKey, bands: list[Band]) -> list[float]:
    """What the axis must contain. Far ends of open or very wide bands are cut at its edge."""
    measured = [
        value
        for c in _of(findings, metric)
        if c.ratio
        for value in (c.ratio.value, *(c.ratio.interval or ()))
        if value > 0
    ]
    ends = [end for _, low, high, _ in bands for end in (low, high) if end is not None and end > 0]
    reach = max(max(v, 1 / v) for v in measured)
    return measured + [end for end in ends if max(end, 1 / end) <= max(4 * reach, 4)]


def _panel(
    findings: Findings,
    title: str,
    subtitle: str,
    rows: list[tuple[str, Compared]],
    bands: list[Band],
    marks: dict[int, str],
    domain: tuple[float, float],
) -> Panel:
    values: list[dict[str, Any]] = []
    for row, compared in rows:
        values += [
            {"kind": "band", "row": row, "low": low, "high": high, "words": f"Claim: {says}"}
            for low, high, says in _within(compared, bands, domain)
        ]
        mark = marks.get(id(compared), "")
        values.append(_point(findings, row, compared) | {"mark": mark})
        if compared.ratio and compared.ratio.interval:
            low, high = compared.ratio.interval
            line = {"kind": "line", "row": row, "low": low, "high": high}
            values.append(line | {"side": side_of(compared)})
    return Panel(title, subtitle, list(dict.fromkeys(row for row, _ in rows)), values, layers())


def _within(
    compared: Compared,
    bands: list[Band],
    domain: tuple[float, float],
) -> list[tuple[float, float, str]]:
    found = []
    for other, low, high, says in bands:
        ends = _cut(low, high, domain)
        if other is compared and ends is not None:
            found.append((*ends, says))
    return found


def _cut(
    low: float | None, high: float | None, domain: tuple[float, float]
) -> tuple[float, float] | None:
    """A band cut to the axis, None if nothing of it is left."""
    start = domain[0] if low is None else max(domain[0], low)
    end = domain[1] if high is None else min(domain[1], high)
    return (start, end) if start < end else None


def side_of(compared: Compared) -> str:
    """Whether the first arm is better, worse, or not shown to be either: "even"."""
    found = better(compared)
    return "even" if found is None else "better" if found else "worse"


def _point(findings: Findings, row: str, compared: Compared) -> dict[str, Any]:
    shown = numbers.ratio_of(compared.ratio, compared.n)
    pair = view.pair_of(compared)
    return {
        "row": row,
        "name": row.replace("\n", " "),
        "ratio": compared.ratio.value if compared.ratio else None,
        "n": compared.n,
        "state": compared.state,
        "side": side_of(compared),
        "figure": shown,
        "brief": f"{numbers.point(compared.ratio)}, n = {compared.n}",
        "words": f"{view.group_of(findings, compared)}, {pair}: {shown}; {compared.state}",
        "kind": "label",
    }


def layers() -> list[Spec]:
    """Bands, the line at 1, intervals, points: filled where the state is "different"."""
    colour = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": list(COLOURS), "range": list(COLOURS.values())},
        "legend": None,
    }
    words = {"field": "words"}
    at = {"x": {"field": "ratio"}, "color": colour, "description": words}
    point = {"type": "point", "size": 46, "opacity": 1, "strokeWidth": 1.8, "aria": True}
    return [
        {
            "transform": [{"filter": "datum.kind == 'band'"}],
            "mark": {"type": "bar", "height": 13, "color": look.BAND, "stroke": look.BAND_EDGE}
            | {"strokeWidth": 0.8, "opacity": 1},
            "encoding": {"x": {"field": "low"}, "x2": {"field": "high"}, "description": words},
        },
        {
            "data": {"values": [{"one": 1}]},
            "mark": {"type": "rule", "color": look.MUTED, "strokeWidth": 1, "aria": False},
            "encoding": {"x": {"field": "one"}},
        },
        {
            "transform": [{"filter": "datum.kind == 'line'"}],
            "mark": {"type": "rule", "strokeWidth": 2.6, "aria": False},
            "encoding": {"x": {"field": "low"}, "x2": {"field": "high"}, "color": colour},
        },
        {
            "transform": [{"filter": "datum.kind == 'label' && datum.state == 'different'"}],
            "mark": {**point, "filled": True},
            "encoding": at,
        },
        {
            "transform": [{"filter": "datum.kind == 'label' && datum.state != 'different'"}],
            "mark": {**point, "filled": False, "fill": look.PAPER},
            "encoding": at,
        },
    ]
