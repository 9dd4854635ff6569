"""The account of acknowledged orders: what dynoload noted, what was there after a kill, and whether
that is good. Pure, but for the reading of the noted orders' file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, computed_field

from dyno.errors import LoadError
from dyno.spec.data_check import DataCheck

FLUSH = "innodb_flush_log_at_trx_commit"
READ_BACK = (FLUSH, "innodb_doublewrite", "innodb_flush_method", "log_bin", "sync_binlog")
"""What decides how durable a commit is, asked of the server that runs."""

Order = tuple[int, int, int]
"""An order's key: (w_id, d_id, o_id)."""


class Kill(BaseModel):
    """One kill under load, after so many seconds of it, when ops ended at `ops_per_s`.

    `acknowledged`: orders that clients were told are committed. `lost`: those of them that are gone
    or, `incomplete` of them, lack lines. `surplus`: order numbers given out beyond the acknowledged
    orders that are there: transactions that were committed and whose acknowledgement got lost, one
    a connection at most. `failure` says why nobody could look; then `lost` and `surplus` are None
    and never 0, and so is `recovery_s` where the server didn't come back.
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
        """The acknowledged orders that are there with all their lines."""
        return None if self.lost is None else self.acknowledged - self.lost

    @property
    def bad_checks(self) -> list[DataCheck]:
        """The checks of the data that are not ok."""
        return [check for check in self.checks if check.state != "ok"]

    @property
    def is_surplus_ok(self) -> bool:
        """Whether no more orders are there than may be in flight, and no number was taken back."""
        return self.surplus is not None and 0 <= self.surplus <= self.connections

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ok(self) -> bool:
        """Whether all that the test asks for holds; what nobody could look at does not."""
        whole = bool(self.checks) and not self.bad_checks
        return self.failure is None and self.lost == 0 and self.is_surplus_ok and whole


class Durability(BaseModel):
    """All kills of a test. `settings`: as read back; None where the server has no such setting."""

    model_config = ConfigDict(frozen=True)

    server: str
    product: str
    version: str
    engine: str
    warehouses: int
    connections: int
    seed: int
    settings: dict[str, str | None]
    kills: list[Kill]

    @property
    def judged(self) -> list[Kill]:
        """The kills after which somebody could look."""
        return [kill for kill in self.kills if kill.lost is not None]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def acknowledged(self) -> int:
        """The orders acknowledged before the kills that were judged."""
        return sum(kill.acknowledged for kill in self.judged)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def lost(self) -> int:
        """Those of them that were lost."""
        return sum(kill.lost or 0 for kill in self.judged)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ok(self) -> bool:
        """Whether there were kills, and each is ok."""
        return bool(self.kills) and all(kill.ok for kill in self.kills)


def read_acknowledged(path: Path) -> list[Order]:
    """The orders noted in a success file, in its order. A last line without its end is left out:
    the note broke off, and half a number would be another order.

    Raises LoadError for any other line that is no order.
    """
    whole, _, _ = path.read_text("ascii", errors="replace").rpartition("\n")
    orders = []
    for number, line in enumerate(whole.splitlines(), 1):
        parts = line.split(" ")
        if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
            raise LoadError(
                f"line {number} of dynoload's acknowledged orders is {line!r}",
                hint="if dyno and dynoload come from different versions, install them together",
            )
        orders.append((int(parts[0]), int(parts[1]), int(parts[2])))
    return orders


def doubled(orders: Sequence[Order]) -> Counter[Order]:
    """How often too often a number was acknowledged: two clients can't have the same order."""
    return Counter({order: n - 1 for order, n in Counter(orders).items() if n > 1})


def told(order: Order) -> str:
    """An order in words."""
    return f"w_id {order[0]}, d_id {order[1]}, o_id {order[2]}"
