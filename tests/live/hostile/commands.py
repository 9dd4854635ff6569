"""Every command that talks to a server, on a server that does wrong: how it ends."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from forks import Forks
from hostile import hostile
from modes import MODES, decrypted

# No other word has it.
SECRET = "xyzzy-7-plugh"
DYNOLOAD = Path(sys.executable).with_name("dynoload")
# A quiet host needs half of it at most; a busy one needs a while only to start a command.
LIMIT_S = 60.0
MEMORY_MB = 500
EXPERIMENT = """
title = "small"
question = "Does it end?"
[[arm]]
name = "there"
baseline = true
server = "{address}"
[workload]
kind = "statements"
[[workload.table]]
name = "t"
rows = 5
create = "CREATE TABLE t (id INT)"
columns = [{{ name = "id", generate = "int", min = 0, max = 9 }}]
[[workload.statement]]
name = "group"
sql = "SELECT id FROM t"
[protocol]
blocks = {{ first = 2, last = 2 }}
timeout = "5s"
"""
# What a terminal would obey; tabs and ends of lines aside.
COMMAND = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]")


@dataclass(frozen=True)
class Command:
    """`codes`: those it may end with. `says_error`: where it failed, one line has `error:`."""

    codes: frozenset[int]
    says_error: bool = True


COMMANDS = {
    "run": Command(frozenset((0, 3, 4, 6))),
    "watch": Command(frozenset((0, 3))),
    "check-data": Command(frozenset((2, 3))),
    "check-isolation": Command(frozenset((0, 3, 7))),
    "sysbench": Command(frozenset((0, 1, 2)), says_error=False),
    "slap": Command(frozenset((0, 1)), says_error=False),
    "dynoload": Command(frozenset((0, 3, 4)), says_error=False),
}


def arguments(name: str, port: int, folder: Path) -> list[str]:
    """Of the command, with the secret where the command takes it from there."""
    address = f"mysql://u@127.0.0.1:{port}/"
    if name == "dynoload":
        return ["run", str(_plan(folder, port))]
    if name == "run":
        file = folder / "there" / "experiment.toml"
        file.parent.mkdir()
        file.write_text(EXPERIMENT.format(address=address))
        return [name, str(file)]
    more = {
        "watch": ["--server", address, "--once"],
        "check-data": ["--server", address, "--schema", "s", "--timeout", "5s"],
        "check-isolation": ["--server", address],
        "sysbench": [
            "oltp_read_only",
            "--mysql-host=127.0.0.1",
            f"--mysql-port={port}",
            f"--mysql-password={SECRET}",
            "--time=1",
            "--thread-init-timeout=10",
            "--dyno-timeout=5",
            "run",
        ],
        "slap": [
            "--host=127.0.0.1",
            f"--port={port}",
            f"--password={SECRET}",
            "--auto-generate-sql",
            "--number-of-queries=10",
            "--dyno-timeout=5",
        ],
    }
    return [name, *more[name]]


def _plan(folder: Path, port: int) -> Path:
    plan = {
        "schema": 2,
        "seed": 1,
        "target": {"host": "127.0.0.1", "port": port, "user": "u", "password_env": "DYNO_PASSWORD"},
        "connections": 2,
        "timeout_s": 4,
        "drain_s": 2,
        "observe": {"settings": True, "status": True},
        "phases": [{"name": "measure", "duration_s": 1}],
        "workload": {"kind": "oltp", "script": "oltp_read_only"},
    }
    path = folder / "plan.json"
    path.write_text(json.dumps(plan))
    return path


def troubles(name: str, mode: str, folder: Path, parent: Forks) -> str:
    """Run the command on a server of this mode; what is wrong with how it ended, "" if nothing."""
    folder.mkdir()
    with hostile(MODES[mode]) as server:
        ended = parent.run(
            *arguments(name, server.port, folder),
            cwd=folder,
            limit_s=LIMIT_S,
            environment=os.environ | {"DYNO_PASSWORD": SECRET, "DYNO_HOME": str(folder / "home")},
            program=DYNOLOAD if name == "dynoload" else None,
        )
        found = [f"still there after {LIMIT_S:g} s"] if ended.code is None else []
        found += [f"{ended.peak_mb} MB"] if ended.peak_mb > MEMORY_MB else []
        found += _wrong_end(COMMANDS[name], ended.code, ended.stderr)
        if ended.code == 0 and mode.startswith("wants-a-file"):
            found.append("no word of the file that the server asked for")
        printed = ended.stderr + ended.stdout
        found += ["control characters"] if COMMAND.search(printed) else []
        found += ["the password is printed"] if SECRET in printed else []
        leaked = server.was_sent(SECRET.encode()) or decrypted(server.heard, SECRET)
        found += ["the password is given away"] if leaked else []
    return f"{name} on {mode}: {', '.join(found)}; it said {ended.stderr[-300:]!r}" if found else ""


def _wrong_end(command: Command, code: int | None, said: str) -> list[str]:
    errors = [line for line in said.splitlines() if line.startswith("error: ")]
    found = [] if code in command.codes else [f"exit code {code}"]
    found += ["never begun"] if "another dyno run is measuring" in said else []
    found += ["a traceback"] if "Traceback" in said or "panicked" in said else []
    if command.says_error and len(errors) != (code != 0):
        found.append(f"{len(errors)} errors with exit code {code}")
    return found
