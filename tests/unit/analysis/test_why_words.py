"""What a search for causes says, in sentences."""

from __future__ import annotations

import math

import pytest
from why_targets import target

from dyno.analysis.why.model import CauseRead
from dyno.analysis.why.words import answer
from dyno.stats import Estimate
from dyno.stats.mirror import Ending, Outcome

TARGET = target(cost=math.log(1.23))
OUTCOME = Outcome(ending=Ending.CONFIRMED, trials=40, starts=40, seed=1)


def cause(name: str, points: float, low: float, high: float) -> CauseRead:
    return CauseRead(
        name=name,
        standing="named",
        points=Estimate(points, (low, high)),
        rounded=round(points),
        n=12,
        p=0.001,
        added=None,
        removed=None,
        values="",
    )


@pytest.mark.parametrize(
    ("narrowest", "says"),
    [
        (cause("s", 15.1, 14.3, 15.9), "23 points: s 15 (14 to 16), t 8 (7 to 8)."),
        (cause("s", 15.12, 15.0, 15.24), "23.0 points: s 15.1 (15.0 to 15.2), t 7.9 (7.4 to 8.4)."),
    ],
)
def test_all_shares_have_the_digits_of_the_narrowest_interval(
    narrowest: CauseRead, says: str
) -> None:
    causes = [narrowest, cause("t", 7.9, 7.4, 8.4)]
    headline = next(answer(TARGET, OUTCOME, causes, trials=40, lost=[]))
    assert headline == f"b needs 23 % more time than a (q, by time). Of these {says}"
