"""Where the time of an op went: on a CPU, waiting for one, for locks, the disk, the client."""

from __future__ import annotations

from dyno.analysis.model import Findings
from dyno.analysis.profiles.model import LatencyPart, LatencySplit
from dyno.analysis.profiles.words import latency_sentence
from dyno.report import numbers
from dyno.report.load import at_point
from dyno.report.section import Block, Lines, Section, Table
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, estimated, given

LEAD = (
    "Time from op to op of a connection, in microseconds. CPU and the wait for a CPU are the "
    "kernel's accounts of the threads that serve; the rest is split by samples of what they wait "
    "for. The rows sum to the whole."
)
_COLUMNS = [
    Column("Difference, µs", "less is better"),
    Column("Baseline, µs"),
    Column("p, adjusted"),
]


def section(findings: Findings) -> Section | None:
    """For closed loads of three blocks and more, on servers that name their threads."""
    if not findings.latency_split:
        return None
    blocks: list[Block] = []
    for found in findings.latency_split:
        title = f"{found.arm} against {found.baseline}{at_point(findings, found.point)}"
        blocks.append(Lines([latency_sentence(found)], title=title))
        blocks.append(Table(_sheet(found), LEAD))
    return Section("waits", "Where the time of an op went", blocks, label="Waiting")


def _sheet(found: LatencySplit) -> Sheet:
    rows = [Row(part.name, _cells(part)) for part in found.parts]
    return Sheet("Time of an op", "What it did", _COLUMNS, [Group("", rows)])


def _cells(part: LatencyPart) -> list[Cell]:
    return [
        estimated(part.us, why=numbers.UNAVAILABLE),
        given(numbers.significant(part.baseline_us)),
        given(numbers.probability(part.p)),
    ]
