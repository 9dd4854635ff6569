"""The programs that run sysbench's scripts, a server for them, and what both say of it."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from counted import counted
from waiting import wait_until

from dyno.client import Connection
from dyno.program import find_dynoload
from dyno.servers import Server

ROOT = Path(__file__).parents[3]
OUR_SCRIPTS = ROOT / "crates" / "sysbench" / "lua"
API_SCRIPTS = Path(__file__).parent / "scripts"
SCHEMA = "dyno_scripts"
# A ceiling for a busy host.
LIMIT_S = 300

# The one place that says which programs are tested; "dyno" is `dynoload sysbench`.
PROGRAMS = ["sysbench", "dyno"]
# What sysbench itself can't survive is only tested where a better program is.
OURS = [name for name in PROGRAMS if name == "dyno"]

# What scripts of these tests print begins so, and what a program says of errors so.
SAID = "> "
TROUBLE = ("FATAL: ", "ALERT: ", "WARNING: ")


def command_of(program: str) -> list[str]:
    if program == "dyno":
        return [os.environ.get("DYNO_TEST_DYNOLOAD") or str(find_dynoload()), "sysbench"]
    return [program]


@dataclass(frozen=True)
class Ran:
    """A program that ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def said(self) -> list[str]:
        """What the script said, and the program of errors, without their positions in files."""
        return [
            line.removeprefix(SAID)
            for line in self.stdout.splitlines()
            if line.startswith((SAID, *TROUBLE))
        ]


@dataclass(frozen=True)
class Stand:
    """A server with an empty schema, for programs that run scripts."""

    server: Server
    admin: Connection
    folder: Path

    def sql(self, text: str) -> list[tuple[object, ...]]:
        with self.admin.cursor() as cursor:
            cursor.execute(text)
            return list(cursor.fetchall())

    def empty(self) -> None:
        self.sql(f"DROP DATABASE IF EXISTS {SCHEMA}")
        self.sql(f"CREATE DATABASE {SCHEMA}")

    def run(self, program: str, script: str, *arguments: str, folder: Path | None = None) -> Ran:
        """Run a script, in a folder without any unless one is given."""
        return run(
            program,
            script,
            f"--mysql-socket={self.server.socket}",
            "--mysql-user=root",
            f"--mysql-db={SCHEMA}",
            *arguments,
            folder=folder or self.folder,
        )

    def work(self, load: Callable[[], object]) -> Counter[str]:
        """Commands and calls of the storage engine while something runs."""
        found = counted(self.admin, load)
        return Counter({n: v for n, v in found.items() if n.startswith(("Com_", "Handler_"))})

    def wait_for_work(self, statements: int = 500) -> None:
        """Until this many more were executed: their program is past its start by then."""
        asked = "SHOW GLOBAL STATUS LIKE 'Questions'"

        def executed() -> int:
            return int(str(self.sql(asked)[0][1]))

        enough = executed() + statements
        wait_until(lambda: executed() >= enough)


def run(program: str, *arguments: str, folder: Path, stdin: str = "") -> Ran:
    """Run a program, with nothing of the environment that scripts are looked for by."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LUA_")}
    done = subprocess.run(
        [*command_of(program), *arguments],
        cwd=folder,
        input=stdin,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
