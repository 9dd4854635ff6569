"""The workload `accesslog`: rows of a web server's access log, written one INSERT after the other.

docs/reference/load-plan.md says what is in the rows; dynoload makes them. To read a log, use
statements: their tables may have the same rows by `columns = "accesslog"`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from dyno.spec.changed import changed
from dyno.spec.files import find_file
from dyno.spec.kind import WHICH_KIND, CreateOptions, Engine, Kind, SessionStatements, written
from dyno.spec.strict import Strict
from dyno.spec.units import plural

# The size of a row in a format without padding: measured over the first million.
ROW_BYTES = 190


class AccessLogKeys(Strict):
    """The keys that experiment and load plan share."""

    kind: Annotated[Literal["accesslog"], WHICH_KIND]
    log: str | None = Field(
        None,
        description="A real log in place of the made-up one: a file that `dyno import-log "
        "access.log.gz --out FILE` wrote, from the experiment's folder.",
    )
    rows: Annotated[int, Field(ge=0)] = Field(
        0, description="How many rows are there before the first trial."
    )
    rows_per_insert: Annotated[int, Field(ge=1, le=1000)] = Field(
        1, description="How many rows one INSERT has."
    )
    engine: Engine = "innodb"
    zero_time: bool = Field(
        True,
        description="False leaves the default of zero off the column `time`, for a server whose "
        "`sql_mode` refuses it.",
    )
    create_options: CreateOptions = ""


class LoadAccessLog(AccessLogKeys):
    """The workload in a load plan, with the engine filled in."""


class AccessLogWorkload(AccessLogKeys, Kind):
    """A web server's access log, written by one INSERT after the other into one table without keys,
    `accesslog`. Rows are made up but have what real logs have: a few pages, clients and referers
    are most of it (Zipf's law), visitors come in sessions, programs read along, and what a log
    writes as `-` is NULL.

    The one op is `insert`. Beside throughput and latency a claim can be about `bytes_per_row`: give
    such an experiment `restart = "trial"`, so that rows can be counted without touching a cache
    that goes on being used.
    """

    load_keys: ClassVar[type[Strict]] = LoadAccessLog

    log_sha256: str | None = Field(
        None, description="The checksum that `log` must have. The plan of a run stores it anyway."
    )
    session: SessionStatements = []

    def with_files(self, folder: Path, scripts: Sequence[str] = ()) -> AccessLogWorkload:
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
        return changed(self, **found)

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

    def data_parts(self, engine: str | None, create_options: str | None = None) -> dict[str, Any]:
        """The table's keys, and the log by its content, wherever it is."""
        found = self.for_load(engine, create_options).model_dump(
            mode="json", exclude={"rows_per_insert", "log"}
        )
        return found | {"log_sha256": self.log_sha256}

    def scaled(self, scale: float) -> AccessLogWorkload:
        """The workload with that share of its rows."""
        return changed(self, rows=round(self.rows * scale))

    def facts(self) -> Iterator[tuple[str, str]]:
        """The table, and what an op is."""
        yield "data", f"table accesslog with {plural(self.rows, 'row')}"
        yield "op", f"an INSERT of {plural(self.rows_per_insert, 'row')}"
        yield "keys", written(self.model_dump(include={"zero_time", "create_options"}))
