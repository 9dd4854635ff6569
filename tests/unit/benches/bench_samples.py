"""Samples, cells and rows for the tests of the benches; no program is started."""

from __future__ import annotations

from benches.child import Cost
from benches.measure import Samples
from benches.rows.row import CPU, DYNO, Bar, Cell, Row
from benches.stand import Sample, Stand


def sample(cpu_us: float = 10.0, ops: int = 1000, failed: int = 0) -> Sample:
    """A sample by what an op cost."""
    return Sample(Cost(9.0, 3.0, 2**20), ops, 2.0, cpu_us * ops / 1e6, failed=failed)


def never(stand: Stand) -> Sample:
    """A tool that must not be started."""
    raise AssertionError("started")


def cell(name: str = "cell", *, blocks_most: int | None = None) -> Cell:
    """A cell with all three tools."""
    return Cell(name, dict.fromkeys((DYNO, "sysbench", "floor"), never), blocks_most=blocks_most)


def row(bar: Bar | None = None) -> Row:
    """A row that compares CPU with sysbench's."""
    return Row("some.cpu", cell(), CPU, "sysbench", bar)


def samples(dyno: list[float], peer: list[float]) -> Samples:
    """Samples for `row`, by what an op cost in each block."""
    return {
        ("cell", DYNO): {block: sample(x) for block, x in enumerate(dyno)},
        ("cell", "sysbench"): {block: sample(x) for block, x in enumerate(peer)},
    }
