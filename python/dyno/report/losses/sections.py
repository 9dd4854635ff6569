"""The sections of a report about losses, made once for all forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dyno.analysis.durability import KINDS, CellRead, Losses, crash_line
from dyno.report.numbers import MISSING, UNAVAILABLE, percent, rate, seconds
from dyno.report.section import Lines, Pairs, Section, Table, problems
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing
from dyno.report.view import settings_text
from dyno.spec.experiment import Settings
from dyno.spec.units import plural

_FIGURES = (
    Column("Crashes"),
    Column("Lost something", "of crashes, with 95 % interval"),
    Column("Acknowledged"),
    Column("Ops lost", "median, most"),
    Column("Of the last", "median, most"),
    Column("Back in", "median, most"),
    Column("Ops/s before"),
)
LIMITS = [
    "No loss in n crashes bounds how often this load loses something here; it never says that "
    "nothing can be lost.",
    "After a power cut only what was acknowledged before it counts. After kill -9 all counts.",
    "Throughput in an image isn't the server's: the rates here only say how much was at stake.",
    "One disk with one cache is modelled; a controller or a hypervisor that ignores flushes is the "
    "disk that ignores flushes.",
]


def sections(losses: Losses) -> list[Section]:
    """In the order of the report."""
    return [
        _claims(losses),
        _cells(losses),
        _crashes(losses),
        _rig(losses),
        _arms(losses),
        Section("limits", "Limits", [Lines(LIMITS, is_brief=False)]),
    ]


def _claims(losses: Losses) -> Section:
    rows = [
        Row(
            claim.words,
            [
                given(claim.verdict, warn=claim.verdict == "not reproduced"),
                given(claim.why),
                given(claim.published) if claim.published else missing("no source is named"),
            ],
        )
        for claim in losses.claims
    ]
    columns = [Column(name, numeric=False) for name in ("Verdict", "Measured", "Published")]
    sheet = Sheet("Claims", "Claim", columns, [Group("", rows)])
    lines = [f"{claim.verdict}: {claim.words}. {claim.why}." for claim in losses.claims]
    tally = [
        f"{n} {verdict}"
        for verdict in ("reproduced", "not reproduced", "inconclusive")
        if (n := sum(claim.verdict == verdict for claim in losses.claims))
    ]
    says = ", ".join(tally) or "Nothing is claimed."
    return Section("claims", "Claims", [Table(sheet), _brief(lines)], says)


def _brief(lines: list[str]) -> Lines:
    """For the terminal, which shows no tables."""
    return Lines(lines, "quiet")


def _cells(losses: Losses) -> Section:
    groups = [
        Group(KINDS[kind], [_figures(cell) for cell in losses.cells if cell.kind == kind])
        for kind in losses.kinds
    ]
    sheet = Sheet("Figures", "Arm", list(_FIGURES), groups, "Crash")
    lead = "An op is an insert, an update or a transaction that a client knew to be done."
    return Section("figures", "Figures", [Table(sheet, lead)])


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
    lines = list(_details(losses))
    return Section(
        "crashes",
        "Each crash",
        [Lines(lines, "quiet", is_brief=False)],
        f"{plural(len(losses.crashes), 'crash')}, {len(harmed)} of them with a loss or damage.",
    )


def _details(losses: Losses) -> Iterator[str]:
    for crash in losses.crashes:
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
        rows.append(
            Row(
                arm.name,
                [
                    given(server),
                    given(arm.engine),
                    given(settings_text(arm.settings) or MISSING),
                    given(settings_text(read)) if read else missing(UNAVAILABLE),
                ],
            )
        )
    names = ("Server", "Engine", "Settings", "As the server reports them")
    sheet = Sheet("Arms", "Arm", [Column(name, numeric=False) for name in names], [Group("", rows)])
    load = losses.load
    words = f"{', '.join(load.ops)} on {plural(load.connections, 'connection')}"
    facts = [("load", words), ("rows updated", f"{load.rows:,}"), *losses.run.host]
    return Section("arms", "Arms and host", [Table(sheet), Pairs(facts, is_brief=False)])
