"""The workload `accesslog`: rows of a web server's access log, written one INSERT after the other.

docs/reference/load-plan.md says what is in the rows; dynoload makes them. Reading a log is a
matter of statements: a table of theirs may have the same rows by `columns = "accesslog"`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from dyno.spec.files import find_file
from dyno.spec.kind import Kind, written
from dyno.spec.strict import Strict
from dyno.spec.units import plural

# What a row takes in a format that pads nothing: measured over the first million.
ROW_BYTES = 190


class AccessLogKeys(Strict):
    """The keys that experiment and load plan share. `log` is a file of `dyno import-log`."""

    kind: Literal["accesslog"]
    log: str | None = None
    rows: Annotated[int, Field(ge=0)] = 0
    rows_per_insert: Annotated[int, Field(ge=1, le=1000)] = 1
    engine: Annotated[str, Field(pattern=r"^\w+$")] = "innodb"
    zero_time: bool = True
    create_options: str = ""


class AccessLogWorkload(AccessLogKeys, Kind):
    """One table, `accesslog`, that grows. `log_sha256` is filled in when the experiment is read, so
    that a plan says which rows it was made for.
    """

    log_sha256: str | None = None
    session: list[str] = []

    def with_files(self, folder: Path) -> AccessLogWorkload:
        """The workload with its log found, from the experiment's folder. Raises SpecError."""
        if self.log is None:
            return self
        found = find_file(
            folder,
            self.log,
            key="log",
            sha256=self.log_sha256,
            hint="make it with: dyno import-log access.log --out FILE",
        )
        return self.model_copy(update=found)

    @property
    def writes(self) -> bool:
        """Whether trials change the data, so that each needs a fresh copy."""
        return True

    @property
    def ops(self) -> list[str]:
        """The op kinds: there is one."""
        return ["insert"]

    @property
    def row_count(self) -> int:
        """The rows that are there before the first trial."""
        return self.rows

    @property
    def size_bytes(self) -> int:
        """Those rows, without indexes."""
        return self.rows * ROW_BYTES

    def scaled(self, scale: float) -> AccessLogWorkload:
        """The workload with that part of its rows."""
        return self.model_copy(update={"rows": round(self.rows * scale)})

    def facts(self) -> Iterator[tuple[str, str]]:
        """The table, and what an op is."""
        yield "data", f"table accesslog with {plural(self.rows, 'row')}"
        yield "op", f"an INSERT of {plural(self.rows_per_insert, 'row')}"
        yield "keys", written(self.model_dump(include={"zero_time", "create_options"}))
