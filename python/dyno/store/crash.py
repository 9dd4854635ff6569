"""What one crash came to, as stored: crashes/NNNN.json of a series."""

from __future__ import annotations

from typing import Literal

from dyno.spec.durability import CrashKind
from dyno.store.part import Stored

CRASH_SCHEMA = 1
# How far it came back: all of it; after REPAIR; a table can't be read; the engine is missing; the
# server doesn't start; the file system can't be mounted.
State = Literal["recovered", "repaired", "unreadable", "no engine", "no start", "no mount"]


class Moment(Stored):
    """A short time before a crash: when it began, in seconds before it, and how many of the ops
    that were acknowledged in it were lost.
    """

    before_s: float
    acknowledged: int
    lost: int


class Crash(Stored):
    """One crash, `after_s` into the load, at `ops_per_s`.

    `acknowledged`: ops that clients knew to be done. Of them `lost` are gone, and of those
    `incomplete` only in part; `lost_s`: from the oldest of them to the crash. None, never 0, where
    nobody could look. `wrong` rows have another content than was sent, `twice` are there more than
    once. Of what is lost, `ahead` is in the binary log, so that replicas have it; of what is kept,
    `behind` isn't there; None without one. `surplus`: what is there without an acknowledgement, of
    which up to `allowed` is normal. `checks`: what CHECK TABLE complained of before any repair, and
    which rules of the data are broken. `failure` says why it didn't come back whole.
    """

    number: int
    round: int
    arm: str
    kind: CrashKind
    product: str
    version: str
    settings: dict[str, str | None]
    after_s: float
    ops_per_s: float
    acknowledged: int
    state: State = "recovered"
    failure: str | None = None
    lost: int | None = None
    incomplete: int = 0
    lost_s: float | None = None
    example: str | None = None
    wrong: int = 0
    twice: int = 0
    surplus: int = 0
    ahead: int | None = None
    behind: int | None = None
    allowed: int = 0
    checks: list[str] = []
    recovery_s: float | None = None
    log: list[str] = []
    moments: list[Moment] = []
    took_s: float = 0.0

    @property
    def is_lossy(self) -> bool:
        """Whether anything acknowledged is lost: all of it where nobody can read it."""
        return self.lost is None or self.lost > 0

    @property
    def is_broken(self) -> bool:
        """Whether anything came back otherwise than whole."""
        odd = self.wrong or self.twice or self.surplus > self.allowed
        return self.state != "recovered" or bool(self.checks) or bool(odd)


class Rig(Stored):
    """What the self-test of a kind of crash found: how many of its writes survived. `problem`: why
    there are no crashes of this kind.
    """

    survived: dict[str, int] = {}
    problem: str | None = None
