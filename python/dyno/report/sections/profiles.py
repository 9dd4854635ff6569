"""In which functions of the servers the arms differ: the sampled profiles, block by block.

Without the three blocks that a comparison needs, each arm's largest shares.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from dyno.analysis.model import Findings
from dyno.analysis.profiles.model import ProfileComparison, ProfileRow
from dyno.analysis.profiles.words import WHERE_NOT_WHY, points, sentences
from dyno.analysis.signed import number
from dyno.report import numbers
from dyno.report.load import at_point
from dyno.report.section import Block, FlameGraph, Lines, Section, Table
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, estimated, given, missing
from dyno.spec.units import plural, possessive

SYMBOLS_MOST = 16
SYMBOLS_OF_EACH = 10
_NOT_TESTED = "this row sums what isn't listed"
_NO_CALLS = "only functions call others"
_COLUMNS = [
    Column("Difference, points", "less is better"),
    Column("Baseline, points"),
    Column("With all it calls"),
    Column("p, adjusted"),
]
_WHAT_SUMS = (
    "Points are per cent of the baseline's CPU time of an op. The differences sum to the whole "
    "one; those with all that a function calls overlap. Listed is what differs by itself."
)


def section(findings: Findings) -> Section | None:
    """For loads; a missing profile has its reason."""
    if not findings.profiles and not findings.profiles_compared:
        return None
    blocks: list[Block] = []
    for found in findings.profiles_compared:
        blocks += _compared(findings, found)
    if not findings.profiles_compared:
        lead = "Share of the server's CPU samples by function; the largest of each arm."
        blocks.append(Table(profiles(findings), lead))
    gone = [f"No profile of {arms}: {reason}" for arms, reason in unprofiled(findings)]
    blocks.append(Lines(gone, "quiet", is_brief=False))
    return Section("profiles", "Where the servers' CPU time went", blocks, label="CPU by function")


def _compared(findings: Findings, found: ProfileComparison) -> Iterator[Block]:
    arm, baseline = found.arm.arm, found.baseline.arm
    yield Lines(
        list(sentences(found)), title=f"{arm} against {baseline}{at_point(findings, found.point)}"
    )
    of_each = " and ".join(
        f"{side.samples:,} of {side.arm}" for side in (found.arm, found.baseline)
    )
    samples = f"Samples: {of_each}, in {plural(len(found.blocks), 'block')}."
    yield Table(_sheet("By part", "Part", found.classes, code=False), "By kind of code: all of it.")
    if found.rows:
        yield Table(_sheet("By function", "Function", found.rows), f"{_WHAT_SUMS} {samples}")
    if found.flame is not None:
        yield FlameGraph(
            found.flame,
            arm,
            baseline,
            f"Width: what a function costs in {arm}, with all that it calls. Colour: where its own "
            f"cost differs from {possessive(baseline)}, orange for dearer and blue for cheaper. A "
            "click zooms in.",
            title="Flame graph",
        )
    yield Lines([WHERE_NOT_WHY], "quiet", is_brief=False)


def _sheet(name: str, corner: str, rows: list[ProfileRow], *, code: bool = True) -> Sheet:
    columns = _COLUMNS if code else _COLUMNS[:2]
    made = [
        Row(row.label, _cells(row)[: len(columns)], code=code and row.kind == "function")
        for row in rows
    ]
    return Sheet(name, corner, columns, [Group("", made)])


def _cells(row: ProfileRow) -> list[Cell]:
    return [
        estimated(row.points, partial(number, digits=2), why=numbers.UNAVAILABLE),
        given(f"{row.baseline_points:.1f}"),
        missing(_NO_CALLS) if row.inclusive is None else given(points(row.inclusive)),
        missing(_NOT_TESTED) if row.p is None else given(numbers.probability(row.p)),
    ]


def profiles(findings: Findings) -> Sheet:
    """The functions that took most of the server's CPU time, arms side by side, in percent."""
    reads = [read for read in findings.profiles if read.lines]
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for read in reads:
        for line in read.lines:
            by_arm = shares.setdefault((line.symbol, line.object), {})
            by_arm[read.arm] = by_arm.get(read.arm, 0.0) + line.share_pct
    top = {
        (line.symbol, line.object)
        for read in reads
        for line in sorted(read.lines, key=lambda line: -line.share_pct)[:SYMBOLS_OF_EACH]
    }
    order = sorted(top, key=lambda key: (-max(shares[key].values()), key))[:SYMBOLS_MOST]
    unknown = missing("not among the functions that were kept of this arm")
    rows = [
        Row(
            f"{symbol} ({thing})" if thing else symbol,
            [_share(shares[symbol, thing].get(read.arm), unknown) for read in reads],
            code=True,
        )
        for symbol, thing in order
    ]
    return Sheet("Profile", "Function", [Column(r.arm) for r in reads], [Group("", rows)])


def _share(value: float | None, unknown: Cell) -> Cell:
    return unknown if value is None else given(f"{numbers.significant(value, 2)} %")


def unprofiled(findings: Findings) -> list[tuple[str, str]]:
    """The arms without a profile, grouped by reason."""
    why: dict[str, list[str]] = {}
    for read in findings.profiles:
        if not read.lines:
            why.setdefault(read.unavailable or numbers.UNAVAILABLE, []).append(read.arm)
    return [(", ".join(arms), reason) for reason, arms in why.items()]
