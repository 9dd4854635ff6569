"""What a run of `tpcc` adds to any load, as tables and words for every report.

TPC-C-like and unaudited, which every form of the report says. Derived from Findings alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dyno.analysis.model import Findings
from dyno.analysis.tpcc.model import Tpcc, TpccAudit, TpccPoint, TpccType
from dyno.report import load, numbers
from dyno.report.section import Lines, Section, Table, at_points, problems
from dyno.report.sections import drawn, points, response_times
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing
from dyno.spec.units import plural, possessive

TITLE = "Orders and deliveries (TPC-C-like)"
ORDERS_MEAN = (
    "New orders/min are medians of the blocks. They include those that roll back as they should, "
    "since those are work, too. Retries are transactions begun again with the same inputs, by "
    "error code; they and the failed ones are counted over all trials. A delivery visits ten "
    "districts and skips those in which no order waits; more than 1 % skipped must be reported. "
    "Sizes are those of the tables before the warm-up and after the measuring."
)
TYPES_MEAN = (
    "Response times by transaction type, over the good trials of an arm at a point; New-Order with "
    "those that roll back. Less is better."
)
AUDIT_MEANS = (
    "Whether the client drew what the specification asks for: shares with their 99 % interval. In "
    "range: the whole interval is. Out of range: none of it is. Otherwise there are too few to "
    "say."
)
# The share of queued deliveries that must be executed within 80 s (2.7.2.2).
IN_TIME = 0.9
# More skipped deliveries than this must be reported (2.7.4).
SKIPPED_MOST = 0.01
QUANTILES = (0.5, 0.9, 0.95, 0.99)
LIMITS = {"kept": "kept", "missed": "missed", "too few": "too few to say"}


def orders(findings: Findings) -> Sheet:
    """New orders/min and the other figures of a point as a whole."""
    tpcc = _of(findings)
    found = {(read.point, read.arm): read for read in tpcc.points}
    groups = []
    for point in load.points_of(findings):
        here = [(arm, found.get((point.index, arm.name))) for arm in findings.arms]
        rows = [
            Row(arm.name, _orders(findings, tpcc, read), "baseline" if arm.baseline else "")
            for arm, read in here
            if read is not None
        ]
        if rows:
            groups.append(Group(point.label, rows))
    columns = [
        Column("New orders/min", "more is better"),
        Column("Without rollbacks", "more is better"),
        Column("Of a warehouse"),
        Column("Retries", "less is better"),
        Column("Failed", "less is better"),
        Column("Deliveries skipped"),
        Column("Size before"),
        Column("Size after"),
        Column("Trials"),
    ]
    return Sheet(TITLE, "Arm", columns, groups, "Point")


def _orders(findings: Findings, tpcc: Tpcc, read: TpccPoint) -> list[Cell]:
    return [
        _rate(read.new_orders_per_min, points.rate_bounds(findings, read.arm, read.point)),
        _rate(read.without_rollbacks_per_min),
        _rate(read.per_warehouse_per_min, _ceiling(tpcc, read)),
        points.codes(read.retries),
        points.codes(read.failed, warn=True),
        _skipped(read),
        points.size(read.size_before_bytes),
        points.size(read.size_after_bytes),
        given(str(read.trials)),
    ]


def _rate(value: float | None, below: str = "") -> Cell:
    return missing(load.NO_FIGURE) if value is None else given(numbers.rate(value), below)


def _ceiling(tpcc: Tpcc, read: TpccPoint) -> str:
    """For paced terminals: how near they come to what their pauses allow."""
    if tpcc.mode != "paced" or read.of_ceiling is None:
        return ""
    return f"{numbers.percent(read.of_ceiling)} of 12.86"


def _skipped(read: TpccPoint) -> Cell:
    if read.skipped_share is None:
        return missing("no delivery, or not recorded")
    below = f"{read.skipped_deliveries:,} districts"
    if read.queued_deliveries:
        below += f"; {_in_time(read)} of {read.queued_deliveries:,} queued executed within 80 s"
    warn = read.skipped_share > SKIPPED_MOST or _is_late(read)
    return given(numbers.percent(read.skipped_share), below, warn=warn)


def _in_time(read: TpccPoint) -> str:
    return "?" if read.executed_in_time is None else f"{read.executed_in_time:,}"


def _is_late(read: TpccPoint) -> bool:
    """Whether fewer than 90 % of the queued deliveries were executed within 80 s (2.7.2.2)."""
    if not read.queued_deliveries or read.executed_in_time is None:
        return False
    return read.executed_in_time < IN_TIME * read.queued_deliveries


def types(findings: Findings, *, all_points: bool = False) -> Sheet:
    """Response times by transaction type, a group per point and arm."""
    tpcc = _of(findings)
    paced = tpcc.mode == "paced"
    shown = load.points_of(findings)
    groups = []
    for point in shown if all_points else load.spread(shown, load.CHOSEN_POINTS):
        for read in tpcc.points:
            if read.point == point.index:
                rows = [Row(each.name, _type(each, paced=paced)) for each in read.types]
                groups.append(Group(f"{point.label}, {read.arm}", rows))
    columns = [Column("Ops"), *response_times.columns(QUANTILES)]
    limit = [Column("Limit of 90 %")] if paced else []
    return Sheet("Response times", "Type", [*columns, *limit], groups, "Point, arm")


def _type(read: TpccType, *, paced: bool) -> list[Cell]:
    below = "above the 90th percentile" if read.mean_kept is False else ""
    known = (read.p50_ms, read.p90_ms, read.p95_ms, read.p99_ms)
    cells = [
        given(f"{read.count:,}"),
        *response_times.cells(read.mean_ms, known, read.max_ms, mean_says=below),
    ]
    return [*cells, _limit(read)] if paced else cells


def _limit(read: TpccType) -> Cell:
    if read.limit is None or read.limit_s is None:
        return missing()
    return given(f"{read.limit_s:g} s", LIMITS[read.limit], warn=read.limit == "missed")


def audit(findings: Findings, *, all_points: bool = False) -> Sheet:
    """The drawn inputs against their ranges: for all points together, and for each separately."""
    reads = _of(findings).audit
    groups = drawn.groups(findings, reads, _audited, all_points=all_points)
    columns = [
        Column("Seen"),
        Column("99 % interval"),
        Column("Range"),
        Column("n"),
        Column("State"),
    ]
    return Sheet("Audit ranges", "Figure", columns, groups, "Point, arm")


def _range(read: TpccAudit) -> str:
    """The range, a share in percent and a mean as it is: "0.9 to 1.1 %"."""
    if read.high > 1:
        return f"{read.low:g} to {read.high:g}"
    return f"{read.low * 100:g} to {read.high * 100:g} %"


def _audited(read: TpccAudit) -> list[Cell]:
    if read.state == "not applicable":
        none = missing("with one warehouse nothing is remote")
        return [none, none, given(_range(read)), given(f"{read.n:,}"), given("not applicable")]
    state = "too few to say" if read.state == "too few" else read.state
    return [
        missing("none was counted") if read.value is None else given(_value(read, read.value)),
        _sure(read),
        given(_range(read)),
        given(f"{read.n:,}"),
        given(state, warn=read.state == "out of range"),
    ]


def _value(read: TpccAudit, value: float) -> str:
    return drawn.value(value, is_mean=read.high > 1)


def _sure(read: TpccAudit) -> Cell:
    if read.sure_low is None or read.sure_high is None:
        return missing("none was counted" if read.value is None else drawn.MORE_THAN_ALL)
    return given(drawn.interval(read.sure_low, read.sure_high, is_mean=read.high > 1))


def says(findings: Findings) -> str:
    """The run's shape, and the result of its audit, in two sentences."""
    tpcc = _of(findings)
    counts = Counter(read.state for read in drawn.first(tpcc.audit))
    said = ", ".join(
        f"{counts[state]} {'too few to say' if state == 'too few' else state}"
        for state in ("in range", "out of range", "too few", "not applicable")
        if counts[state]
    )
    shape = f"TPC-C-like, unaudited: {plural(tpcc.warehouses, 'warehouse')}, mode {tpcc.mode}."
    return f"{shape} Audit ranges: {said}." if said else shape


