"""The workload `tpcc`: nine tables of warehouses, orders and stock, and five transactions on them.

It is TPC-C-like and never audited: its figure is new orders/min. docs/reference/load-plan.md says
what the transactions do; dynoload does it. Here are the keys, and which of them go together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from dyno.errors import SpecError
from dyno.spec.changed import changed
from dyno.spec.data_check import EVERY_TRIAL, CheckData
from dyno.spec.kind import (
    WHICH_KIND,
    CreateOptions,
    DataChecked,
    Engine,
    Kind,
    Loaders,
    SessionStatements,
    written,
)
from dyno.spec.metrics import MetricKey
from dyno.spec.strict import Strict, mistake
from dyno.spec.units import plural

TERMINALS = 10
DISTRICTS = 10
# Loaded rows: those of `item`, then those of each warehouse, with an average of ten lines an order.
ITEMS = 100_000
CUSTOMERS = ORDERS = 30_000
PENDING = 9_000
WAREHOUSE_ROWS = 1 + DISTRICTS + CUSTOMERS * 2 + ORDERS * 11 + PENDING + ITEMS
# On InnoDB, with its indexes; other engines need less.
WAREHOUSE_BYTES, ITEM_TABLE_BYTES = 100_000_000, 12_000_000

NEW_ORDER, ROLLBACK = "new_order", "new_order_rollback"
OPS = (NEW_ORDER, ROLLBACK, "payment", "order_status", "delivery", "stock_level")


# The keys that the tables and rows depend on.
DATA_KEYS = frozenset(
    ("warehouses", "foreign_keys", "history_key", "engine", "create_options", "loaders")
)


class TpccKeys(Strict):
    """The keys that experiment and load plan share."""

    kind: Annotated[Literal["tpcc"], WHICH_KIND]
    warehouses: Annotated[int, Field(ge=1, le=100_000)] = Field(
        1,
        description=f"The scale, which `--scale` multiplies: {WAREHOUSE_ROWS:,} rows each, about "
        f"{WAREHOUSE_BYTES // 10**6} MB on InnoDB, beside {ITEMS:,} items.",
    )
    mode: Literal["unpaced", "paced"] = Field(
        "unpaced",
        description='`"unpaced"`: connections work without a pause. `"paced"`: ten terminals a '
        "warehouse with keying and think times, so that `connections` must be 10 x `warehouses`.",
    )
    mix: Literal["deck", "weighted"] = Field(
        "deck",
        description='`"deck"`: each connection draws its transactions from shuffled cards. '
        '`"weighted"`: each one by chance.',
    )
    home: Literal["bound", "random"] = Field(
        "bound",
        description='`"bound"`: a connection stays at one warehouse. `"random"`: it draws one for '
        "each transaction; not with mode paced.",
    )
    delivery: Literal["inline", "queued"] = Field(
        "inline",
        description='`"queued"`: a delivery is executed in the background; with mode paced only.',
    )
    isolation: Literal["repeatable_read", "read_committed", "serializable"] = Field(
        "repeatable_read", description="The isolation level of all transactions."
    )
    foreign_keys: bool = Field(False, description="True: the server checks them.")
    history_key: bool = Field(
        False,
        description="True gives the table `history` a primary key, which some engines need.",
    )
    engine: Engine = "innodb"
    create_options: CreateOptions = ""
    loaders: Loaders = 4
    pause_scale: Annotated[float, Field(gt=0, le=100)] = Field(
        1.0, description="What the pauses of mode paced are multiplied by."
    )

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


class LoadTpcc(TpccKeys):
    """The workload in a load plan, with the engine filled in. `success_file` gets a line for each
    New-Order that the server has acknowledged: "ns w_id d_id o_id".
    """

    success_file: str | None = None


class TpccWorkload(TpccKeys, Kind):
    """Orders, payments and deliveries of some warehouses: nine tables, five transactions,
    TPC-C-like. What it gives is new orders/min; more in [its guide](../guides/tpcc.md).

    The ops are `new_order`, `new_order_rollback` (the one in a hundred that must roll back),
    `payment`, `order_status`, `delivery` and `stock_level`.
    """

    load_keys: ClassVar[type[Strict]] = LoadTpcc

    has_sizes_before: ClassVar[bool] = True

    session: SessionStatements = []
    check_data: DataChecked = EVERY_TRIAL

    @property
    def writes(self) -> bool:
        """Whether trials change the data, so that each needs a fresh copy."""
        return True

    @property
    def headline(self) -> MetricKey:
        """New orders, as the specification counts."""
        return "new_orders_per_min"

    @property
    def ops(self) -> list[str]:
        """The op kinds; a New-Order that must roll back is a kind of its own."""
        return list(OPS)

    @property
    def headline_ops(self) -> list[str]:
        """New orders are filed under the name of those that don't roll back."""
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

    def data_parts(self, engine: str | None, create_options: str | None = None) -> dict[str, Any]:
        """The keys that affect the tables and their rows."""
        load = self.for_load(engine, create_options)
        return load.model_dump(mode="json", include={*DATA_KEYS, "kind"})

    def scaled(self, scale: float) -> TpccWorkload:
        """The workload with that share of its warehouses, at least one."""
        return changed(self, warehouses=max(1, round(self.warehouses * scale)))

    def facts(self) -> Iterator[tuple[str, str]]:
        """The data, the ops, and every other key with its value."""
        about = f"about {plural(self.row_count, 'row')}"
        yield "data", f"{plural(self.warehouses, 'warehouse')}, {about}"
        yield "ops", ", ".join(self.ops)
        yield "keys", written(self.model_dump(exclude={"kind", "warehouses", "session", "engine"}))

    def at_levels(self, connections: Sequence[int]) -> TpccWorkload:
        """Unchanged; raises SpecError if mode paced has other connections than its terminals."""
        for count in connections if self.mode == "paced" else ():
            if count != self.terminals:
                raise SpecError(
                    f'workload.mode = "paced" has {plural(self.terminals, "terminal")} at '
                    f"{plural(self.warehouses, 'warehouse')}, got {plural(count, 'connection')}",
                    hint=f"set protocol.connections = {self.terminals}, or --connections with it",
                )
        return self
