"""Workloads as an experiment writes them: named statements here, loads in files of their own.

A statements workload times each statement by itself; a load workload keeps many connections busy
for a while, and what counts is what they got done.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from dyno.spec.accesslog import AccessLogWorkload
from dyno.spec.command import CommandWorkload
from dyno.spec.linkbench import LinkbenchWorkload
from dyno.spec.oltp import OltpWorkload
from dyno.spec.slap import SlapWorkload
from dyno.spec.strict import Line, OpName, Strict
from dyno.spec.tpcc import TpccWorkload


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


class Statement(Strict):
    """A named statement, timed alone. `compare`: what must be equal on all arms."""

    name: OpName
    sql: str
    says: str | None = None
    compare: Literal["all", "rows"] | list[str | int] = "all"
    ordered: bool = False


class StatementsWorkload(Strict):
    """Named statements over generated tables."""

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
