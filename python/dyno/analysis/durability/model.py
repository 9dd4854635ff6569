"""The findings of a series, as findings.json has them.

Schema history:
  1  first version
"""

from __future__ import annotations

from typing import Annotated, Literal

from dyno.analysis.part import Estimate, FindingsPart, Keys, WithEstimates
from dyno.spec.crash_load import CrashLoad
from dyno.spec.durability import CrashKind, Says
from dyno.spec.experiment import Published, Settings
from dyno.store.crash import Crash as Crash
from dyno.store.crash import Rig

LOSSES_SCHEMA = 1

# loses: something acknowledged is gone. breaks: it doesn't come back whole. keeps: neither was
# seen. not tested: the control lost nothing, so nothing could be. no crash: there was none.
Mark = Literal["loses", "breaks", "keeps", "not tested", "no crash"]
Verdict = Literal["reproduced", "not reproduced", "inconclusive"]


class CellRead(WithEstimates):
    """An arm and a kind of crash: of `n` crashes `lossy` lost something and `broken` left something
    broken. `share` is that of crashes that did either. The other figures are None where no crash
    has them; `lost` and `lost_s` are of those that lost something that could be counted. `ahead`:
    what was lost, but is in the binary log; `behind`: what was kept, but isn't in it.
    """

    arm: str
    kind: CrashKind
    mark: Mark
    says: str
    n: int
    lossy: int
    broken: int
    share: Annotated[Estimate | None, Keys("share", "share_low", "share_high")]
    acknowledged: int
    lost_median: float | None
    lost_most: int | None
    lost_s_median: float | None
    lost_s_most: float | None
    ahead: int = 0
    behind: int = 0
    recovery_s_median: float | None
    recovery_s_most: float | None
    ops_per_s_median: float | None


class PriceRead(WithEstimates):
    """What an arm cost: its median throughput, and how many times as fast as the baseline it was in
    the same block, `n` blocks; None of the baseline itself, and where nothing was measured. `says`
    has what it loses beside it. `failed`: ops that failed meanwhile.
    """

    arm: str
    n: int
    ops_per_s_median: float | None
    ratio: Annotated[Estimate | None, Keys("ratio", "ratio_low", "ratio_high")]
    failed: int
    says: str


class PriceList(FindingsPart):
    """All arms' prices, in the plan's order."""

    baseline: str
    blocks: int
    arms: list[PriceRead]


class LossClaim(FindingsPart):
    """A claim and its verdict."""

    arm: str
    crash: CrashKind
    says: Says
    words: str
    published: str | None
    verdict: Verdict
    why: str


class ArmLost(FindingsPart):
    """An arm: what was declared, and what its server reported of itself."""

    name: str
    server: str
    product: str | None
    version: str | None
    engine: str
    settings: Settings
    read_back: dict[str, str | None]


class SeriesRead(FindingsPart):
    """The run: how far it came, and how it is repeated."""

    id: str
    state: str
    reason: str
    elapsed_s: float
    started: str
    dyno: str
    seed: int
    quick: bool
    repeat: str
    host: list[tuple[str, str]]


class Losses(FindingsPart):
    """All that a series shows."""

    name: str
    title: str
    question: str
    published: Published | None
    run: SeriesRead
    answer: list[str]
    kinds: list[CrashKind]
    load: CrashLoad
    control: str | None
    arms: list[ArmLost]
    cells: list[CellRead]
    price: PriceList | None = None
    claims: list[LossClaim]
    rigs: dict[str, Rig]
    crashes: list[Crash]

    def cell(self, arm: str, kind: str) -> CellRead | None:
        """The cell of an arm and a kind of crash; None if the plan has none."""
        return next((c for c in self.cells if (c.arm, c.kind) == (arm, kind)), None)