def wrong(findings: Findings) -> Iterator[str]:
    """What is out of the specification's bounds, in words."""
    tpcc = _of(findings)
    labels = {point.index: point.label for point in load.points_of(findings)}
    for read in drawn.first(tpcc.audit):
        if read.state == "out of range" and read.value is not None:
            yield f"{read.arm}: {read.figure}: {_value(read, read.value)}, not {_range(read)}"
    for point in tpcc.points:
        at = f"{point.arm}, {labels.get(point.point, '')}"
        for each in point.types:
            if each.limit == "missed":
                yield f"{at}: {each.name} misses its limit of {each.limit_s:g} s for nine in ten"
            if each.mean_kept is False:
                yield f"{at}: {possessive(each.name)} mean is above its 90th percentile"
        if point.skipped_share is not None and point.skipped_share > SKIPPED_MOST:
            yield f"{at}: deliveries skip {numbers.percent(point.skipped_share)} of the districts"
        if _is_late(point):
            yield (
                f"{at}: {_in_time(point)} of {point.queued_deliveries:,} queued deliveries were "
                "executed within 80 s, not 90 %"
            )


def _of(findings: Findings) -> Tpcc:
    """The part that only such runs have. Raises ValueError for another run."""
    if findings.tpcc is None:
        raise ValueError("not a run of tpcc")
    return findings.tpcc


def section(findings: Findings) -> Section | None:
    """New orders/min, response times, audit ranges and deviations; None for other runs."""
    if findings.tpcc is None:
        return None
    shown = load.points_shown(findings)
    return Section(
        "tpcc",
        TITLE,
        [
            problems(wrong(findings)),
            Table(orders(findings), ORDERS_MEAN),
            at_points(types, findings, TYPES_MEAN, "Response times", shown),
            at_points(audit, findings, AUDIT_MEANS, "Audit ranges"),
            Lines(
                findings.tpcc.deviations, title="Deviations from the specification", is_brief=False
            ),
        ],
        says=says(findings),
        label="TPC-C-like",
    )
