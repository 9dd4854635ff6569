"""What the engine costs above its floor, and how large its tables are: sheets for every report."""

from __future__ import annotations

from dyno.analysis.costs.model import EngineCost
from dyno.analysis.model import Findings
from dyno.analysis.tables.model import SizeRead
from dyno.report import numbers
from dyno.report.load import heading, points_of
from dyno.report.section import Section, Table
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, estimated, given, missing
from dyno.spec.units import format_bytes

COSTS_MEAN = (
    "An arm's time of an op, and the server's CPU time for it, split in two: what its floor takes, "
    "which is the same server without the engine's work, and the rest, which is the engine's. The "
    "share is 1 - floor / arm, with the interval of the run's stop rule."
)
SIZES_MEAN = (
    "Tables at the end of a trial, medians over trials: what their files take on disk, or what the "
    "server says where files hold more than one table. Less is better."
)
NOT_YET = "before the first look there is no interval"


def costs(findings: Findings) -> Sheet:
    """The engine's part of time and CPU, a group per point and op."""
    columns = [
        Column("Time of an op"),
        Column("without engine"),
        Column("engine's part", "less is better"),
        Column("CPU of an op"),
        Column("without engine"),
        Column("engine's part", "less is better"),
        Column("n"),
    ]
    found: dict[tuple[str, int], dict[str, dict[str, EngineCost]]] = {}
    for cost in findings.engine_costs:
        arms = found.setdefault((cost.op, cost.point), {})
        arms.setdefault(cost.arm, {})[cost.quantity] = cost
    labels = {point.index: point for point in points_of(findings)}
    groups = []
    for (op, point), arms in found.items():
        title = heading(findings, labels[point], op) if point in labels else op
        rows = [
            Row(arm, [*_split(of.get("time")), *_split(of.get("server_cpu")), _n(of)])
            for arm, of in arms.items()
        ]
        groups.append(Group(title, rows))
    return Sheet("Engine above its floor", "Arm", columns, groups, "Point")


def _split(cost: EngineCost | None) -> list[Cell]:
    if cost is None:
        return [missing(), missing(), missing()]
    return [given(_micros(cost.arm_us)), given(_micros(cost.floor_us)), _share(cost)]


def _share(cost: EngineCost) -> Cell:
    if cost.share and cost.share.interval is None:
        return given(_whole_percent(cost.share.value), "no interval yet")
    return estimated(cost.share, _whole_percent, why=NOT_YET)


def _whole_percent(share: float) -> str:
    return f"{share:.0%}"


def _n(of: dict[str, EngineCost]) -> Cell:
    return given(str(min(cost.n for cost in of.values())))


def _micros(value_us: float) -> str:
    if value_us < 1000:
        return f"{numbers.significant(value_us)} µs"
    return numbers.milliseconds(value_us / 1000)


def sizes(findings: Findings) -> Sheet:
    """Rows, bytes and bytes per row by arm; below, how many times the baseline's."""
    columns = [
        Column("Engine", numeric=False),
        Column("Rows"),
        Column("On disk"),
        Column("Bytes a row", "less is better"),
        Column("of the baseline's"),
        Column("n, trials"),
    ]
    baseline = next((arm.name for arm in findings.arms if arm.baseline), None)
    base = next((read for read in findings.sizes if read.arm == baseline), None)
    rows = [Row(read.arm, _size(read, base)) for read in findings.sizes]
    return Sheet("Size on disk", "Arm", columns, [Group("", rows)])


def _size(read: SizeRead, base: SizeRead | None) -> list[Cell]:
    low, high = read.bytes_per_row_min, read.bytes_per_row_max
    spread = "" if low == high else f"{numbers.significant(low)} to {numbers.significant(high)}"
    relative = missing("the baseline's size is not known")
    if base is not None:
        relative = given(f"{numbers.ratio(read.bytes_per_row / base.bytes_per_row)} ×")
    total = read.disk_bytes
    if total is None and read.data_bytes is not None and read.index_bytes is not None:
        total = read.data_bytes + read.index_bytes
    return [
        given(", ".join(read.engines), "" if read.by_files else "by the server's word"),
        given(f"{read.rows:,.0f}"),
        missing() if total is None else given(format_bytes(int(total))),
        given(numbers.significant(read.bytes_per_row), spread),
        relative,
        given(str(read.trials)),
    ]


def costs_section(findings: Findings) -> Section | None:
    """The engine's part of each op; None without a floor."""
    if not findings.engine_costs:
        return None
    return Section("engine", "Engine above its floor", [Table(costs(findings), COSTS_MEAN)])


def sizes_section(findings: Findings) -> Section | None:
    """How large the tables are; None if no trial has their size."""
    if not findings.sizes:
        return None
    return Section("sizes", "Size on disk", [Table(sizes(findings), SIZES_MEAN)])
