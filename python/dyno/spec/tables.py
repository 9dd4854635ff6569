"""Tables that an experiment describes column by column, with generated rows.

Workloads whose data they are, such as `statements`, are `OfTables`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from dyno.spec.accesslog import ROW_BYTES
from dyno.spec.changed import changed
from dyno.spec.kind import Kind, SessionStatements
from dyno.spec.strict import Line, Strict, check_keys

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
        may = ("start",) if self.generate == "sequence" else ()
        given = set(self.model_dump(exclude_none=True)) - {"name", "generate"}
        check_keys(f"generate = {self.generate!r}", given, needs=needs[self.generate], may=may)
        return self


class Column(Generator):
    """One generated column. Rows depend on the seed alone, so all arms get the same ones."""

    name: Line = Field(description="For the reader: the table's CREATE decides.")

    @property
    def generator(self) -> Generator:
        """What is in it, without the name."""
        return Generator.model_validate(self.model_dump(exclude={"name"}, exclude_none=True))

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
    def generators(self) -> list[Generator] | NamedRows:
        """What is in the columns, without their names."""
        if isinstance(self.columns, str):
            return self.columns
        return [column.generator for column in self.columns]

    @property
    def row_bytes(self) -> int:
        """The mean size of a row."""
        if isinstance(self.columns, str):
            return ROW_BYTES
        return ROW_OVERHEAD_BYTES + sum(column.size_bytes for column in self.columns)


class LoadTable(Strict):
    """A table to create and fill."""

    name: str
    create: str
    rows: int
    columns: list[Generator] | NamedRows
    after: list[str] = []


class OfTables(Kind):
    """A workload whose data are such tables."""

    # The engine where the arm names none.
    usual_engine: ClassVar[str]

    kind: str
    table: Annotated[list[Table], Field(max_length=1000)] = Field(
        [], description="What is loaded before the first trial."
    )
    session: SessionStatements = []

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

    def scaled(self, scale: float) -> Self:
        """The workload with that share of each table's rows, at least one."""
        tables = [changed(table, rows=max(1, round(table.rows * scale))) for table in self.table]
        return changed(self, table=tables)

    def load_tables(self, engine: str | None) -> list[LoadTable]:
        """The tables with the engine in place of `{engine}`."""
        return [
            LoadTable(
                name=table.name,
                create=table.create.replace("{engine}", engine or self.usual_engine),
                rows=table.rows,
                columns=table.generators,
                after=table.after,
            )
            for table in self.table
        ]

    def data_parts(self, engine: str | None, create_options: str | None = None) -> dict[str, Any]:
        """The tables."""
        return {"tables": [table.model_dump(mode="json") for table in self.load_tables(engine)]}

    def table_facts(self) -> Iterator[tuple[str, str]]:
        """What `dyno check` shows about the tables."""
        for made in self.table:
            yield f"table {made.name}", f"{made.rows:,} rows"
