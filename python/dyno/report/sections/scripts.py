"""A sweep over scripts, or over an option's values: what each arm reaches with them, relative to
another.
"""

from __future__ import annotations

from dyno.analysis.load.model import PointRead
from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared
from dyno.report import metrics, numbers, view
from dyno.report.load import panel_of, points_of
from dyno.report.section import Section, Table
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing
from dyno.spec.metrics import METRICS, MetricKey

LEAD = (
    "Ratios, the first arm's figure over the second's, with their intervals. The largest "
    "throughput comes first; ≠ stands where the two differ."
)
UNKNOWN = "no good trial of both arms in one block"
Pair = tuple[str, str]


def section(findings: Findings) -> Section | None:
    """A table for each pair of arms; None for other runs."""
    points = [point for point in points_of(findings) if point.variant]
    if not points:
        return None
    first = metrics.headline(findings)
    found = {
        (c.numerator_arm, c.denominator_arm, c.metric, c.point): c
        for c in view.with_control(findings)
        if c.metric in (first, "server_cpu")
    }
    pairs = list(dict.fromkeys((above, below) for above, below, *_ in found))
    tables = [Table(_sheet(points, found, pair, first), LEAD, " / ".join(pair)) for pair in pairs]
    return Section("scripts", "Script by script", tables, label="Scripts")


def _sheet(
    points: list[PointRead],
    found: dict[tuple[str, str, MetricKey, int], Compared],
    pair: Pair,
    first: MetricKey,
) -> Sheet:
    """Groups in the order of the sweep, each level apart; a row per script or value."""
    groups: dict[str, list[PointRead]] = {}
    for point in points:
        groups.setdefault(panel_of(point), []).append(point)

    def ratio(point: PointRead) -> float:
        compared = found.get((*pair, first, point.index))
        return compared.ratio.value if compared and compared.ratio else 0.0

    kinds: tuple[MetricKey, ...] = (first, "server_cpu")
    rows = {
        title: [
            Row(
                point.variant,
                [_cell(found.get((*pair, metric, point.index))) for metric in kinds]
                + [_n(found.get((*pair, first, point.index)))],
                code=True,
            )
            for point in sorted(members, key=ratio, reverse=True)
        ]
        for title, members in groups.items()
    }
    columns = [Column(METRICS[metric].title, METRICS[metric].side) for metric in kinds]
    return Sheet(
        "Scripts",
        "Script",
        [*columns, Column("n")],
        [Group(title, members) for title, members in rows.items()],
        "Group",
    )


def _cell(compared: Compared | None) -> Cell:
    if compared is None or compared.ratio is None:
        return missing(UNKNOWN)
    mark = " ≠" if compared.state == "different" else ""
    return given(numbers.significant(compared.ratio.value) + mark, numbers.ends(compared.ratio))


def _n(compared: Compared | None) -> Cell:
    return given(str(compared.n) if compared else "0", warn=not compared)
