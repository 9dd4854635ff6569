"""The workload `oltp`: the scripts that sysbench bundles, with its names and defaults.

docs/reference/load-plan.md says what each script does; dynoload does it. Here are the
keys, and which of them go together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from dyno.spec.kind import Kind, pairs, written
from dyno.spec.strict import Strict, mistake
from dyno.spec.units import plural

Script = Literal[
    "oltp_read_write",
    "oltp_read_only",
    "oltp_write_only",
    "oltp_point_select",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_delete",
    "select_random_points",
    "select_random_ranges",
    "bulk_insert",
]
READ_ONLY_SCRIPTS = frozenset(
    ("oltp_read_only", "oltp_point_select", "select_random_points", "select_random_ranges")
)
RANGE_SCRIPTS = frozenset(("oltp_read_write", "oltp_read_only"))

# The load generator refuses more: ids are signed 32-bit integers, the rest would be a slip.
ROWS_MAX = 2**31 - 1
Count = Annotated[int, Field(ge=0, le=10_000)]
Positive = Annotated[int, Field(ge=1, le=10_000)]
Rows = Annotated[int, Field(ge=1, le=ROWS_MAX)]

# A row of sbtest: id, k, c, pad. InnoDB's headers, hidden columns and free space in pages on top.
ROW_BYTES = 4 + 4 + 120 + 60
INNODB_OVERHEAD = 1.1
# k or id with the primary key and a header, pages two thirds full from random insertion.
INDEX_ENTRY_BYTES = 20

# The defaults of sysbench 1.0.
DISTRIBUTIONS: dict[str, dict[str, float]] = {
    "special": {"iter": 12, "pct": 1, "res": 75},
    "uniform": {},
    "gaussian": {"iter": 12},
    "pareto": {"h": 0.2},
    "zipfian": {"exp": 0.8},
}


class Distribution(Strict):
    """How row ids are drawn. In an experiment its name alone will do: `distribution = "uniform"`.

    special: the mean of `iter` uniform draws, and `res` % of all draws fall into the middle `pct` %
    of the table. gaussian: the mean of `iter`. pareto: skewed by `h`. zipfian: by `exp`.
    """

    kind: Literal["special", "uniform", "gaussian", "pareto", "zipfian"]
    iter: Annotated[int | None, Field(ge=1, le=1000)] = None
    pct: Annotated[int | None, Field(ge=1, le=100)] = None
    res: Annotated[int | None, Field(ge=0, le=99)] = None
    h: Annotated[float | None, Field(gt=0, lt=1)] = None
    exp: Annotated[float | None, Field(ge=0, le=10)] = None

    @model_validator(mode="before")
    @classmethod
    def _named_or_described(cls, data: Any) -> Any:
        if isinstance(data, str):
            data = {"kind": data}
        if not isinstance(data, dict):
            return data
        given = {key: value for key, value in data.items() if value is not None}
        kind = given.get("kind")
        return {**DISTRIBUTIONS[kind], **given} if kind in DISTRIBUTIONS else given

    @model_validator(mode="after")
    def _has_only_its_parameters(self) -> Distribution:
        given = self.model_dump(exclude_none=True, exclude={"kind"})
        surplus = [key for key in given if key not in DISTRIBUTIONS[self.kind]]
        if surplus:
            known = ", ".join(DISTRIBUTIONS[self.kind]) or "none"
            raise mistake(
                f"distribution {self.kind!r} has no {' or '.join(surplus)}",
                hint=f"its parameters: {known}",
            )
        return self


SPECIAL = Distribution(kind="special")


class OltpKeys(Strict):
    """The keys that experiment and load plan share. Numbers of statements are a transaction's."""

    kind: Literal["oltp"]
    script: Script
    tables: Positive = 1
    table_size: Rows = 10_000
    range_size: Rows = 100
    point_selects: Count = 10
    simple_ranges: Count = 1
    sum_ranges: Count = 1
    order_ranges: Count = 1
    distinct_ranges: Count = 1
    range_selects: bool = True
    index_updates: Count = 1
    non_index_updates: Count = 1
    delete_inserts: Count = 1
    skip_trx: bool = False
    auto_inc: bool = True
    secondary: bool = False
    create_secondary: bool = True
    engine: Annotated[str, Field(pattern=r"^\w+$")] = "innodb"
    create_options: str = ""
    prepared: bool = True
    random_points: Positive = 10
    number_of_ranges: Positive = 10
    delta: Annotated[int, Field(ge=0, le=ROWS_MAX)] = 5
    loaders: Annotated[int, Field(ge=1, le=256)] = 4
    distribution: Distribution = SPECIAL

    @property
    def begins_empty(self) -> bool:
        """Whether the tables are empty before the first trial: the script draws ids itself."""
        return self.script == "bulk_insert" or (self.script == "oltp_insert" and not self.auto_inc)

    @property
    def row_ranges(self) -> int:
        """How many range statements over `range_size` rows a transaction has."""
        if self.script not in RANGE_SCRIPTS or not self.range_selects:
            return 0
        return self.simple_ranges + self.sum_ranges + self.order_ranges + self.distinct_ranges


