"""What a search found. Figures are log ratios of costs: positive where B's value costs more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from dyno.stats.estimate import Estimate

Names = tuple[str, ...]
"""Factors that were changed together."""


class Standing(StrEnum):
    """What confirming blocks say about a setting."""

    NAMED = "named"
    DROPPED = "dropped"
    OPEN = "open"


class Ending(StrEnum):
    """How a search ended."""

    CONFIRMED = "confirmed"
    NO_DIFFERENCE = "no difference"
    ONE_FACTOR = "one factor"
    NONE_FOUND = "none found"
    TOO_FEW = "too few trials"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """An estimate from one value a block, over `n` blocks.

    The interval is the repeated one at the level of its test, None if n is too small. `p` is valid
    after several looks, and is already multiplied by the number of tests that share alpha.
    """

    estimate: Estimate
    n: int
    p: float


@dataclass(frozen=True, kw_only=True)
class Share:
    """What several factors together contribute, if any block says so."""

    factors: Names
    figure: Figure | None


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting that was confirmed or not.

    `added` is what it costs alone on A, `removed` what it costs as the last one on B; `share` holds
    half of each where no three act together. `interaction` is removed minus added, `interaction_p`
    its p by Holm's rule over the settings. None where rows both ways weren't measured.
    """

    factors: Names
    standing: Standing
    share: Figure
    added: Figure | None = None
    removed: Figure | None = None
    interaction: Figure | None = None
    interaction_p: float | None = None


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A factor that screening chose, with its value there. Not proven."""

    factors: Names
    value: float


@dataclass(frozen=True, kw_only=True)
class Screened:
    """What screening saw in `pairs` mirrored pairs, each setting's effect with the error `se`.

    `suspects` are settings, largest first; only the first of them go on. `server` is the servers'
    effect if it was chosen, a suspicion as well. `resolution` is the size that is hardly missed.
    """

    suspects: tuple[Suspect, ...]
    server: float | None
    se: float
    resolution: float
    pairs: int
    replicates: int


@dataclass(frozen=True, kw_only=True)
class Joint:
    """Shares by a full factorial over few players, where three or more act together. They sum to
    the whole difference, and are to be shown instead of the others. Players beyond the largest ones
    are one, the last.
    """

    shares: tuple[Share, ...]
    blocks: int


class Kind(StrEnum):
    """How two settings depend on each other."""

    BOTH = "only together"
    EITHER = "either is enough"


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two settings whose effects depend on each other, measured together in blocks of their own.

    `effect` is what both cost, added to A (`BOTH`) or removed from B (`EITHER`), `excess` by how
    much that exceeds the sum of each alone. `holds`: the excess is proven, and delta at least.
    """

    kind: Kind
    settings: tuple[Names, Names]
    effect: Figure
    excess: Figure
    holds: bool


@dataclass(frozen=True, kw_only=True)
class Confirmed:
    """What fresh blocks say: shares over all contexts of the other players.

    `settings` in the order of screening; `rest` are all other settings together, `server` the
    servers themselves. `difference` is B's cost minus A's in the same blocks, `gap` what of it the
    shares lack: it is 0 unless three or more act together. `alpha` is shared by the settings.
    `lost` blocks had too many void trials. `cut_short`: the last look was one that the budget, or
    void trials, put there.
    """

    settings: tuple[Setting, ...]
    rest: Share | None
    server: Share | None
    difference: Figure | None
    gap: Figure | None
    joint: Joint | None = None
    pairs: tuple[Pair, ...] = ()
    alpha: float
    blocks: int
    lost: int
    cut_short: bool


@dataclass(frozen=True, kw_only=True)
class Round:
    """Screening, unless all factors could be confirmed at once, and what it led to."""

    screened: Screened | None
    confirmed: Confirmed | None


@dataclass(frozen=True, kw_only=True)
class Merge:
    """Factors that can't be set apart: a server refuses `row`, and starts if one of them has the
    other arm's value. `minimal` is False if there were too few starts to be sure of that.
    """

    factors: Names
    row: str
    minimal: bool
    starts: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """All that a search found. `first` and `opened` (the rest once more, with the first round's
    settings at B) are None if they didn't happen. `refused` are rows that don't start.
    """

    ending: Ending
    first: Round | None = None
    opened: Round | None = None
    merges: tuple[Merge, ...] = ()
    refused: tuple[str, ...] = ()
    trials: int
    starts: int
    seed: int

    def settings(self, standing: Standing) -> tuple[Setting, ...]:
        """The settings of both rounds that are named, dropped or open."""
        return tuple(
            setting
            for confirmed in self._confirmed()
            for setting in confirmed.settings
            if setting.standing is standing
        )

    @property
    def named(self) -> tuple[Setting, ...]:
        """Settings that contribute, proven in fresh blocks."""
        return self.settings(Standing.NAMED)

    def _confirmed(self) -> Iterator[Confirmed]:
        for part in (self.first, self.opened):
            if part is not None and part.confirmed is not None:
                yield part.confirmed
