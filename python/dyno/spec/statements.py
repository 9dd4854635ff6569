"""The workload `statements`: named statements over generated tables, each timed by itself.

This file has the keys of an experiment, and what dynoload gets from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from dyno.errors import SpecError
from dyno.spec.accesslog import ROW_BYTES
from dyno.spec.changed import changed
from dyno.spec.kind import WHICH_KIND, Kind, SessionStatements
from dyno.spec.metrics import MetricKey
from dyno.spec.strict import Line, OpName, Strict
from dyno.spec.words import refuse_unknown

# Row header, slack and null bits of the classic row formats; an estimate, not a promise.
ROW_OVERHEAD_BYTES = 10
RANDOM_DECIMAL_BYTES = 18


class Generator(Strict):
    """What is in a column; the parameters are those of docs/reference/load-plan.md."""

    generate: Literal["int", "sequence", "hex", "repeat_decimal"] = Field(
        description="`int`: uniform between two ends. `sequence`: a start plus the row's number. "
        "`hex`: hex digits. `repeat_decimal`: a random decimal fraction, repeated."
    )
    min: int | None = Field(None, description="Of int, required: the lower end, included.")
    max: int | None = Field(None, description="Of int, required: the upper end, included.")
    start: int | None = Field(None, description="Of sequence: where it starts, if not at 1.")
    length: int | None = Field(None, description="Of hex, required: how many digits.")
    distinct: int | None = Field(
        None, description="Of hex, required: how many different values there are."
    )
    times_max: int | None = Field(
        None, description="Of repeat_decimal, required: how often it is repeated at most."
    )

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
    """One generated column. Rows depend on the seed alone, so all arms get the same ones."""

    name: Line = Field(description="For the reader: the table's CREATE decides.")

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


# More than any disk holds is a mistake.
ROWS_MAX = 10**12
# Rows of a named kind, in place of columns.
NamedRows = Literal["accesslog"]


class Table(Strict):
    """A table of the dataset."""

    name: Line = Field(description="Its name in the CREATE TABLE statement.")
    create: str = Field(
        description="The CREATE TABLE statement; `{engine}` in it is replaced by the arm's engine."
    )
    rows: Annotated[int, Field(ge=1, le=ROWS_MAX)] = Field(
        description="How many rows; `--scale` multiplies them."
    )
    columns: Annotated[list[Column], Field(min_length=1)] | NamedRows = Field(
        description='What is in them, in the order of CREATE TABLE. `"accesslog"` in place of a '
        "list gives the table the rows of [that workload](#workload-of-kind-accesslog)."
    )
    after: list[str] = Field([], description="SQL when the rows are in, such as ANALYZE TABLE.")

    @property
    def row_bytes(self) -> int:
        """The mean size of a row."""
        if isinstance(self.columns, str):
            return ROW_BYTES
        return ROW_OVERHEAD_BYTES + sum(column.size_bytes for column in self.columns)


class Statement(Strict):
    """A named statement, timed alone. They are run in the order of the file."""

    name: OpName = Field(description="The op that claims and reports speak of.")
    sql: str = Field(description="The statement.")
    says: str | None = Field(None, description="What it stands for, for the report.")
    compare: Literal["all", "rows"] | list[str | int] = Field(
        "all",
        description='What must be equal on all arms: `"all"`; `"rows"`, only their number; or '
        'columns by name or place, `[1, "cnt"]`. Where answers differ, verdicts are withheld: name '
        "the columns that the statement determines.",
    )
    ordered: bool = Field(
        False,
        description="True where the statement fixes the order of rows, so that it is compared too.",
    )


class LoadTable(Strict):
    """A table to create and fill."""

    name: str
    create: str
    rows: int
    columns: list[Generator] | NamedRows
    after: list[str] = []


class LoadStatement(Strict):
    """A statement to time."""

    name: str
    sql: str
    compare: Literal["all", "rows"] | list[str | int] = "all"
    ordered: bool = False


class LoadStatements(Strict):
    """The workload in a load plan, with the engine filled in."""

    kind: Literal["statements"] = "statements"
    tables: list[LoadTable] = []
    statements: list[LoadStatement] = []


class StatementsWorkload(Kind):
    """Named statements over generated tables, timed one by one."""

    headline: ClassVar[MetricKey] = "time"
    is_load: ClassVar[bool] = False

    kind: Annotated[Literal["statements"], WHICH_KIND]
    table: Annotated[list[Table], Field(max_length=1000)] = Field(
        [], description="What is loaded before the first trial."
    )
    statement: Annotated[list[Statement], Field(min_length=1, max_length=1000)] = Field(
        description="What is timed."
    )
    writes: bool = Field(
        False,
        description="True where statements change data: every trial then begins with a fresh copy "
        "of the dataset.",
    )
    session: SessionStatements = []

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
        """The size of the tables in a format without padding."""
        return sum(table.rows * table.row_bytes for table in self.table)

    def scaled(self, scale: float) -> StatementsWorkload:
        """The workload with that share of each table's rows, at least one."""
        tables = [changed(table, rows=max(1, round(table.rows * scale))) for table in self.table]
        return changed(self, table=tables)

    def narrowed(self, ops: list[str]) -> StatementsWorkload:
        """The workload with these statements. Raises SpecError for one that it doesn't have."""
        names = self.ops
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise SpecError(f"two statements are named {twice!r}", hint="give each its own name")
        for wanted in ops:
            refuse_unknown(wanted, names, what="statement")
        kept = [one for one in self.statement if not ops or one.name in ops]
        return changed(self, statement=kept)

    def for_load(self, engine: str | None, create_options: str | None = None) -> LoadStatements:
        """The tables with the engine in place of `{engine}`, and the statements."""
        tables = [
            LoadTable(
                name=table.name,
                create=table.create.replace("{engine}", engine or "MyISAM"),
                rows=table.rows,
                columns=_unnamed(table.columns),
                after=table.after,
            )
            for table in self.table
        ]
        return LoadStatements(
            tables=tables,
            statements=[
                LoadStatement(name=s.name, sql=s.sql, compare=s.compare, ordered=s.ordered)
                for s in self.statement
            ],
        )

    def for_trial(self, engine: str | None, create_options: str | None = None) -> LoadStatements:
        """The statements alone: the tables are there already."""
        return LoadStatements(statements=self.for_load(engine, create_options).statements)

    def data_parts(self, engine: str | None, create_options: str | None = None) -> dict[str, Any]:
        """The tables."""
        load = self.for_load(engine, create_options)
        return {"tables": [table.model_dump(mode="json") for table in load.tables]}

    def facts(self) -> Iterator[tuple[str, str]]:
        """Tables and statements by their names."""
        for made in self.table:
            yield f"table {made.name}", f"{made.rows:,} rows"
        for statement in self.statement:
            compared = statement.compare
            what = compared if isinstance(compared, str) else ", ".join(map(str, compared))
            yield statement.name, f"{statement.sql}  (compare {what})"


def _unnamed(columns: list[Column] | NamedRows) -> list[Generator] | NamedRows:
    if isinstance(columns, str):
        return columns
    keys = [column.model_dump(exclude={"name"}, exclude_none=True) for column in columns]
    return [Generator.model_validate(key) for key in keys]
