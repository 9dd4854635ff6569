"""Both programs, mysqlslap's and ours, on a server whose own counters say what they did."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counted import counted

from dyno.client import Connection
from dyno.program import find_dynoload
from dyno.servers import Server

THEIRS = "mariadb-slap"
# A ceiling for a busy host, below that of a test.
LIMIT_S = 540
SCHEMA = "mysqlslap"


def ours() -> list[str]:
    """Our program; another build than the installed one, for whoever works on it."""
    return [os.environ.get("DYNO_TEST_DYNOLOAD") or str(find_dynoload()), "slap"]


@dataclass(frozen=True)
class Done:
    """How a program ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Work:
    """How a program ended, and what the server did meanwhile."""

    done: Done
    counts: Counter[str]


def run(
    argv: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Done:
    done = subprocess.run(
        argv,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True)
class Stand:
    """A server with a folder for files."""

    server: Server
    admin: Connection
    path: Path

    @property
    def login(self) -> list[str]:
        return ["--no-defaults", f"--socket={self.server.socket}", "--user=root"]

    def slap(self, *options: str, env: Mapping[str, str] | None = None) -> Done:
        return run([*ours(), *self.login, *options], cwd=self.path, env=env)

    def mysqlslap(self, *options: str) -> Done:
        return run([THEIRS, *self.login, *options], cwd=self.path)

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        with self.admin.cursor() as cursor:
            cursor.execute(text)
            return list(cursor.fetchall())

    def empty(self) -> None:
        self.sql(f"DROP DATABASE IF EXISTS {SCHEMA}")

    def has_schema(self, name: str = SCHEMA) -> bool:
        return bool(self.sql(f"SHOW DATABASES LIKE '{name}'"))

    def work(self, job: Callable[[], Done]) -> Work:
        """Run something on a server without its schema; what the server counted."""
        self.empty()
        ended: list[Done] = []
        found = counted(self.admin, lambda: ended.append(job()))
        return Work(
            ended[0],
            Counter({n: v for n, v in found.items() if n.startswith("Com_") or n == "Connections"}),
        )

    def both(self, *options: str) -> tuple[Work, Work]:
        """The same options for mysqlslap and for ours."""
        theirs = self.work(lambda: self.mysqlslap(*options))
        return theirs, self.work(lambda: self.slap(*options))

    def logged(self, job: Callable[[], Done]) -> tuple[Done, list[str]]:
        """Run something; the statements that the server saw, without those of counting."""
        self.empty()
        self.sql("SET GLOBAL log_output='TABLE'")
        self.sql("TRUNCATE mysql.general_log")
        self.sql("SET GLOBAL general_log=1")
        try:
            done = job()
        finally:
            self.sql("SET GLOBAL general_log=0")
        rows = self.sql(
            "SELECT command_type, argument FROM mysql.general_log"
            " WHERE argument NOT LIKE '%general_log%' ORDER BY event_time, thread_id"
        )
        return done, [f"{kind}: {text(argument)}" for kind, argument in rows]


def text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def masked(out: str) -> str:
    """A report without its times."""
    return re.sub(r"\d+\.\d{3}(?= seconds|,)", "T", out)
