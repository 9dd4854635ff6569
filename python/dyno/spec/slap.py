"""The workload `slap`: the table and the statements that mysqlslap generates, as a load.

Keys and defaults follow its options --auto-generate-sql-*; docs/reference/load-plan.md has each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from dyno.spec.changed import changed
from dyno.spec.kind import WHICH_KIND, CreateOptions, Engine, Kind, SessionStatements, written
from dyno.spec.strict import Strict, mistake
from dyno.spec.units import plural

Many = Annotated[int, Field(ge=0, le=1000)]
Different = Annotated[int, Field(ge=1, le=1000)]
# The size of a value in a format without padding: an integer of 4 bytes, 126 characters with their
# length, a key of 36.
INT_BYTES, CHAR_BYTES, GUID_BYTES = 4, 127, 37


class SlapKeys(Strict):
    """The keys that experiment and load plan share."""

    kind: Annotated[Literal["slap"], WHICH_KIND]
    load_type: Literal["mixed", "read", "key", "write", "update"] = Field(
        "mixed",
        description='`"mixed"`: INSERT and SELECT in turn. `"read"`: SELECT of all rows. `"key"`: '
        'SELECT of a row. `"write"`: INSERT. `"update"`: UPDATE of a row.',
    )
    primary: Literal["none", "auto_increment", "guid"] = Field(
        "none",
        description="The first column. Without one, what goes by key reads or changes all rows.",
    )
    secondary: Many = Field(0, description="Columns with a unique index.")
    int_columns: Many = Field(1, description="Columns of integers.")
    int_indexed: bool = Field(False, description="True gives each of them an index.")
    char_columns: Many = Field(1, description="Columns of text.")
    char_indexed: bool = Field(False, description="True gives each of them an index.")
    unique_queries: Different = Field(11, description="How many different statements the list has.")
    unique_rows: Different = Field(
        10, description="How many of the rows differ in more than their keys."
    )
    rows: Annotated[int, Field(ge=0)] = Field(
        99, description="How many rows are there before the first trial."
    )
    engine: Engine = "innodb"
    create_options: CreateOptions = ""

    @model_validator(mode="after")
    def _has_something_to_do(self) -> SlapKeys:
        if self.int_columns + self.char_columns == 0:
            raise mistake(
                "there is no column to read or write", hint="give int_columns or char_columns"
            )
        by_key = self.primary != "none" and self.load_type not in ("read", "write")
        if by_key and self.rows == 0:
            raise mistake("rows is 0, so there is no key to look for", hint="give rows")
        return self


class LoadSlap(SlapKeys):
    """The workload in a load plan, with the engine filled in."""


class SlapWorkload(SlapKeys, Kind):
    """The table and the statements that `mysqlslap --auto-generate-sql` makes up, for those who
    know its figures: one table `t1`, and a short list of statements that every connection runs over
    and over. An op is one statement: `insert`, `select` or `update`, as far as the list has them.

    `mixed` and `read` read the whole table in each SELECT, and with `mixed` and `write` it grows
    while it is measured: a server that does more has more to read.
    """

    load_keys: ClassVar[type[Strict]] = LoadSlap

    session: SessionStatements = []

    @property
    def writes(self) -> bool:
        """Whether trials change the data, so that each needs a fresh copy."""
        return self.load_type not in ("read", "key")

    @property
    def ops(self) -> list[str]:
        """The op kinds: those of the list's statements."""
        if self.load_type == "mixed":
            return ["insert", "select"] if self.unique_queries > 1 else ["insert"]
        return {
            "write": ["insert"],
            "read": ["select"],
            "key": ["select"],
            "update": ["update"],
        }[self.load_type]

    @property
    def row_count(self) -> int:
        """The rows of the one table."""
        return self.rows

    @property
    def size_bytes(self) -> int:
        """Rows without indexes."""
        return self.rows * self.row_bytes

    @property
    def row_bytes(self) -> int:
        """The size of a row, without indexes."""
        key = {"none": 0, "auto_increment": 8, "guid": GUID_BYTES}[self.primary]
        columns = self.int_columns * INT_BYTES + self.char_columns * CHAR_BYTES
        return key + self.secondary * GUID_BYTES + columns

    def data_parts(self, engine: str | None, create_options: str | None = None) -> dict[str, Any]:
        """All keys except those of the statements that are run."""
        load = self.for_load(engine, create_options)
        return load.model_dump(mode="json", exclude={"load_type", "unique_queries"})

    def scaled(self, scale: float) -> SlapWorkload:
        """The workload with that share of its rows."""
        return changed(self, rows=round(self.rows * scale))

    def facts(self) -> Iterator[tuple[str, str]]:
        """The table, the statements, and every other key with its value."""
        yield "data", f"table t1 with {plural(self.rows, 'row')}"
        yield "ops", ", ".join(self.ops)
        yield "trials", "write to it" if self.writes else "only read it"
        yield "keys", written(self.model_dump(exclude={"kind", "rows", "session", "engine"}))