class OltpWorkload(OltpKeys, Kind):
    """One of the OLTP scripts over tables sbtest1, sbtest2, …"""

    session: list[str] = []

    @model_validator(mode="after")
    def _does_something(self) -> OltpWorkload:
        if self.row_ranges and self.table_size < self.range_size:
            raise mistake(
                f"table_size is {self.table_size:,}, but {self.script} reads ranges of range_size "
                f"= {self.range_size:,} rows",
                hint="make range_size smaller, or table_size (or the scale) larger",
            )
        if not self._statements():
            raise mistake(
                f"{self.script} has no statement left: all its numbers are 0",
                hint="give one of its statements a number above 0",
            )
        return self

    def _statements(self) -> int:
        """Statements of an op, BEGIN and COMMIT not counted."""
        reads = self.point_selects + self.row_ranges
        writes = self.index_updates + self.non_index_updates + self.delete_inserts
        numbers = {
            "oltp_read_write": reads + writes,
            "oltp_read_only": reads,
            "oltp_write_only": writes,
            "oltp_update_index": self.index_updates,
            "oltp_update_non_index": self.non_index_updates,
        }
        return numbers.get(self.script, 1)

    @property
    def writes(self) -> bool:
        """Whether trials change the data, so that each needs a fresh copy."""
        return self.script not in READ_ONLY_SCRIPTS

    @property
    def ops(self) -> list[str]:
        """The op kinds: the script is the only one."""
        return [self.script]

    @property
    def row_count(self) -> int:
        """The rows of all tables."""
        return self.tables * self.table_size

    @property
    def size_bytes(self) -> int:
        """Scripts that bring their own ids begin with empty tables."""
        if self.begins_empty:
            return 0
        indexes = self.create_secondary + self.secondary
        row = ROW_BYTES * INNODB_OVERHEAD + indexes * INDEX_ENTRY_BYTES
        return round(self.row_count * row)

    def scaled(self, scale: float) -> OltpWorkload:
        """The workload with that part of each table's rows, one at least."""
        return self.model_copy(update={"table_size": max(1, round(self.table_size * scale))})

    def at_levels(self, connections: Sequence[int]) -> OltpWorkload:
        """A table for each connection of bulk_insert, at the level with the most of them."""
        if self.script != "bulk_insert":
            return self
        return self.model_copy(update={"tables": max(self.tables, *connections)})

    def facts(self) -> Iterator[tuple[str, str]]:
        """The script, its data, and every other key with its value."""
        size = f"{plural(self.tables, 'table')} of {plural(self.table_size, 'row')}"
        yield "script", self.script
        yield "data", "empty tables" if self.begins_empty else size
        yield "trials", "write to it" if self.writes else "only read it"
        drawn = self.distribution.model_dump(exclude_none=True)
        kind = drawn.pop("kind")
        yield "distribution", f"{kind} {pairs(drawn)}" if drawn else kind
        shown = {"kind", "script", "tables", "table_size", "session", "distribution", "engine"}
        yield "keys", written(self.model_dump(exclude=shown))
