"""The sections of a report about causes, made once for all forms."""

from __future__ import annotations

from dyno.analysis.signed import number
from dyno.analysis.why import CauseRead, Causes
from dyno.report.section import Block, Lines, Pairs, Section, Table, problems
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, estimated, given
from dyno.spec.units import format_duration, plural

LIMITS = [
    "A cause that was found is a cause on this workload and this host.",
    "Only the two values that the arms have were measured, and nothing between them.",
    "Shares that are too small to tell apart from the host's noise have no row of their own.",
    "What two settings do together is shared by halves, so points aren't what one costs alone.",
]


def sections(causes: Causes) -> list[Section]:
    """In the order of the report."""
    return [_shares(causes), _factors(causes), _search(causes), _limits()]


def _shares(causes: Causes) -> Section:
    columns = [
        Column("Points", "of the whole, in percent, with interval"),
        Column("Alone on the first", "in percent"),
        Column("Taken from the second", "in percent"),
        Column("Fresh blocks"),
        Column("What was set", "first / second", numeric=False),
    ]
    rows = [_row(cause) for cause in causes.causes]
    return Section(
        "shares", "Shares", [Table(Sheet("Shares", "Cause", columns, [Group("", rows)]))]
    )


def _row(cause: CauseRead) -> Row:
    why = "it wasn't measured apart"
    return Row(
        cause.name,
        [
            estimated(cause.points, _points, why="no fresh block says so"),
            estimated(cause.added, _points, why=why),
            estimated(cause.removed, _points, why=why),
            given(str(cause.n)),
            given(cause.values) if cause.values else Cell("", missing=""),
        ],
        flag="" if cause.standing in ("named", "rest", "servers", "gap") else cause.standing,
    )


def _points(value: float) -> str:
    return number(value, sign="+")


def _factors(causes: Causes) -> Section:
    columns = [
        Column(causes.explained.first, numeric=False),
        Column(causes.explained.second, numeric=False),
    ]
    rows = [
        Row(factor.name, [given(factor.first), given(factor.second)], flag=factor.merged, code=True)
        for factor in causes.factors
    ]
    sheet = Sheet("Factors", "Factor", columns, [Group("", rows)])
    merged = [f"{names} change together: a server refuses them apart." for names in causes.merges]
    left = causes.explained.left
    words = f"Only one server has them, or they can't be set: {', '.join(left)}." if left else ""
    lines = Lines([words] if words else [], "quiet", is_brief=False, folded="Part of the servers")
    lead = f"{plural(len(causes.factors), 'factor')} besides the servers themselves."
    blocks: list[Block] = [problems(merged), Table(sheet), lines]
    return Section("factors", "What was varied", blocks, lead)


def _search(causes: Causes) -> Section:
    run = causes.run
    rows = [
        ("explains", f"{causes.explained.experiment}, run {causes.explained.run}"),
        ("trials", f"{run.trials}, {run.void} of them without a figure"),
        ("starts tried", str(run.starts)),
        ("fresh blocks", str(causes.confirmed_blocks)),
        ("time", format_duration(run.elapsed_s)),
        ("ended", f"{causes.ending}; {run.reason}" if run.reason else causes.ending),
        ("seed", str(causes.explained.seed)),
    ]
    if causes.suspects:
        rows.append(("stood out while screening, unproven", ", ".join(causes.suspects)))
    if causes.resolution_pct is not None:
        rows.append(("screening hardly misses", f"{causes.resolution_pct:.2g} % or more"))
    return Section("search", "The search", [Pairs(rows, is_brief=False)])


def _limits() -> Section:
    return Section("limits", "Limits", [Lines(LIMITS, is_brief=False)])
