"""Load plans, dynoload and the servers that it loads, as the tests beside this file need them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from waiting import wait_until

from dyno.program import find_dynoload
from dyno.servers import Server, create_data_dir, install, start

SCHEMA = "dyno_load"
Document = dict[str, Any]


@dataclass(frozen=True)
class Ran:
    """The result of a load; its account is always checked."""

    code: int
    events: list[Document]
    stderr: str

    @property
    def summary(self) -> Document:
        assert self.events, self.stderr
        assert self.events[0]["event"] == "hello"
        summary = self.events[-1]
        assert summary["event"] == "summary", self.stderr
        for phase in summary["phases"]:
            failed = sum(phase["failed"].values())
            total = phase["ok"] + failed + phase["skipped"] + phase["unfinished"]
            assert phase["scheduled"] == total, phase
        return summary

    @property
    def measure(self) -> Document:
        (found,) = [p for p in self.summary["phases"] if p["phase"] == "measure"]
        return dict(found)

    def of(self, event: str) -> list[Document]:
        return [one for one in self.events if one["event"] == event]

    @property
    def fatal(self) -> list[Document]:
        return [error for error in self.of("error") if error["fatal"]]

    @property
    def bins(self) -> list[Document]:
        """The measured tenths of a second, each with `t_s`, when it begins in the phase."""
        found: list[Document] = []
        for interval in self.of("interval"):
            if interval["phase"] == "measure":
                begins = interval["index"] * 1.0
                found += [b | {"t_s": begins + n / 10} for n, b in enumerate(interval["bins"])]
        return found


@dataclass
class Load:
    """A dynoload that runs; its events are in a file."""

    process: subprocess.Popen[str]
    path: Path

    def events(self) -> list[Document]:
        """The events that are written so far."""
        text = self.path.read_text() if self.path.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line[-1] == "\n"]

    def until(self, *, phase: str, state: str = "begin") -> None:
        """Wait until a phase began or ended."""
        wait_until(
            lambda: any(
                e["event"] == "phase" and (e["phase"], e["state"]) == (phase, state)
                for e in self.events()
            )
        )

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def finish(self, timeout_s: float = 300) -> Ran:
        try:
            _, stderr = self.process.communicate(timeout=timeout_s)
        finally:
            self.process.kill()
            self.process.wait()
        return Ran(self.process.returncode, self.events(), stderr)


@dataclass
class Bench:
    """A folder for servers and loads; what runs in it ends with it."""

    path: Path
    loads: list[Load] = field(default_factory=list)

    @contextmanager
    def server(self, name: str, *, tcp: bool = False, **settings: int | str) -> Iterator[Server]:
        """A server on fresh data, with an empty schema."""
        installation = install(name)
        data = self.path / f"{name}-{len(list(self.path.iterdir()))}"
        create_data_dir(installation, data)
        logs = self.path / f"{data.name}-logs"
        # Nothing here is about the disk, on which each COMMIT would wait.
        given = {"innodb_flush_log_at_trx_commit": 2, **settings}
        with start(
            installation,
            data_dir=data,
            run_dir=logs,
            settings=given,
            listen="127.0.0.1" if tcp else None,
        ) as server:
            sql(server, f"CREATE DATABASE {SCHEMA}", database=None)
            yield server

    def begin(
        self,
        address: Path | Document,
        workload: Document,
        phases: list[Document],
        *,
        schema: str = SCHEMA,
        **keys: Any,
    ) -> Load:
        """Start a load on the server there: a socket, or keys of `target`; `keys` of its plan."""
        number = len(self.loads)
        where = {"socket": str(address)} if isinstance(address, Path) else address
        plan = {
            "schema": 2,
            "seed": 42,
            "target": {**where, "database": schema},
            "phases": phases,
            "workload": workload,
            **keys,
        }
        path = self.path / f"{number}.json"
        path.write_text(json.dumps(plan))
        events = self.path / f"{number}.ndjson"
        # Another build than the installed one, for whoever works on it.
        dynoload = os.environ.get("DYNO_TEST_DYNOLOAD") or str(find_dynoload())
        argv = [dynoload, "run", str(path), "--events", str(events), "--die-with-parent"]
        process = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True)
        load = Load(process, events)
        self.loads.append(load)
        return load

    def run(
        self, address: Path | Document, workload: Document, phases: list[Document], **keys: Any
    ) -> Ran:
        """Run a load, which must finish."""
        ran = self.begin(address, workload, phases, **keys).finish()
        assert ran.code == 0, ran.stderr
        assert ran.summary["complete"]
        return ran

    def fill(self, server: Server, workload: Document) -> None:
        self.run(server.socket, workload, [{"name": "load"}])


def oltp(script: str, **keys: Any) -> Document:
    """The workload `oltp` with ids that are drawn evenly."""
    uniform = {"kind": "uniform"}
    return {"kind": "oltp", "script": script, "distribution": uniform, **keys}


def arrivals(duration_s: float, rate_per_s: float) -> list[Document]:
    """A phase with arrivals in equal gaps."""
    steps = [{"duration_s": duration_s, "rate_per_s": rate_per_s}]
    return [{"name": "measure", "arrivals": {"distribution": "fixed", "steps": steps}}]


def sql(server: Server, text: str, database: str | None = SCHEMA) -> list[tuple[Any, ...]]:
    """Run one statement; its rows."""
    with closing(server.admin(database)) as connection, connection.cursor() as cursor:
        cursor.execute(text)
        return list(cursor.fetchall())
