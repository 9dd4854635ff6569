"""What an op of a load cost on each arm.

Medians over trials, side by side: possible causes to look at, not proofs.
"""

from __future__ import annotations

from dyno.analysis.costs.model import PerOp
from dyno.analysis.load.model import PointRead
from dyno.analysis.model import Findings
from dyno.analysis.part import Estimate
from dyno.report import numbers
from dyno.report.load import CHOSEN_POINTS, points_of, points_shown, spread
from dyno.report.section import Section, at_points
from dyno.report.sheets import Column, Group, Row, Sheet, given, missing

SAME = "1.00"
# The keys of PerOp.figures in words; others are shown under their own names.
QUANTITIES = {
    "server_cpu_us_per_op": "Server's CPU, µs",
    "client_cpu_us_per_op": "Load generator's CPU, µs",
    "context_switches_per_op": "Context switches (host)",
    "read_kb_per_op": "Read from disk, kB",
    "written_kb_per_op": "Written to disk, kB",
    "fsyncs_per_op": "fsyncs",
    "statements_per_op": "Statements",
    "bytes_sent_per_op": "Sent to the client, bytes",
    "rows_read_per_op": "Rows read",
    "retries_per_1000_ops": "Retries, of 1,000 ops",
}


def section(findings: Findings) -> Section | None:
    """For loads."""
    if not findings.per_op:
        return None
    lead = (
        "Less is better. Medians over trials, and how many times the baseline's each is, where "
        "they differ; with the interval of the ratio over blocks, where there is one."
    )
    return Section(
        "per-op",
        "What one op cost",
        [
            at_points(costs_per_op, findings, lead, shown=points_shown(findings)),
        ],
        label="Cost of an op",
    )


def costs_per_op(findings: Findings, *, all_points: bool = False) -> Sheet:
    """Quantities down, arms across, a group per point; few points unless `all_points`."""
    with_costs = {read.point for read in findings.per_op}
    points = [point for point in points_of(findings) if point.index in with_costs]
    if not all_points:
        points = spread(points, CHOSEN_POINTS)
    found = {(read.arm, read.point): read for read in findings.per_op}
    arms = [arm.name for arm in findings.arms if any((arm.name, p.index) in found for p in points)]
    baseline = next((arm.name for arm in findings.arms if arm.baseline), None)
    changes = {(c.arm, c.point, c.cost): c.ratio for c in findings.cost_changes}
    groups = []
    for point in points:
        here = [found.get((arm, point.index)) for arm in arms]
        under = found.get((baseline, point.index)) if baseline else None
        rows = [
            _quantity(name, here, under, [changes.get((arm, point.index, name)) for arm in arms])
            for name in _names(here)
        ]
        groups.append(Group(point.label, [*rows, _trials(findings, point, arms)]))
    return Sheet("Cost of an op", "Of one op", [Column(a) for a in arms], groups, "Point")


def _names(here: list[PerOp | None]) -> list[str]:
    return list(dict.fromkeys(name for read in here if read is not None for name in read.figures))


def _quantity(
    name: str,
    here: list[PerOp | None],
    under: PerOp | None,
    changes: list[Estimate | None],
) -> Row:
    """One cost on all arms; below each, how many times the baseline's it is."""
    base = under.figures.get(name) if under is not None else None
    cells = []
    for read, change in zip(here, changes, strict=True):
        value = read.figures.get(name) if read is not None else None
        if value is None:
            cells.append(missing())
        else:
            times = change or (Estimate(value / base) if base else None)
            cells.append(given(numbers.significant(value), _times(times)))
    return Row(QUANTITIES.get(name, name), cells)


def _times(times: Estimate | None) -> str:
    """Say "1.31 × (1.28 to 1.35)"; "" for what is the same."""
    if times is None or numbers.ratio(times.value) == SAME:
        return ""
    ends = numbers.ends(times)
    return f"{numbers.ratio(times.value)} ×" + (f" ({ends})" if ends else "")


def _trials(findings: Findings, point: PointRead, arms: list[str]) -> Row:
    counts = {s.arm: s.trials for s in findings.stability if s.point == point.index}
    unknown = missing("the number of trials is not known")
    return Row("n, trials", [given(str(counts[a])) if a in counts else unknown for a in arms])
