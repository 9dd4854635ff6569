"""Workloads as an experiment writes them: named statements here, loads in files of their own.

A statements workload times each statement by itself; a load workload keeps many connections busy
for a while, and what counts is what they got done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from dyno.errors import SpecError
from dyno.spec.accesslog import ROW_BYTES, AccessLogWorkload
from dyno.spec.command import CommandWorkload
from dyno.spec.kind import Kind
from dyno.spec.linkbench import LinkbenchWorkload
from dyno.spec.metrics import MetricKey
from dyno.spec.oltp import OltpWorkload
from dyno.spec.slap import SlapWorkload
from dyno.spec.strict import Line, OpName, Strict
from dyno.spec.tpcc import TpccWorkload
from dyno.spec.words import refuse_unknown

# Row header, slack and null bits of the classic row formats; an estimate, not a promise.
ROW_OVERHEAD_BYTES = 10
RANDOM_DECIMAL_BYTES = 18


class Generator(Strict):
    """What is in a column; the parameters are those of docs/reference/load-plan.md."""

    generate: Literal["int", "sequence", "hex", "repeat_decimal"]
    min: int | None = None
    max: int | None = None
    start: int | None = None
    length: int | None = None
    distinct: int | None = None
    times_max: int | None = None

    @model_validator(mode="after")
    def _has_its_parameters(self) -> Generator:
        needs: dict[str, tuple[str, ...]] = {
            "int": ("min", "max"),
            "sequence": (),
            "hex": ("length", "distinct"),
            "repeat_decimal": ("times_max",),
        }
        allowed = {*needs[self.generate], *(("start",) if self.generate == "sequence" else ())}
        given = set(self.model_dump(exclude_none=True)) - {"name", "generate"}
        missing = [key for key in needs[self.generate] if key not in given]
        if missing:
            raise ValueError(f"generate = {self.generate!r} needs {' and '.join(missing)}")
        surplus = sorted(given - allowed)
        if surplus:
            raise ValueError(f"generate = {self.generate!r} has no {' or '.join(surplus)}")
        return self


class Column(Generator):
    """One generated column; its name is for the reader, the table's CREATE decides."""

    name: Line

    @property
    def size_bytes(self) -> int:
        """The mean size of a value."""
        match self.generate:
            case "int" | "sequence":
                return 4
            case "hex":
                return self.length or 0
            case "repeat_decimal":
                return RANDOM_DECIMAL_BYTES * (self.times_max or 0) // 2


# What no disk holds is a slip.
ROWS_MAX = 10**12
# Rows of a kind that has a name, in place of columns.
NamedRows = Literal["accesslog"]


class Table(Strict):
    """A table of the dataset; `{engine}` in `create` is replaced by the arm's engine."""

    name: Line
    create: str
    rows: Annotated[int, Field(ge=1, le=ROWS_MAX)]
    columns: Annotated[list[Column], Field(min_length=1)] | NamedRows
    after: list[str] = []

    @property
    def row_bytes(self) -> int:
        """The mean size of a row."""
        if isinstance(self.columns, str):
            return ROW_BYTES
        return ROW_OVERHEAD_BYTES + sum(column.size_bytes for column in self.columns)


class Statement(Strict):
    """A named statement, timed alone. `compare`: what must be equal on all arms."""

    name: OpName
    sql: str
    says: str | None = None
    compare: Literal["all", "rows"] | list[str | int] = "all"
    ordered: bool = False


class StatementsWorkload(Strict, Kind):
    """Named statements over generated tables."""

    headline: ClassVar[MetricKey] = "time"
    is_load: ClassVar[bool] = False

    kind: Literal["statements"]
    table: Annotated[list[Table], Field(max_length=1000)] = []
    statement: Annotated[list[Statement], Field(min_length=1, max_length=1000)]
    writes: bool = False
    session: list[str] = []

    @property
    def ops(self) -> list[str]:
        """The op kinds: the statements' names, in their order."""
        return [statement.name for statement in self.statement]

    @property
    def has_dataset(self) -> bool:
        """Whether anything is loaded before the first trial."""
        return bool(self.table)

    @property
    def row_count(self) -> int:
        """The rows of all tables."""
        return sum(table.rows for table in self.table)

    @property
    def size_bytes(self) -> int:
        """The size of the tables in a format that pads nothing."""
        return sum(table.rows * table.row_bytes for table in self.table)

    def scaled(self, scale: float) -> StatementsWorkload:
        """The workload with that part of each table's rows, one at least."""
        tables = [
            table.model_copy(update={"rows": max(1, round(table.rows * scale))})
            for table in self.table
        ]
        return self.model_copy(update={"table": tables})

    def narrowed(self, ops: list[str]) -> StatementsWorkload:
        """The workload with these statements. Raises SpecError for one that it doesn't have."""
        names = self.ops
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise SpecError(f"two statements are named {twice!r}", hint="give each its own name")
        for wanted in ops:
            refuse_unknown(wanted, names, what="statement")
        kept = [one for one in self.statement if not ops or one.name in ops]
        return self.model_copy(update={"statement": kept})

    def facts(self) -> Iterator[tuple[str, str]]:
        """Tables and statements by their names."""
        for made in self.table:
            yield f"table {made.name}", f"{made.rows:,} rows"
        for statement in self.statement:
            compared = statement.compare
            what = compared if isinstance(compared, str) else ", ".join(map(str, compared))
            yield statement.name, f"{statement.sql}  (compare {what})"


AnyWorkload = (
    StatementsWorkload
    | OltpWorkload
    | AccessLogWorkload
    | SlapWorkload
    | TpccWorkload
    | LinkbenchWorkload
)
Workload = Annotated[AnyWorkload, Field(discriminator="kind")]
# What was run otherwise is in plans only.
PlannedWorkload = Annotated[AnyWorkload | CommandWorkload, Field(discriminator="kind")]
