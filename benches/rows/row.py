"""What a row of the table is: two tools side by side in a cell, one figure, one bar.

A row runs nothing and knows no figures; `measure` runs cells, `judge` makes results of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from benches.stand import Sample, Stand, Tool

DYNO = "dynoload"
"""The name of Dyno's own tool in every cell."""


@dataclass(frozen=True, eq=False)
class Cell:
    """Tools that do the same work the same way; one run of each gives figures to many rows.

    `fill` makes its data, once for all cells with the same one. `blocks_most` for a cell that
    takes too long to be in every block. `lacks` has, for tools that not every host can run, what
    tells the reason why this one can't, or None.
    """

    name: str
    tools: Mapping[str, Tool]
    fill: Callable[[Stand], None] | None = None
    blocks_most: int | None = None
    lacks: Mapping[str, Callable[[], str | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """A figure of a sample; `read` gives None where the sample has none."""

    unit: str
    read: Callable[[Sample], float | None]


CPU = Figure("us/op", lambda sample: 1e6 * sample.cpu_s / sample.ops if sample.ops else None)
THROUGHPUT = Figure("ops/s", lambda sample: sample.ops / sample.elapsed_s or None)
SERVER_CPU = Figure(
    "us/op",
    lambda sample: (
        1e6 * sample.server_cpu_s / sample.ops if sample.server_cpu_s and sample.ops else None
    ),
)
LATENCY = Figure("us", lambda sample: sample.latency_us_mean)
P50 = Figure("us", lambda sample: sample.latency_us_p50)
P99 = Figure("us", lambda sample: sample.latency_us_p99)
TIME = Figure("s", lambda sample: sample.cost.wall_s)
TIME_AWAKE = Figure("s", lambda sample: sample.cost.wall_s - sample.slept_s)
MEMORY = Figure("MiB", lambda sample: (sample.cost.rss_bytes_max or 0) / 2**20 or None)
FAILED = Figure("ops", lambda sample: sample.failed)
SEND_LAG = Figure("ms", lambda sample: sample.send_lag_ms_p99)


@dataclass(frozen=True)
class Bar:
    """What a row is held to."""

    kind: Literal["at_most", "at_least"]
    limit: float

    def holds(self, value: float) -> bool:
        """Whether a value is on the right side."""
        return value <= self.limit if self.kind == "at_most" else value >= self.limit

    def __str__(self) -> str:
        return f"{'<=' if self.kind == 'at_most' else '>='} {self.limit:g}"


def at_most(limit: float) -> Bar:
    return Bar("at_most", limit)


def at_least(limit: float) -> Bar:
    return Bar("at_least", limit)


@dataclass(frozen=True)
class Row:
    """A line of the table: Dyno's figure over the peer's, or by itself where there is no peer.

    By `centre` the blocks are taken together as in every comparison of Dyno; by `worst` the
    highest block counts, for what must not happen even once. Rows that aren't `usual` are run
    only where their name is asked for.
    """

    name: str
    cell: Cell
    figure: Figure
    peer: str | None = None
    bar: Bar | None = None
    by: Literal["centre", "worst"] = "centre"
    usual: bool = True

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of its cell whose samples it needs."""
        return (DYNO,) if self.peer is None else (DYNO, self.peer)

    @property
    def lacks(self) -> str | None:
        """Why it can't be measured here; None if it can."""
        reasons = (self.cell.lacks[tool]() for tool in self.tools if tool in self.cell.lacks)
        return next((reason for reason in reasons if reason), None)
