"""The account of what was acknowledged: what was there after each kill, and whether that is good.
The subject knows what is counted. Pure.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, computed_field

from dyno.spec.data_check import DataCheck
from dyno.spec.durability import CrashKind

FLUSH = "innodb_flush_log_at_trx_commit"
ROCKSDB_FLUSH = "rocksdb_flush_log_at_trx_commit"
# Of engines with a log of their own; of all others it is FLUSH.
FLUSH_OF = {"rocksdb": ROCKSDB_FLUSH}
READ_BACK = (
    FLUSH,
    ROCKSDB_FLUSH,
    "innodb_doublewrite",
    "innodb_flush_method",
    "log_bin",
    "sync_binlog",
)
"""What decides how durable a commit is, asked of the server that runs."""


class Kill(BaseModel):
    """One kill under load, after this many seconds of it, when ops ended at `ops_per_s`.

    `acknowledged`: orders or nodes that were acknowledged to clients. `lost`: those of them that
    are gone or, for `incomplete` of them, only partly there. `surplus`: those that are there
    without having been acknowledged: transactions that were committed but whose acknowledgement got
    lost, at most one per connection. `failure` says why the data couldn't be read; then `lost` and
    `surplus` are None and never 0, and so is `recovery_s` if the server didn't come back.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    after_s: float
    ops_per_s: float
    connections: int
    acknowledged: int
    lost: int | None = None
    incomplete: int = 0
    example: str | None = None
    surplus: int | None = None
    recovery_s: float | None = None
    checks: list[DataCheck] = []
    failure: str | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def found(self) -> int | None:
        """What was acknowledged and is completely there."""
        return None if self.lost is None else self.acknowledged - self.lost

    @property
    def bad_checks(self) -> list[DataCheck]:
        """The checks of the data that are not ok."""
        return [check for check in self.checks if check.state != "ok"]

    @property
    def is_surplus_ok(self) -> bool:
        """Whether there is no more than may be in flight, and no number was taken back."""
        return self.surplus is not None and 0 <= self.surplus <= self.connections

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ok(self) -> bool:
        """Whether everything that the test requires holds; what couldn't be checked doesn't."""
        whole = bool(self.checks) and not self.bad_checks
        return self.failure is None and self.lost == 0 and self.is_surplus_ok and whole


class Durability(BaseModel):
    """All kills of a test; with another `crash` than "kill" the power went first. `data` says what
    was loaded, `counted` what is acknowledged. `settings`: as read back; None if the server has no
    such setting.
    """

    model_config = ConfigDict(frozen=True)

    server: str
    product: str
    version: str
    engine: str
    workload: str
    data: str
    counted: str
    connections: int
    seed: int
    crash: CrashKind = "kill"
    settings: dict[str, str | None]
    kills: list[Kill]

    @property
    def flush(self) -> str:
        """The setting that says when the engine's commits are on disk."""
        return FLUSH_OF.get(self.engine.lower(), FLUSH)

    @property
    def judged(self) -> list[Kill]:
        """The kills after which the data could be read."""
        return [kill for kill in self.kills if kill.lost is not None]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def acknowledged(self) -> int:
        """What was acknowledged before the kills that were judged."""
        return sum(kill.acknowledged for kill in self.judged)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def lost(self) -> int:
        """How much of it was lost."""
        return sum(kill.lost or 0 for kill in self.judged)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ok(self) -> bool:
        """Whether there were kills, and each is ok."""
        return bool(self.kills) and all(kill.ok for kill in self.kills)

    @property
    def shows_nothing(self) -> bool:
        """Whether all is well only because nothing was acknowledged that could have been lost."""
        return self.ok and not self.acknowledged
