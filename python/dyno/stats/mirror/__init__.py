"""Which of many settings make the difference between two arms, found by intervention.

`Search` is a machine without I/O: made from a `Question`, it asks for blocks of rows and is given
their log costs. Rows are compared with their mirror images, so that each setting's share comes from
all trials (`hadamard`, `shares`). Screening chooses a few settings (`forward`, `screening`), fresh
blocks prove them (`rule`, `confirming`), and what depends on each other is measured apart
(`jointly`). `refusal` finds which values keep a server from starting, `points` makes points of
shares. The reasons are in docs/adr/0039-causes-by-mirrored-rows.md.
"""

from dyno.stats.mirror.hadamard import MOST_FACTORS
from dyno.stats.mirror.outcome import (
    Confirmed,
    Ending,
    Figure,
    Joint,
    Kind,
    Merge,
    Outcome,
    Pair,
    Round,
    Screened,
    Setting,
    Share,
    Standing,
    Suspect,
)
from dyno.stats.mirror.points import Points, points, rounded_to_sum
from dyno.stats.mirror.question import LOOKS, Answers, Block, Question, Stage
from dyno.stats.mirror.refusal import STARTS_MOST, Refusal, smallest_refusal
from dyno.stats.mirror.search import Search

__all__ = [
    "LOOKS",
    "MOST_FACTORS",
    "STARTS_MOST",
    "Answers",
    "Block",
    "Confirmed",
    "Ending",
    "Figure",
    "Joint",
    "Kind",
    "Merge",
    "Outcome",
    "Pair",
    "Points",
    "Question",
    "Refusal",
    "Round",
    "Screened",
    "Search",
    "Setting",
    "Share",
    "Stage",
    "Standing",
    "Suspect",
    "points",
    "rounded_to_sum",
    "smallest_refusal",
]
