"""The workload `slap`: the table and the statements that mysqlslap makes up by itself, as a load.

Keys and defaults follow its options --auto-generate-sql-*; docs/reference/load-plan.md has each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from dyno.spec.kind import Kind, written
from dyno.spec.strict import Strict, mistake
from dyno.spec.units import plural

Many = Annotated[int, Field(ge=0, le=1000)]
Different = Annotated[int, Field(ge=1, le=1000)]
# What a value takes in a format that pads nothing: an integer of 4 bytes, 126 characters with their
# length, a key of 36.
INT_BYTES, CHAR_BYTES, GUID_BYTES = 4, 127, 37


class SlapKeys(Strict):
    """The keys that experiment and load plan share."""

    kind: Literal["slap"]
    load_type: Literal["mixed", "read", "key", "write", "update"] = "mixed"
    primary: Literal["none", "auto_increment", "guid"] = "none"
    secondary: Many = 0
    int_columns: Many = 1
    int_indexed: bool = False
    char_columns: Many = 1
    char_indexed: bool = False
    unique_queries: Different = 11
    unique_rows: Different = 10
    rows: Annotated[int, Field(ge=0)] = 99
    engine: Annotated[str, Field(pattern=r"^\w+$")] = "innodb"
    create_options: str = ""

    @model_validator(mode="after")
    def _has_something_to_do(self) -> SlapKeys:
        if self.int_columns + self.char_columns == 0:
            raise mistake(
                "there is no column to read or write", hint="give int_columns or char_columns"
            )
        by_key = self.primary != "none" and self.load_type not in ("read", "write")
        if by_key and self.rows == 0:
            raise mistake("rows is 0: there is no key to look for", hint="give rows")
        return self


class SlapWorkload(SlapKeys, Kind):
    """One table, `t1`, and a list of statements, of which an op is one."""

    session: list[str] = []

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

    def scaled(self, scale: float) -> SlapWorkload:
        """The workload with that part of its rows."""
        return self.model_copy(update={"rows": round(self.rows * scale)})

    def facts(self) -> Iterator[tuple[str, str]]:
        """The table, the statements, and every other key with its value."""
        yield "data", f"table t1 with {plural(self.rows, 'row')}"
        yield "ops", ", ".join(self.ops)
        yield "trials", "write to it" if self.writes else "only read it"
        yield "keys", written(self.model_dump(exclude={"kind", "rows", "session", "engine"}))
