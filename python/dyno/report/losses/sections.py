"""The sections of a report about losses, made once for all forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from dyno.analysis.durability import (
    KINDS,
    CellRead,
    Crash,
    Losses,
    PriceList,
    PriceRead,
    crash_line,
)
from dyno.report.losses.matrix import LETTERS, below
from dyno.report.numbers import UNAVAILABLE, percent, rate, seconds
from dyno.report.section import Lines, Pairs, Section, Table, problems
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, estimated, given, missing
from dyno.report.view import settings_text
from dyno.spec.experiment import Settings
from dyno.spec.units import plural

_FIGURES = (
    Column("Crashes"),
    Column("Lost something", "of crashes, with 95 % interval"),
    Column("Acknowledged"),
    Column("Lost", "median, most"),
    Column("Of the last", "median, most"),
    Column("Back in", "median, most"),
    Column("Ops/s before"),
)
_VERDICTS = ("reproduced", "not reproduced", "inconclusive")
LIMITS = [
    "No loss in n crashes bounds how often this load loses something here; it never says that "
    "nothing can be lost.",
    "After a power cut only what was acknowledged before it counts. After kill -9 all counts.",
    "Throughput in an image isn't the server's: the rates before a crash only say how much was at "
    "stake. The price list is measured on the plain disk.",
    "One disk with one cache is modelled; a controller or a hypervisor that ignores flushes is the "
    "disk that ignores flushes.",
]


def sections(losses: Losses) -> list[Section]:
    """In the order of the report."""
    return [
        *_prices(losses),
        _claims(losses),
        _cells(losses),
        _crashes(losses),
        _rig(losses),
        _arms(losses),
        Section("limits", "Limits", [Lines(LIMITS, is_brief=False)]),
    ]


def _prices(losses: Losses) -> Iterator[Section]:
    """Throughput beside losses, if it was measured."""
    if (price := losses.price) is None:
        return
    rows = [
        Row(
            read.arm,
            [
                given(rate(read.ops_per_s_median)) if read.n else missing("it wasn't measured"),
                estimated(read.ratio, why=_no_ratio(read, price)),
                given(str(read.n)),
                *(_mark(losses.cell(read.arm, kind), losses.load.one) for kind in losses.kinds),
            ],
        )
        for read in price.arms
    ]
    columns = [
        Column("Ops/s", "median"),
        Column(f"Times {price.baseline}", "with 95 % interval"),
        Column("Blocks"),
        *(Column(KINDS[kind], numeric=False) for kind in losses.kinds),
    ]
    sheet = Sheet("Price list", "Arm", columns, [Group("", rows)])
    lead = (
        "Throughput under the load of the crashes, on the plain disk and never in an image; all "
        "arms once a block, in a random order."
    )
    lines = [f"{read.arm}: {read.says}." for read in price.arms if read.arm != price.baseline]
    failed = [f"{p.arm}: {plural(p.failed, 'op')} failed meanwhile" for p in price.arms if p.failed]
    yield Section("price", "Price list", [problems(failed), Lines(lines), Table(sheet, lead)])


def _no_ratio(read: PriceRead, price: PriceList) -> str:
    return "the baseline" if read.arm == price.baseline else "it wasn't measured"


def _mark(cell: CellRead | None, one: str) -> Cell:
    if cell is None or not cell.n:
        return missing("no crash of this arm has it")
    return given(LETTERS[cell.mark], below(cell, one), warn=cell.mark in ("loses", "breaks"))


def _claims(losses: Losses) -> Section:
    lines = [f"{claim.verdict}: {claim.words}: {claim.why}." for claim in losses.claims]
    return Section("claims", "Claims", [Lines(lines)], tally(losses))


def tally(losses: Losses) -> str:
    """How many claims have which verdict."""
    found = Counter[str](claim.verdict for claim in losses.claims)
    words = [f"{found[name]} {name}" for name in _VERDICTS if found[name]]
    return ", ".join(words) + "." if words else "Nothing is claimed."


def _cells(losses: Losses) -> Section:
    groups = [
        Group(KINDS[kind], [_figures(cell) for cell in losses.cells if cell.kind == kind])
        for kind in losses.kinds
    ]
    sheet = Sheet("Figures", "Arm", list(_FIGURES), groups, "Crash")
    return Section("figures", "Figures", [Table(sheet, losses.load.about)])


def _figures(cell: CellRead) -> Row:
    none = "no crash of this arm has it"
    interval = cell.share.interval if cell.share else None
    harmed = max(cell.lossy, cell.broken)
    share = f"{percent(interval[0])} to {percent(interval[1])}" if interval else ""
    return Row(
        cell.arm,
        [
            given(str(cell.n)),
            given(str(harmed), share, warn=harmed > 0) if cell.n else missing(none),
            given(f"{cell.acknowledged:,}") if cell.n else missing(none),
            _both(cell.lost_median, cell.lost_most, lambda value: f"{value:,.0f}"),
            _both(cell.lost_s_median, cell.lost_s_most, seconds),
            _both(cell.recovery_s_median, cell.recovery_s_most, seconds),
            given(rate(cell.ops_per_s_median)) if cell.n else missing(none),
        ],
    )


def _both(middle: float | None, most: float | None, words: Callable[[float], str]) -> Cell:
    if middle is None or most is None:
        return missing("no crash of this arm has it")
    return given(words(middle), words(most))


def _crashes(losses: Losses) -> Section:
    harmed = [crash for crash in losses.crashes if crash.is_lossy or crash.is_broken]
    blocks = [
        Lines(list(_details(harmed)), is_brief=False, folded="Those with a loss or damage"),
        Lines(list(_details(losses.crashes)), "quiet", is_brief=False, folded="All of them"),
    ]
    return Section(
        "crashes",
        "Each crash",
        blocks,
        f"{plural(len(losses.crashes), 'crash')}, {len(harmed)} of them with a loss or damage.",
    )


def _details(crashes: Sequence[Crash]) -> Iterator[str]:
    for crash in crashes:
        line = crash_line(crash)
        if crash.example:
            line += f"; the oldest: {crash.example}"
        said = [crash.failure or "", *crash.checks, *(crash.log if crash.is_broken else [])]
        yield "; ".join([line, *(text for text in said[:4] if text)])


def _rig(losses: Losses) -> Section:
    rows, wrong = [], []
    for kind, rig in losses.rigs.items():
        name = KINDS[kind]  # type: ignore[index]
        if rig.problem is not None:
            wrong.append(f"{name}: {rig.problem}")
        elif rig.survived:
            kept = ", ".join(f"{way} {n}" for way, n in rig.survived.items())
            rows.append((name, f"of 200 writes survived: {kept}"))
    lead = "Before the first crash each kind was tested: it must lose what it has to, and no more."
    return Section(
        "rig", "Self-test", [problems(wrong), Pairs(rows, is_brief=False)], "" if not rows else lead
    )


def _arms(losses: Losses) -> Section:
    rows = []
    for arm in losses.arms:
        read: Settings = {name: value for name, value in arm.read_back.items() if value is not None}
        server = f"{arm.server}, {arm.product} {arm.version}" if arm.product else arm.server
        given_ = settings_text(arm.settings) or "no settings"
        reported = settings_text(read) if read else UNAVAILABLE
        rows.append((arm.name, f"{server}, {arm.engine}; {given_}; it reports: {reported}"))
    facts = [("load", losses.load.words), *losses.run.host]
    blocks = [Pairs(rows, is_brief=False), Pairs(facts, "Load and host", is_brief=False)]
    return Section("arms", "Arms and host", blocks)
