"""How fast the arms of a series are beside what they lose: a point with its interval for each."""

from __future__ import annotations

from typing import Any

from dyno.analysis.durability import Losses, PriceRead
from dyno.report import numbers
from dyno.report.charts import look, ratios
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.stack import Panel, stacked

# By what was seen of an arm over all kinds of crash: the colours of the chart of ratios.
_LOSES, _KEEPS, _UNKNOWN = "worse", "better", "even"


def prices(losses: Losses) -> Chart | None:
    """Ratios to the baseline's throughput; None where nothing was measured."""
    if losses.price is None or not _drawn(losses):
        return None
    baseline = losses.price.baseline
    caption = (
        f"Throughput of each arm over that of {baseline} in the same block, on a log axis; the "
        "line is the 95 % interval. Orange: the arm loses or breaks something at some kind of "
        "crash. Blue: no loss was seen. Hollow: its speed isn't shown to differ."
    )
    return Chart(
        name="prices",
        title="What is fast, and what is lost",
        caption=caption,
        spec=_spec(losses, look.WIDE),
        narrow=_spec(losses, look.NARROW),
        label="Speed and loss",
    )


def _drawn(losses: Losses) -> list[PriceRead]:
    return [read for read in losses.price.arms if read.ratio] if losses.price else []


def _spec(losses: Losses, page: Page) -> Spec:
    drawn = _drawn(losses)
    ends = [end for read in drawn if read.ratio for end in (read.ratio.value, *_interval(read))]
    domain = look.ratio_domain(ends)
    values = [value for read in drawn for value in _values(losses, read)]
    panel = Panel("", "", [read.arm for read in drawn], values, ratios.layers())
    assert losses.price is not None
    title = "ratio of throughputs" if page.narrow else f"times the ops/s of {losses.price.baseline}"
    axis = {
        "scale": {"type": "log"},
        "axis": {
            "title": title,
            "values": look.ratio_ticks(domain, page.narrow),
            "format": "~r",
            "grid": True,
            "domain": False,
        },
    }
    return document("Speed and loss", stacked([panel], page, axis, domain), page)


def _interval(read: PriceRead) -> tuple[float, ...]:
    return (read.ratio.interval or ()) if read.ratio else ()


def _values(losses: Losses, read: PriceRead) -> list[dict[str, Any]]:
    side, interval = _side(losses, read.arm), _interval(read)
    differs = bool(interval) and not interval[0] <= 1 <= interval[1]
    point = {
        "kind": "label",
        "row": read.arm,
        "name": read.arm,
        "ratio": read.ratio.value if read.ratio else None,
        "state": "different" if differs else "unknown",
        "side": side,
        "figure": numbers.ratio_of(read.ratio, read.n),
        "brief": f"{numbers.point(read.ratio)}, n = {read.n}",
        "words": f"{read.arm}: {read.says}",
    }
    if not interval:
        return [point]
    line = {"kind": "line", "row": read.arm, "low": interval[0], "high": interval[1], "side": side}
    return [point, line]


def _side(losses: Losses, arm: str) -> str:
    marks = {cell.mark for cell in losses.cells if cell.arm == arm}
    if marks & {"loses", "breaks"}:
        return _LOSES
    return _KEEPS if "keeps" in marks else _UNKNOWN
