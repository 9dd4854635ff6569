"""What a run of `linkbench` adds to any load, as tables and words for every report.

Derived from Findings alone. Names of ops are the workload's; those of figures are in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dyno.analysis.linkbench.model import Linkbench, LinkbenchDraw, LinkbenchOp, LinkbenchPoint
from dyno.analysis.model import Findings
from dyno.report import load, numbers
from dyno.report.section import Lines, Section, Table, at_points, problems
from dyno.report.sections import drawn, response_times
from dyno.report.sections import points as cells
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, estimated, given, missing
from dyno.spec.units import plural

TITLE = "Social graph (LinkBench)"
POINTS_MEAN = (
    "Ops/s are of all kinds together, medians of the blocks. Rows of a list are what LinkBench "
    "calls RANGE_SIZE: a few ids with very many links make most of it, so it needs very many "
    "lists. Retries are transactions begun again with the same inputs, by error code; they and the "
    "failed ones are counted over all trials. Written is what the server's process gave to the "
    "disk, for one op. Sizes are those of the tables before the warm-up and after the measuring, "
    "when hidden links are still rows."
)
OPS_MEAN = (
    "Response times by kind of op, over the good trials of an arm at a point. Less is better. An "
    "add_link or update_link may insert, show or rewrite a link."
)
DRAWS_MEAN = (
    "Whether the client asked what the profile says: shares and means with their intervals, so "
    "wide that all of an arm's hold together in 99 of 100 runs. As asked means that the interval "
    "holds what was asked for. What the data decide is shown and not judged: it drifts while links "
    "are added, so compare it between runs of equal length only."
)
PROFILES = {
    "fb-as-coded": "LinkBench as it is coded, so that its figures can be compared with these",
    "fb-as-configured": (
        "what LinkBench's configuration asks for: writes have their own blend and shape, and links "
        "are split evenly between the types"
    ),
    "mc-2017": "the mix, sizes, degrees and writes of the fork of 2017",
}
STATES = {"too few": "too few to say", "only told": "shown, not judged"}
QUANTILES = (0.5, 0.95, 0.99, 0.999)


def points(findings: Findings) -> Sheet:
    """The rate of all ops, lists, trouble, bytes and sizes by point and arm."""
    found = {(read.point, read.arm): read for read in _of(findings).points}
    groups = []
    for point in load.points_of(findings):
        here = [(arm, found.get((point.index, arm.name))) for arm in findings.arms]
        rows = [
            Row(arm.name, _point(findings, read), "baseline" if arm.baseline else "")
            for arm, read in here
            if read is not None
        ]
        if rows:
            groups.append(Group(point.label, rows))
    columns = [
        Column("Ops/s", "more is better"),
        Column("Rows of a list"),
        Column("Lists of 10,000 rows"),
        Column("Retries", "less is better"),
        Column("Failed", "less is better"),
        Column("Written, bytes an op", "less is better"),
        Column("Size after"),
        Column("Links of an id"),
        Column("Trials"),
    ]
    return Sheet(TITLE, "Arm", columns, groups, "Point")


def _point(findings: Findings, read: LinkbenchPoint) -> list[Cell]:
    return [
        _rate(findings, read),
        _range_size(read),
        _at_limit(read),
        cells.codes(read.retries),
        cells.codes(read.failed, warn=True),
        _written(findings, read),
        _sizes(read),
        _known(read.link_rows_per_id),
        given(str(read.trials)),
    ]


def _rate(findings: Findings, read: LinkbenchPoint) -> Cell:
    if read.ops_per_s is None:
        return missing(load.NO_FIGURE)
    return given(numbers.rate(read.ops_per_s), cells.rate_bounds(findings, read.arm, read.point))


def _range_size(read: LinkbenchPoint) -> Cell:
    return estimated(read.range_size, why="no list had a row, or not recorded")


def _at_limit(read: LinkbenchPoint) -> Cell:
    if read.at_limit_share is None:
        return missing("no list, or not recorded")
    return given(numbers.percent(read.at_limit_share), f"of {read.lists:,}")


def _sizes(read: LinkbenchPoint) -> Cell:
    after, before = cells.size(read.size_after_bytes), cells.size(read.size_before_bytes)
    return after if after.missing or before.missing else given(after.text, f"from {before.text}")


def _known(value: float | None) -> Cell:
    return missing() if value is None else given(numbers.significant(value))


def _written(findings: Findings, read: LinkbenchPoint) -> Cell:
    """As in the table of costs."""
    cost = next((p for p in findings.per_op if (p.arm, p.point) == (read.arm, read.point)), None)
    kb = cost.figures.get("written_kb_per_op") if cost is not None else None
    return missing() if kb is None else given(numbers.significant(kb * 1000))


def ops(findings: Findings, *, all_points: bool = False) -> Sheet:
    """Counts and response times by kind of op, a group per point and arm."""
    shown = load.points_of(findings)
    groups = []
    for point in shown if all_points else load.spread(shown, load.CHOSEN_POINTS):
        for read in _of(findings).points:
            if read.point == point.index:
                rows = [Row(each.name, _op(each), code=True) for each in read.ops]
                groups.append(Group(f"{point.label}, {read.arm}", rows))
    columns = [Column("Ops"), Column("Of all"), Column("Asked"), *response_times.columns(QUANTILES)]
    return Sheet("Ops", "Op", columns, groups, "Point, arm")


def _op(read: LinkbenchOp) -> list[Cell]:
    known = (read.p50_ms, read.p95_ms, read.p99_ms, read.p999_ms)
    return [
        given(f"{read.count:,}"),
        given(_percent(read.share)),
        missing() if read.asked_share is None else given(_percent(read.asked_share)),
        *response_times.cells(read.mean_ms, known, read.max_ms),
    ]


def _percent(share: float) -> str:
    return drawn.value(share, is_mean=False)


def draws(findings: Findings, *, all_points: bool = False) -> Sheet:
    """What was asked against the profile: for all points together, and for each separately."""
    reads = _of(findings).draws
    groups = drawn.groups(findings, reads, _drawn, all_points=all_points)
    columns = [
        Column("Seen"),
        Column("Interval"),
        Column("Asked for"),
        Column("n"),
        Column("State"),
    ]
    return Sheet("Asked as it should be", "Figure", columns, groups, "Point, arm")


def _drawn(read: LinkbenchDraw) -> list[Cell]:
    state = STATES.get(read.state, read.state)
    asked = missing("the data decide") if read.asked is None else given(_asked(read, read.asked))
    none = missing("none was counted")
    return [
        none if read.value is None else given(drawn.value(read.value, is_mean=read.is_mean)),
        _sure(read),
        asked,
        given(f"{read.n:,}"),
        given(state, warn=read.state == "not as asked"),
    ]


def _asked(read: LinkbenchDraw, value: float) -> str:
    most = "at most " if read.at_most else ""
    return most + drawn.value(value, is_mean=read.is_mean)


def _sure(read: LinkbenchDraw) -> Cell:
    if read.sure_low is None or read.sure_high is None:
        return missing("none was counted" if read.value is None else drawn.MORE_THAN_ALL)
    return given(drawn.interval(read.sure_low, read.sure_high, is_mean=read.is_mean))


def says(findings: Findings) -> str:
    """The run's shape, its profile, and the result of checking what was asked."""
    found = _of(findings)
    counts = Counter(read.state for read in drawn.first(found.draws))
    said = ", ".join(
        f"{counts[state]} {'too few to say' if state == 'too few' else state}"
        for state in ("as asked", "not as asked", "too few")
        if counts[state]
    )
    means = PROFILES.get(found.profile)
    profile = f"profile {found.profile}" + (f" ({means})" if means else "")
    changed = f", {_changed(found)} changed" if found.properties else ""
    shape = f"{plural(found.ids, 'id')} from {found.first_id:,} on, {profile}{changed}."
    return f"{shape} What was drawn: {said}." if said else shape


