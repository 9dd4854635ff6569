"""The loads of an experiment of crashes: what is acknowledged to clients, and must be there
afterwards.

A new one is a model here with a line in `AnyLoad`. How its acknowledgements are looked for is a
subject in `dyno.runner.subjects`, with a line there.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from dyno.spec.kind import WHICH_KIND
from dyno.spec.ledger import ALL_OPS, LedgerOp
from dyno.spec.linkbench import IDS_MAX, IDS_MIN
from dyno.spec.protocol import Connections
from dyno.spec.strict import Strict, mistake
from dyno.spec.units import DurationSeconds, plural
from dyno.spec.words import first_twice


class Load(Strict):
    """What every load has."""

    # One of what is acknowledged, and what a reader must know of the figures.
    one: ClassVar[str]
    about: ClassVar[str]

    kind: str
    connections: Connections = Field(8, description="How many make load.")
    think: Annotated[DurationSeconds | None, Field(gt=0)] = Field(
        None,
        description="The pause of a connection after each op, exponential with this mean. In a "
        "pause no later flush makes up for one that the server left out.",
    )

    @property
    def data(self) -> str:
        """What is there before the load: "2 warehouses"."""
        raise NotImplementedError

    @property
    def counted(self) -> str:
        """What is acknowledged: "new orders"."""
        return f"{self.one}s"

    @property
    def words(self) -> str:
        """All of it in a line."""
        pause = f", think time {self.think * 1000:g} ms" if self.think is not None else ""
        return f"{self.kind} with {self.data}, {plural(self.connections, 'connection')}{pause}"


class Ledger(Load):
    """Small rows in the arm's engine, of which every one is read back: the load where there is no
    `kind`.
    """

    one: ClassVar[str] = "op"
    about: ClassVar[str] = (
        "An op is an insert, an update or a transaction that a client knew to be done."
    )

    kind: Annotated[Literal["ledger"], WHICH_KIND] = "ledger"
    ops: Annotated[list[LedgerOp], Field(min_length=1)] = Field(
        ALL_OPS,
        description="What each connection does, in turn: `insert` a row, `update` a row of its "
        "own, and insert two rows in a `transaction`.",
    )
    rows: Annotated[int, Field(ge=1, le=10_000_000)] = Field(
        1000, description="How many rows are updated. Many of them dirty pages everywhere."
    )

    @model_validator(mode="after")
    def _different_ops(self) -> Ledger:
        if (op := first_twice(self.ops)) is not None:
            raise mistake(f"ops has {op!r} twice", hint="name each op once")
        if "update" in self.ops and self.rows < self.connections:
            raise mistake(
                f"rows is {self.rows}, and each of {self.connections} connections updates its own",
                hint="give more rows, or leave the update out of ops",
            )
        return self

    @property
    def data(self) -> str:
        """The rows that are updated, and the ops."""
        return f"{plural(self.rows, 'row')} ({', '.join(self.ops)})"


class TpccOrders(Load):
    """The workload [tpcc](#workload-of-kind-tpcc), unpaced: each new order is looked for with its
    lines, and all [rules of its data](data-checks.md) must hold.
    """

    one: ClassVar[str] = "new order"
    about: ClassVar[str] = (
        "A new order counts once a client knew it to be done. Ops/s are of all transactions."
    )

    kind: Annotated[Literal["tpcc"], WHICH_KIND]
    warehouses: Annotated[int, Field(ge=1, le=100_000)] = Field(
        1, description="The scale, about 100 MB each, which every crash copies."
    )

    @property
    def data(self) -> str:
        """The warehouses."""
        return plural(self.warehouses, "warehouse")


class LinkbenchNodes(Load):
    """The workload [linkbench](#workload-of-kind-linkbench): each node that was added is looked for
    by its id, and all [rules of its data](data-checks.md) must hold.
    """

    one: ClassVar[str] = "new node"
    about: ClassVar[str] = (
        "A new node counts once a client knew it to be added. Ops/s are of all requests."
    )

    kind: Annotated[Literal["linkbench"], WHICH_KIND]
    ids: Annotated[int, Field(ge=IDS_MIN, le=IDS_MAX)] = Field(
        10_000,
        description="The scale: how many nodes are loaded. With their links they have 150 MB or "
        "more, which every crash copies.",
    )

    @property
    def data(self) -> str:
        """The nodes."""
        return plural(self.ids, "id")


AnyLoad = Ledger | TpccOrders | LinkbenchNodes


def _with_kind(value: Any) -> Any:
    """There was only the ledger once, and nobody wrote a kind."""
    return {"kind": "ledger", **value} if isinstance(value, dict) else value


CrashLoad = Annotated[AnyLoad, Field(discriminator="kind"), BeforeValidator(_with_kind)]
