"""The workload `tpcc`: nine tables of warehouses, orders and stock, and five transactions on them.

It is TPC-C-like and never audited: its figure is new orders/min. docs/reference/load-plan.md says
what the transactions do; dynoload does it. Here are the keys, and which of them go together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from dyno.errors import SpecError
from dyno.spec.data_check import EVERY_TRIAL, CheckData
from dyno.spec.kind import Kind, written
from dyno.spec.metrics import MetricKey
from dyno.spec.strict import Strict, mistake
from dyno.spec.units import plural

TERMINALS = 10
DISTRICTS = 10
# Loaded rows: those of `item`, then of each warehouse with its mean of ten lines an order.
ITEMS = 100_000
CUSTOMERS = ORDERS = 30_000
PENDING = 9_000
WAREHOUSE_ROWS = 1 + DISTRICTS + CUSTOMERS * 2 + ORDERS * 11 + PENDING + ITEMS
# Of InnoDB, with its indexes; other engines need less.
WAREHOUSE_BYTES, ITEM_TABLE_BYTES = 100_000_000, 12_000_000

NEW_ORDER, ROLLBACK = "new_order", "new_order_rollback"
OPS = (NEW_ORDER, ROLLBACK, "payment", "order_status", "delivery", "stock_level")


class TpccKeys(Strict):
    """The keys that experiment and load plan share.

    `mode` paced has ten terminals a warehouse with keying and think times, times `pause_scale`;
    unpaced has none of them. `home`: where a connection's warehouse comes from. `delivery`: who
    executes one, its connection or somebody in the background.
    """

    kind: Literal["tpcc"]
    warehouses: Annotated[int, Field(ge=1, le=100_000)] = 1
    mode: Literal["unpaced", "paced"] = "unpaced"
    mix: Literal["deck", "weighted"] = "deck"
    home: Literal["bound", "random"] = "bound"
    delivery: Literal["inline", "queued"] = "inline"
    isolation: Literal["repeatable_read", "read_committed", "serializable"] = "repeatable_read"
    foreign_keys: bool = False
    history_key: bool = False
    engine: Annotated[str, Field(pattern=r"^\w+$")] = "innodb"
    create_options: str = ""
    loaders: Annotated[int, Field(ge=1, le=256)] = 4
    pause_scale: Annotated[float, Field(gt=0, le=100)] = 1.0

    @model_validator(mode="after")
    def _goes_together(self) -> TpccKeys:
        paced = self.mode == "paced"
        if paced and self.home == "random":
            raise mistake(
                'home = "random" with mode = "paced": a terminal stays at its warehouse',
                hint="leave home out",
            )
        if not paced and self.delivery == "queued":
            raise mistake(
                'delivery = "queued" with mode = "unpaced": the queue would grow without end',
                hint='leave it out, or set mode = "paced"',
            )
        if not paced and self.pause_scale != 1:
            raise mistake(
                f'pause_scale is {self.pause_scale:g}, but mode = "unpaced" has no pauses',
                hint='leave it out, or set mode = "paced"',
            )
        return self

    @property
    def terminals(self) -> int:
        """How many connections mode paced has."""
        return TERMINALS * self.warehouses


class TpccWorkload(TpccKeys, Kind):
    """Five transactions over the tables of some warehouses.

    `check_data`: after which trials the rules of the data are checked; after the load, too, unless
    it is "never".
    """

    headline: ClassVar[MetricKey] = "new_orders_per_min"
    has_sizes_before: ClassVar[bool] = True

    session: list[str] = []
    check_data: CheckData = EVERY_TRIAL

    @property
    def writes(self) -> bool:
        """Whether trials change the data, so that each needs a fresh copy."""
        return True

    @property
    def ops(self) -> list[str]:
        """The op kinds; a New-Order that must roll back is one of its own."""
        return list(OPS)

    @property
    def headline_ops(self) -> list[str]:
        """New orders go by the name of those that don't roll back."""
        return [NEW_ORDER]

    @property
    def counted_ops(self) -> list[str]:
        """A New-Order that rolls back as it should is a new order, too."""
        return [NEW_ORDER, ROLLBACK]

    @property
    def secondary_ops(self) -> list[str]:
        """Those that don't roll back."""
        return [op for op in OPS if op != ROLLBACK]

    @property
    def row_count(self) -> int:
        """About how many rows are loaded: the lines of an order are drawn."""
        return ITEMS + self.warehouses * WAREHOUSE_ROWS

    @property
    def size_bytes(self) -> int:
        """About how large the tables are on InnoDB."""
        return ITEM_TABLE_BYTES + self.warehouses * WAREHOUSE_BYTES

    @property
    def has_pauses(self) -> bool:
        """Whether terminals key and think."""
        return self.mode == "paced"

    @property
    def data_rules(self) -> CheckData:
        """After which trials the rules of its data are checked."""
        return self.check_data

    def scaled(self, scale: float) -> TpccWorkload:
        """The workload with that part of its warehouses, one at least."""
        return self.model_copy(update={"warehouses": max(1, round(self.warehouses * scale))})

    def facts(self) -> Iterator[tuple[str, str]]:
        """The data, the ops, and every other key with its value."""
        about = f"about {plural(self.row_count, 'row')}"
        yield "data", f"{plural(self.warehouses, 'warehouse')}, {about}"
        yield "ops", ", ".join(self.ops)
        yield "keys", written(self.model_dump(exclude={"kind", "warehouses", "session", "engine"}))

    def at_levels(self, connections: Sequence[int]) -> TpccWorkload:
        """The same; raises SpecError where mode paced has other connections than its terminals."""
        for count in connections if self.mode == "paced" else ():
            if count != self.terminals:
                raise SpecError(
                    f'workload.mode = "paced" has {plural(self.terminals, "terminal")} at '
                    f"{plural(self.warehouses, 'warehouse')}, got {plural(count, 'connection')}",
                    hint=f"set protocol.connections = {self.terminals}, or --connections with it",
                )
        return self
