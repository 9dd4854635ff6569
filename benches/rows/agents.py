"""What an agent costs a load host while nothing runs there."""

from __future__ import annotations

from importlib.util import find_spec

from benches.rows.row import DYNO, Cell, Figure, Row, at_most
from benches.stand import Sample, Stand


def resting(stand: Stand) -> Sample:
    # Only here: the engine is an extra, and takes half a second.
    from benches.tools.agent import resting

    return resting(stand)


def lacks_engine() -> str | None:
    return None if find_spec("distributed") else "the extra hosts isn't installed"


CELL = Cell("an agent at rest", {DYNO: resting}, blocks_most=6, lacks={DYNO: lacks_engine})
CPU_SHARE = Figure("% of a core", lambda sample: 100 * sample.cpu_s / sample.elapsed_s)
MEMORY = Figure("MB", lambda sample: (sample.cost.rss_bytes_max or 0) / 1e6 or None)

ROWS = (
    Row("agent.cpu", CELL, CPU_SHARE, bar=at_most(1.0)),
    Row("agent.memory", CELL, MEMORY, bar=at_most(64.0)),
)
