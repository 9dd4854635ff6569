"""Every command with a password that nothing else has, and where it must not be: in arguments,
environments of children, files, logs, reports and what is printed.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lookout import Lookout
from standing import standing
from thinned import thinned

from dyno.cli.app import app
from dyno.servers import Server

SECRET = "xyzzy7plugh"
LINKBENCH = Path(__file__).parents[3] / "crates/linkbench/src/config/shipped.properties"
LIMIT_S = 120
EXPERIMENT = """
title = "small"
question = "Does it leak?"
[[arm]]
name = "there"
baseline = true
server = "mysql://ann@127.0.0.1:{port}/"
[[arm]]
name = "again"
server = "mysql://ann@127.0.0.1:{port}/"
[workload]
kind = "oltp"
script = "oltp_read_write"
tables = 1
table_size = 100
[protocol]
blocks = {{ first = 1, last = 1 }}
warmup = "0s"
duration = "1s"
"""


@pytest.fixture(scope="module")
def theirs() -> Iterator[Server]:
    with standing("mariadb-10.11.5", listen="127.0.0.1") as (server, admin, _):
        admin.run("CREATE USER ann@'127.0.0.1' IDENTIFIED BY %s", SECRET)
        admin.run("GRANT ALL ON *.* TO ann@'127.0.0.1'")
        admin.run("CREATE DATABASE sbtest")
        yield server


@dataclass
class Place:
    """A folder in which every command runs, with all that it may write to inside."""

    path: Path
    port: int

    def __post_init__(self) -> None:
        for name in ("home", "tmp", "there"):
            (self.path / name).mkdir()
        text = EXPERIMENT.format(port=self.port)
        (self.path / "there" / "experiment.toml").write_text(text)
        (self.path / "plan.json").write_text(json.dumps(self._plan()))
        # Without the password, which LinkBench's own way is to have in here.
        keys = LINKBENCH.read_text().splitlines(keepends=True)
        kept = [key for key in keys if not key.startswith("data_file")]
        (self.path / "link.properties").write_text("".join(kept))

    def _plan(self) -> dict[str, object]:
        return {
            "schema": 2,
            "seed": 1,
            "target": {
                "host": "127.0.0.1",
                "port": self.port,
                "user": "ann",
                "password_env": "DYNO_PASSWORD",
                "database": "sbtest",
            },
            "phases": [{"name": "measure", "duration_s": 0.2}],
            "workload": {"kind": "statements", "statements": [{"name": "one", "sql": "SELECT 1"}]},
        }

    def filled(self, word: str) -> str:
        """The word with the port, or with the file's name, as a shell would have it."""
        if "*" in word:
            return str(next(self.path.glob(word)))
        return word.replace("{}", str(self.port))

    def leaks(self, *argv: str) -> tuple[int, list[str]]:
        """Run a command; its exit code, and where the secret was."""
        env = os.environ | {
            "HOME": str(self.path / "home"),
            "DYNO_HOME": str(self.path / "home" / "dyno"),
            "TMPDIR": str(self.path / "tmp"),
        }
        if not any(SECRET in word for word in argv):
            env["DYNO_PASSWORD"] = SECRET
        out = self.path / "said"
        with out.open("wb") as said:
            process = subprocess.Popen(
                argv,
                cwd=self.path,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            with Lookout(process, SECRET.encode()) as lookout:
                code = process.wait(LIMIT_S)
        print(" ".join(argv), code, out.read_text(errors="replace")[-2000:])
        found = sorted(lookout.seen)
        for path in self.path.rglob("*"):
            if path.is_file() and SECRET.encode() in path.read_bytes():
                found.append(str(path.relative_to(self.path)))
        return code, found


@pytest.fixture(scope="module")
def place(theirs: Server, tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("secrets"), theirs.port or 0)


OLTP = ["--table-size=100", "--tables=1", "--time=1", f"--mysql-password={SECRET}"]
SLAP = ["--auto-generate-sql", "--number-of-queries=50", "--host=127.0.0.1", "--user=ann"]
SHAPES = [f"mysql://ann:{SECRET}@127.0.0.1:1/", f"ann:{SECRET}@127.0.0.1", f"mysql:/a:{SECRET}@h"]
PROPERTIES = ("host=127.0.0.1", "port={}", "user=ann", "maxid1=101", "requesters=1", "requests=50")
LINKS = [
    *("-c", "link.properties", "-D", f"password={SECRET}"),
    *(word for pair in PROPERTIES for word in ("-D", pair)),
]
# In this order: what a command needs the ones before it have made. {} is the port.
COMMANDS: list[tuple[int, list[str]]] = [
    (0, ["dyno", "check", "there"]),
    (0, ["dyno", "run", "there", "--json"]),
    (2, ["dyno", "run", "there", "--resume"]),
    (0, ["dyno", "report", "there", "--json", "--images", "pictures"]),
    (0, ["dyno", "graph", "runs/there/*", "--out", "graph.html"]),
    (0, ["dyno", "experiments"]),
    (0, ["dyno", "servers", "list"]),
    (0, ["dynoload", "run", "plan.json"]),
    (0, ["dyno", "watch", "--server", "mysql://ann@127.0.0.1:{}/", "--once"]),
    (3, ["dyno", "watch", "--server", "mysql://bob@127.0.0.1:{}/", "--once"]),
    (2, ["dyno", "check-data", "--server", "mysql://ann@127.0.0.1:{}/", "--schema", "sbtest"]),
    (0, ["dyno", "check-isolation", "--server", "mysql://ann@127.0.0.1:{}/"]),
    (0, ["dyno", "sysbench", "oltp_read_only", *OLTP, "prepare"]),
    (0, ["dyno", "sysbench", "oltp_read_only", *OLTP, "--out=sysbench", "run"]),
    (1, ["dyno", "sysbench", "oltp_read_only", *OLTP, "--mysql-user=bob", "run"]),
    (0, ["dyno", "sysbench", "oltp_read_only", *OLTP, "cleanup"]),
    (0, ["dyno", "slap", *SLAP, "--port={}", f"-p{SECRET}"]),
    (0, ["dyno", "slap", *SLAP, "--port={}", f"--password={SECRET}", "--out=slap"]),
    (1, ["dyno", "slap", *SLAP, "--port={}", "--user=bob", f"--password={SECRET}"]),
    (0, ["dyno", "linkbench", *LINKS, "-l"]),
    (0, ["dyno", "linkbench", *LINKS, "-r", "--out=links"]),
]


# Where a password is typed that belongs nowhere.
MISTYPED = [
    ["dyno", "run", "there", "--server"],
    ["dyno", "check", "there", "--server"],
    ["dyno", "check"],
    ["dyno", "report"],
    ["dyno", "graph"],
    ["dyno", "watch", "--server"],
    ["dyno", "check-data", "--schema", "s", "--server"],
    ["dyno", "check-isolation", "--server"],
    ["dyno", "check-durability", "--server"],
    ["dyno", "servers", "start"],
    ["dyno", "import-log", "--out", "rows"],
    ["dyno"],
]


def test_no_command_leaks_its_password(place: Place) -> None:
    wrong = []
    for code, words in COMMANDS:
        argv = [place.filled(word) for word in words]
        if argv[1] == "sysbench":
            argv[3:3] = ["--mysql-host=127.0.0.1", f"--mysql-port={place.port}", "--mysql-user=ann"]
        found, leaks = place.leaks(*argv)
        if found != code or leaks:
            wrong.append(f"{' '.join(argv)}: {found}, not {code}; {leaks}")
    assert wrong == []


@pytest.mark.parametrize("shape", thinned(SHAPES, least=1))
def test_what_is_typed_in_the_wrong_place_is_not_shown(place: Place, shape: str) -> None:
    wrong = []
    for words in MISTYPED:
        found, leaks = place.leaks(*words, shape)
        if found not in (2, 3, 5) or leaks:
            wrong.append(f"{' '.join(words)} {shape}: {found}; {leaks}")
    assert wrong == []


def test_the_lookout_would_see_it(place: Place) -> None:
    late = "import ctypes, subprocess, sys, time\ntime.sleep(0.3)\n"
    child = "subprocess.run(['sleep', '0.3'], env={'PATH': '/bin:/usr/bin', 'X': sys.argv[1]})"
    code, found = place.leaks("python", "-c", late + child, SECRET)
    assert code == 0
    assert [leak.partition(":")[0] for leak in found] == [
        "arguments of the command",
        "environment of a child",
    ]


def test_every_command_is_here() -> None:
    names = {command.name for command in app.registered_commands}
    names |= {group.name for group in app.registered_groups}
    shown = [argv for _, argv in COMMANDS] + MISTYPED
    assert names <= {argv[1] for argv in shown if len(argv) > 1}