def _changed(found: Linkbench) -> str:
    many = len(found.properties)
    return f"{many:,} {'property' if many == 1 else 'properties'}"


def wrong(findings: Findings) -> Iterator[str]:
    """What was asked incorrectly, and ops that failed, in words."""
    found = _of(findings)
    for read in drawn.first(found.draws):
        if read.state == "not as asked" and read.value is not None and read.asked is not None:
            seen = drawn.value(read.value, is_mean=read.is_mean)
            yield f"{read.arm}: {read.figure}: {seen}, not {_asked(read, read.asked)}"
    labels = {point.index: point.label for point in load.points_of(findings)}
    for point in found.points:
        failed = sum(point.failed.values())
        if failed:
            at = f"{point.arm}, {labels.get(point.point, '')}"
            yield f"{at}: {plural(failed, 'op')} failed ({cells.codes(point.failed).below})"


def _of(findings: Findings) -> Linkbench:
    """The part that only such runs have. Raises ValueError for another run."""
    if findings.linkbench is None:
        raise ValueError("not a run of linkbench")
    return findings.linkbench


def section(findings: Findings) -> Section | None:
    """Rates and lists, ops, what was asked, deviations; None for other runs."""
    if findings.linkbench is None:
        return None
    shown = load.points_shown(findings)
    return Section(
        "linkbench",
        TITLE,
        [
            problems(wrong(findings)),
            Table(points(findings), POINTS_MEAN),
            at_points(ops, findings, OPS_MEAN, "Ops", shown),
            at_points(draws, findings, DRAWS_MEAN, "Asked as it should be"),
            Lines(
                findings.linkbench.deviations, title="Deviations from the original", is_brief=False
            ),
        ],
        says=says(findings),
        label="Social graph",
    )
