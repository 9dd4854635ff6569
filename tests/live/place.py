"""A schema with a workload's data on a server: loading it, working on it, checking it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dyno.checks import KINDS, run_checks
from dyno.client import Connection
from dyno.hosts.result import LoadResult
from dyno.runner.load import run_load
from dyno.servers import Server, create_schema, drop_schema
from dyno.spec.data_check import DataCheck
from dyno.spec.load_plan import LoadPlan


@dataclass(frozen=True)
class Place:
    """A server with a schema of the tests' own."""

    server: Server
    admin: Connection
    files: Path
    workload: dict[str, object]

    @classmethod
    def make(cls, stand: tuple[Server, Connection, Path], kind: str, **keys: object) -> Place:
        """With an empty schema, for a workload with these keys."""
        place = cls(*stand, {"kind": kind, **keys})
        place.empty()
        return place

    @property
    def schema(self) -> str:
        """Its name."""
        return f"dyno_{self.workload['kind']}"

    def empty(self) -> None:
        """Drop the schema and make it."""
        drop_schema(self.admin, self.schema)
        create_schema(self.admin, self.schema)

    def run(
        self,
        phases: list[dict[str, Any]],
        *,
        connections: int = 8,
        seed: int = 1,
        session: list[str] | None = None,
        observe: dict[str, bool] | None = None,
        **keys: object,
    ) -> LoadResult:
        """Run a plan, whose workload has these keys."""
        plan = LoadPlan.model_validate(
            {
                "schema": 2,
                "seed": seed,
                "target": {"socket": str(self.server.socket), "database": self.schema},
                "session": session or [],
                "connections": connections,
                "observe": observe or {},
                "phases": phases,
                "workload": self.workload | keys,
            }
        )
        return run_load(plan, self.files)

    def work(self, seconds: float, **more: Any) -> dict[str, Any]:
        """Make load for this long, which must finish; gives the phase's summary."""
        return self._measure({"duration_s": seconds}, **more)

    def do(self, ops: int, **more: Any) -> dict[str, Any]:
        """Make load of this many ops, however long they take; gives the phase's summary."""
        return self._measure({"ops": ops}, **more)

    def _measure(self, limit: dict[str, float], **more: Any) -> dict[str, Any]:
        result = self.run([{"name": "measure", **limit}], **more)
        assert result.failure is None, result.failure
        assert result.log.summary is not None
        measured = result.log.summary.phase("measure")
        assert measured is not None
        return measured.model_dump()

    def checks(self, *, just_loaded: bool = False) -> dict[str, DataCheck]:
        """The checks of the data by their names, each of which could be made."""
        with closing(self.server.admin(self.schema)) as connection:
            kind = str(self.workload["kind"])
            made = run_checks(connection, kind, just_loaded=just_loaded)
        assert all(check.state != "not checked" for check in made), made
        return {check.name: check for check in made}

    def number(self, sql: str) -> int:
        """The one number that a query gives."""
        with closing(self.server.admin(self.schema)) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            row = cursor.fetchone()
        assert isinstance(row, tuple)
        return int(row[0])


def checksums(place: Place) -> dict[str, object]:
    """CHECKSUM TABLE of all tables of the workload, by their names."""
    tables = sorted(KINDS[str(place.workload["kind"])].tables)
    with closing(place.server.admin(place.schema)) as connection, connection.cursor() as cursor:
        cursor.execute("CHECKSUM TABLE " + ", ".join(tables))
        return {str(name): checksum for name, checksum in cursor.fetchall()}


def broken(checks: dict[str, DataCheck]) -> dict[str, str | None]:
    """What is wrong, with an example of each."""
    return {name: check.example for name, check in checks.items() if check.state == "broken"}


def counts(measured: dict[str, Any]) -> dict[str, int]:
    """Ops that were ok, by name."""
    return {op["op"]: op["count"] for op in measured["ops"] if op["outcome"] == "ok"}
