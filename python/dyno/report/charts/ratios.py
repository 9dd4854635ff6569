"""The picture of ratios: estimates and intervals, before the bands of the claims."""

from __future__ import annotations

from typing import Any

from dyno.analysis.model import Compared, Findings, OpRead
from dyno.report import numbers, view
from dyno.report.charts import look
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.stack import Panel, stacked

COLOURS = {"less": look.LESS, "more": look.MORE, "even": look.EVEN}


def chart(findings: Findings) -> Chart | None:
    """Ratios with their intervals on a log axis; None where there is no ratio yet."""
    if not any(compared.ratio is not None for compared in findings.compared):
        return None
    return Chart(
        name="ratios",
        title="Ratio of times, by op and pair of arms",
        caption=_caption(findings),
        spec=_spec(findings, look.WIDE),
        narrow=_spec(findings, look.NARROW),
    )


def _caption(findings: Findings) -> str:
    drawn = [c for c in findings.compared if c.ratio is not None]
    words = [
        "Each point is the ratio of the first arm's time to the second's, on a log axis: left of 1 "
        "the first arm needs less time. Filled: different; hollow: not shown to differ."
    ]
    without = [c for c in drawn if c.ratio_low is None or c.ratio_high is None]
    if not without:
        words.append("The line is the repeated confidence interval of the stop rule.")
    elif len(without) == len(drawn):
        words.append(f"Points only: {view.NO_INTERVAL}.")
    else:
        words.append(f"A line is an interval; where none is drawn, {view.NO_INTERVAL}.")
    bands = _bands(findings)
    if bands:
        domain = look.ratio_domain(_extremes(findings, bands))
        seen = [_cut(low, high, domain) is not None for _, low, high, _ in bands]
        words.append("The shaded bands are what the claims expect." if any(seen) else "")
        words.append("" if all(seen) else "What a claim expects beyond the axis is not drawn.")
    return " ".join(filter(None, words))


def _bands(findings: Findings) -> list[tuple[Compared, float | None, float | None, str]]:
    """The bands of claims about times: comparison, low, high, the claim's words."""
    found = []
    for claim in findings.claims:
        compared = view.compared_of(findings, claim)
        if compared is not None and (claim.low is not None or claim.high is not None):
            found.append((compared, claim.low, claim.high, claim.says))
    return found


def _spec(findings: Findings, page: Page) -> Spec:
    bands = _bands(findings)
    domain = look.ratio_domain(_extremes(findings, bands))
    ops = {op.name: op for op in findings.ops}
    panels = []
    for group in view.groups(findings):
        drawn = [c for c in group.compared if c.ratio is not None]
        if drawn:
            panels.append(_panel(group, ops.get(group.op), drawn, bands, domain))
    axis = {
        "scale": {"type": "log"},
        "axis": {
            "title": "←\N{EM SPACE}less time\N{EM SPACE}·\N{EM SPACE}ratio of times\N{EM SPACE}·"
            "\N{EM SPACE}more time\N{EM SPACE}→",
            "values": look.ratio_ticks(domain, page.narrow),
            "format": "~r",
            "grid": True,
            "domain": False,
        },
    }
    return document("Ratios of times", stacked(panels, page, axis, domain), page)


def _extremes(
    findings: Findings, bands: list[tuple[Compared, float | None, float | None, str]]
) -> list[float]:
    """What the axis must hold. Far ends of open or very wide bands are cut at its edge."""
    measured = [
        value
        for c in findings.compared
        for value in (c.ratio, c.ratio_low, c.ratio_high)
        if value is not None and value > 0
    ]
    ends = [end for _, low, high, _ in bands for end in (low, high) if end is not None and end > 0]
    reach = max(max(v, 1 / v) for v in measured)
    return measured + [end for end in ends if max(end, 1 / end) <= max(4 * reach, 4)]


def _panel(
    group: view.Group,
    op: OpRead | None,
    drawn: list[Compared],
    bands: list[tuple[Compared, float | None, float | None, str]],
    domain: tuple[float, float],
) -> Panel:
    against = group.against()
    values: list[dict[str, Any]] = []
    labels: list[str] = []
    for compared in drawn:
        row = compared.numerator_arm if against else look.wrapped(view.pair_of(compared))
        labels.append(row)
        values += [
            {"kind": "band", "row": row, "low": low, "high": high, "words": f"Claim: {says}"}
            for low, high, says in _within(compared, bands, domain)
        ]
        values.append(_point(row, group.op, compared))
        if compared.ratio_low is not None and compared.ratio_high is not None:
            values.append(
                {"kind": "line", "row": row, "low": compared.ratio_low, "high": compared.ratio_high}
                | {"side": _side(compared)}
            )
    said = (op.says or op.sql) if op else ""
    title = f"{group.op}, against {against}" if against else group.op
    return Panel(title, said, list(dict.fromkeys(labels)), values, _layers())


def _within(
    compared: Compared,
    bands: list[tuple[Compared, float | None, float | None, str]],
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
    """A band cut to the axis, None where nothing of it is left."""
    start = domain[0] if low is None else max(domain[0], low)
    end = domain[1] if high is None else min(domain[1], high)
    return (start, end) if start < end else None


def _side(compared: Compared) -> str:
    if compared.state != "different" or compared.ratio is None:
        return "even"
    return "less" if compared.ratio < 1 else "more"


def _point(row: str, name: str, compared: Compared) -> dict[str, Any]:
    bounds = numbers.interval(compared.ratio_low, compared.ratio_high)
    known = compared.ratio_low is not None and compared.ratio_high is not None
    figure = numbers.ratio(compared.ratio) + (f" ({bounds})" if known else "")
    shown = numbers.estimate(compared.ratio, compared.ratio_low, compared.ratio_high, compared.n)
    pair = view.pair_of(compared)
    return {
        "row": row,
        "name": row.replace("\n", " "),
        "ratio": compared.ratio,
        "n": compared.n,
        "state": compared.state,
        "side": _side(compared),
        "figure": f"{figure}, n = {compared.n}",
        "brief": f"{numbers.ratio(compared.ratio)}, n = {compared.n}",
        "words": f"{name}, {pair}: {shown}; {compared.state}",
        "kind": "label",
    }


def _layers() -> list[Spec]:
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
