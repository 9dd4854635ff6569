"""The workload `oltp`: the scripts that sysbench bundles, with its names and defaults.

docs/reference/load-plan.md says what each script does; dynoload does it. Here are the
keys, and which of them go together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from dyno.spec.changed import changed
from dyno.spec.kind import (
    WHICH_KIND,
    CreateOptions,
    Engine,
    Kind,
    Loaders,
    SessionStatements,
    pairs,
    written,
)
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

# The load generator refuses more: ids are signed 32-bit integers; larger values are mistakes.
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


# The keys that the tables and rows depend on.
DATA_KEYS = frozenset(
    (
        "tables",
        "table_size",
        "auto_inc",
        "secondary",
        "create_secondary",
        "engine",
        "create_options",
        "loaders",
        "distribution",
    )
)


class Distribution(Strict):
    """How rows are drawn: a name, `distribution = "uniform"`, or a table with its parameters,
    `{ kind = "zipfian", exp = 1.1 }`.
    """

    kind: Literal["special", "uniform", "gaussian", "pareto", "zipfian"] = Field(
        description="`uniform` draws all rows alike, `gaussian` takes the mean of some uniform "
        "draws, `pareto` and `zipfian` are skewed. `special` draws most rows from a few in the "
        "middle, the others as `gaussian`."
    )
    iter: Annotated[int | None, Field(ge=1, le=1000)] = Field(
        None,
        description="Of gaussian and special: a row is the mean of this many uniform draws "
        f"({DISTRIBUTIONS['gaussian']['iter']} unless it is given).",
    )
    pct: Annotated[int | None, Field(ge=1, le=100)] = Field(
        None,
        description="Of special: the few rows are this many percent of all "
        f"({DISTRIBUTIONS['special']['pct']}).",
    )
    res: Annotated[int | None, Field(ge=0, le=99)] = Field(
        None,
        description="Of special: this many percent of the draws are from the few rows "
        f"({DISTRIBUTIONS['special']['res']}).",
    )
    h: Annotated[float | None, Field(gt=0, lt=1)] = Field(
        None,
        description=f"Of pareto: the smaller, the more skewed ({DISTRIBUTIONS['pareto']['h']}).",
    )
    exp: Annotated[float | None, Field(ge=0, le=10)] = Field(
        None,
        description=f"Of zipfian: the larger, the more skewed ({DISTRIBUTIONS['zipfian']['exp']}).",
    )

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
    """The keys that experiment and load plan share. Numbers of statements are per transaction."""

    kind: Annotated[Literal["oltp"], WHICH_KIND]
    script: Script = Field(description="The script; its name is the one op.")
    tables: Positive = Field(
        1,
        description="How many tables, `sbtest1`, `sbtest2`, … `bulk_insert` has one for each "
        "connection, and all of them begin empty.",
    )
    table_size: Rows = Field(10_000, description="Rows of each table.")
    range_size: Rows = Field(100, description="Rows of a range; no table may be smaller.")
    point_selects: Count = Field(10, description="SELECTs of one row in a transaction.")
    simple_ranges: Count = Field(1, description="Ranges that are read plainly.")
    sum_ranges: Count = Field(1, description="Ranges that are summed.")
    order_ranges: Count = Field(1, description="Ranges that are sorted.")
    distinct_ranges: Count = Field(1, description="Ranges that are read without duplicates.")
    range_selects: bool = Field(True, description="False: no ranges at all.")
    index_updates: Count = Field(1, description="UPDATEs of `k`, which has an index.")
    non_index_updates: Count = Field(1, description="UPDATEs of `c`, which has none.")
    delete_inserts: Count = Field(1, description="DELETEs of a row, each with its INSERT after it.")
    skip_trx: bool = Field(False, description="True: no BEGIN and COMMIT.")
    auto_inc: bool = Field(True, description="False: ids are drawn, not given by the server.")
    secondary: bool = Field(False, description="True: id is a KEY, not the PRIMARY KEY.")
    create_secondary: bool = Field(True, description="True: `k` has an index.")
    engine: Engine = "innodb"
    create_options: CreateOptions = ""
    prepared: bool = Field(True, description="True: prepared statements.")
    random_points: Positive = Field(
        10, description="Of `select_random_points`: values in the statement's list."
    )
    number_of_ranges: Positive = Field(
        10, description="Of `select_random_ranges`: ranges in the statement."
    )
    delta: Annotated[int, Field(ge=0, le=ROWS_MAX)] = Field(
        5, description="Of `select_random_ranges`: how long each range is."
    )
    loaders: Loaders = 4
    distribution: Distribution = Field(SPECIAL, description="How rows are drawn.")

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


class LoadOltp(OltpKeys):
    """The workload in a load plan, with the engine filled in."""


class OltpWorkload(OltpKeys, Kind):
    """The scripts that sysbench bundles, by its names, with the defaults of sysbench 1.0. Scripts
    that write get a fresh copy of the dataset whenever their server is started. A transaction that
    loses a deadlock is run again, and its latency includes that.
    """

    load_keys: ClassVar[type[Strict]] = LoadOltp

    session: SessionStatements = []

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
        """The op kinds: only the script."""
        return [self.script]

    @property
    def row_count(self) -> int:
        """The rows of all tables."""
        return self.tables * self.table_size

    @property
    def size_bytes(self) -> int:
        """Scripts that insert their own ids begin with empty tables."""
        if self.begins_empty:
            return 0
        indexes = self.create_secondary + self.secondary
        row = ROW_BYTES * INNODB_OVERHEAD + indexes * INDEX_ENTRY_BYTES
        return round(self.row_count * row)

    def data_parts(self, engine: str | None, create_options: str | None = None) -> dict[str, Any]:
        """The keys that affect the tables and their rows."""
        keys = self.for_load(engine, create_options).model_dump(
            mode="json", include={*DATA_KEYS, "kind"}, exclude_none=True
        )
        # bulk_insert has tables of its own shape; oltp_insert begins with no rows if it draws ids
        # itself.
        return keys | ({"script": self.script} if self.begins_empty else {})

    def scaled(self, scale: float) -> OltpWorkload:
        """The workload with that share of each table's rows, at least one."""
        return changed(self, table_size=max(1, round(self.table_size * scale)))

    def at_levels(self, connections: Sequence[int]) -> OltpWorkload:
        """A table for each connection of bulk_insert, at the level with the most connections."""
        if self.script != "bulk_insert":
            return self
        return changed(self, tables=max(self.tables, *connections))

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
