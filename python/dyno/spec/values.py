"""What the values of queries are drawn from: ranges, lists, files, and columns of the tables.

`Value` is what an experiment says, `LoadDraw` what dynoload gets.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from dyno.errors import SpecError
from dyno.spec.bounded import read_bounded
from dyno.spec.oltp import Distribution
from dyno.spec.strict import Strict, check_keys, mistake
from dyno.spec.tables import Generator, Table
from dyno.spec.words import near

UNIFORM = Distribution(kind="uniform")
EPOCH = date(1970, 1, 1)
CSV_MOST_BYTES = 16 * 2**20
VALUES_MOST = 100_000
# By how a value is drawn: the keys that it needs. All but hex may have a distribution.
NEEDS: dict[str, tuple[str, ...]] = {
    "int": ("min", "max"),
    "date": ("min", "max"),
    "hex": ("length", "distinct"),
    "list": ("values",),
    "csv": ("file", "field"),
    "column": ("column",),
}


class Value(Strict):
    """What a value is drawn from: once for each op, however often the query names it."""

    draw: Literal["int", "date", "hex", "list", "csv", "column"] = Field(
        description="`int` and `date`: between two ends. `hex`: hex digits. `list`: one of some "
        "values. `csv`: one of those in a column of a file with a header. `column`: what a column "
        "of a table has in one of its rows as it was loaded."
    )
    min: int | date | None = Field(None, description="Of int and date: the lower end, included.")
    max: int | date | None = Field(None, description="Of int and date: the upper end, included.")
    length: int | None = Field(None, description="Of hex: how many digits.")
    distinct: int | None = Field(None, description="Of hex: how many different values there are.")
    values: Annotated[list[int | str], Field(min_length=1, max_length=VALUES_MOST)] | None = Field(
        None, description="Of list: the values."
    )
    file: str | None = Field(
        None,
        description="Of csv: the file, from the experiment's folder. Its values go into the plan.",
    )
    field: str | None = Field(None, description="Of csv: the name in the header.")
    column: str | None = Field(None, description='Of column: `"TABLE.COLUMN"`.')
    distribution: Distribution | None = Field(
        None,
        description="How they are drawn: by value, by place in the list or file, by the row's "
        "number. All alike unless it is given; not of hex.",
    )

    @model_validator(mode="after")
    def _has_its_keys(self) -> Value:
        given = set(self.model_dump(exclude_none=True)) - {"draw"}
        may = () if self.draw == "hex" else ("distribution",)
        check_keys(f"draw = {self.draw!r}", given, needs=NEEDS[self.draw], may=may)
        of_date = self.draw == "date"
        for end in (self.min, self.max):
            if end is not None and isinstance(end, date) != of_date:
                example = "2026-01-31" if of_date else "1"
                raise mistake(f"{end} doesn't fit draw = {self.draw!r}", hint=f"such as {example}")
        low, high = self.min, self.max
        if low is not None and high is not None and _number(low) > _number(high):
            raise mistake(f"min is {low}, above max, which is {high}", hint="exchange them")
        return self


class LoadDraw(Strict):
    """What a value is drawn from."""

    draw: Literal["int", "date", "hex", "list", "column"]
    min: int | None = None
    max: int | None = None
    length: int | None = None
    distinct: int | None = None
    values: list[int | str] | None = None
    table: str | None = None
    place: int | None = None
    rows: int | None = None
    generator: Generator | None = None
    distribution: Distribution | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_uniform(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("draw") != "hex" and not data.get("distribution"):
            return data | {"distribution": UNIFORM}
        return data


def drawn(value: Value, tables: Sequence[Table]) -> LoadDraw:
    """What dynoload draws; a column is replaced by what its rows have."""
    keys = value.model_dump(exclude_none=True, include={*LoadDraw.model_fields})
    for end in ("min", "max"):
        if end in keys:
            keys[end] = _number(keys[end])
    if value.column is not None:
        table, place, generator = find_column(value.column, tables)
        keys |= {"table": table.name, "place": place, "rows": table.rows, "generator": generator}
    return LoadDraw.model_validate(keys)


def _number(end: int | date) -> int:
    """The end of a range as a number: a date in days since 1970-01-01."""
    return (end - EPOCH).days if isinstance(end, date) else end


def find_column(path: str, tables: Sequence[Table]) -> tuple[Table, int, Generator]:
    """The table of a "TABLE.COLUMN", the column's place in it from 1, and what is in it.

    Raises a mistake if there is none.
    """
    names = []
    for table in tables:
        columns = [] if isinstance(table.columns, str) else table.columns
        for place, column in enumerate(columns, 1):
            names.append(f"{table.name}.{column.name}")
            if names[-1] == path:
                return table, place, column.generator
    hint = near(path, names, what="columns") if names else "describe the table"
    raise mistake(f"there is no column {path!r}", hint=hint)


def with_file(value: Value, folder: Path, *, key: str) -> Value:
    """The value with the list that its file holds; any other as it is. Raises SpecError."""
    if value.file is None or value.field is None:
        return value
    path = (folder / value.file).absolute()
    try:
        text = read_bounded(path, most_bytes=CSV_MOST_BYTES).decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except OSError as error:
        raise SpecError(f"{key}: {path} can't be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        hint = "it must be text in UTF-8, with commas between values"
        raise SpecError(f"{key}: {path} isn't a CSV file: {error}", hint=hint) from None
    header = rows[0] if rows else []
    if value.field not in header:
        hint = f"it has {', '.join(header)}" if header else "the first line must be the header"
        raise SpecError(f"{key}: {path} has no column {value.field!r}", hint=hint)
    place = header.index(value.field)
    texts = [row[place] for row in rows[1:] if len(row) > place]
    if not 1 <= len(texts) <= VALUES_MOST:
        hint = f"give 1 to {VALUES_MOST:,}"
        raise SpecError(f"{key}: {path} has {len(texts):,} values", hint=hint)
    return Value(draw="list", values=_typed(texts), distribution=value.distribution)


def _typed(texts: list[str]) -> list[int | str]:
    """Whole numbers, if all of them are."""
    if all(text.lstrip("-").isdecimal() and str(int(text)) == text for text in texts):
        return [int(text) for text in texts]
    return list(texts)
