"""sysbench's own tests, run with sysbench and with `dyno sysbench` in its place.

    python -m benches.cram --suite FOLDER [--server mysql-5.6.24] [NAME...]

FOLDER is a checkout of sysbench at tag 1.0.20. Its tests are files of `cram`, a Python package to
install in an environment of its own (`--cram` names its program). Taken are the files about
options, the SQL API, scripts and reports; not those of PostgreSQL, nor of the built-in tests. Each
runs with both programs on one server. What either prints otherwise than the suite expects is shown:
`-` expected, `+` printed. Exit status: 0 Dyno passes every file that sysbench passes, but for those
that call a built-in test, 1 it doesn't.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benches.stand import own_server
from dyno.errors import DynoError, LoadError
from dyno.servers import Server

VERSION = "1.0.20"
SCHEMA = "sbtest"
LIMIT_S = 300
LEFT_OUT = ("_pgsql", "test_")
# They call sysbench's tests without a database, too; docs/reference/sysbench.md names the lines.
CALL_BUILT_IN = {
    "cmdline",
    "opt_help",
    "opt_rate",
    "opt_report_checkpoints",
    "opt_report_interval",
}
# The suite expects MySQL's client; MariaDB's repeats a statement that failed, between lines.
CLIENT = """#!/bin/bash
{{
  {program} --no-defaults --socket={socket} "$@" 2>&1 1>&3 |
    sed '/^--------------$/,/^ERROR/{{/^ERROR/!d}}' >&2
  exit ${{PIPESTATUS[0]}}
}} 3>&1
"""
PROGRAM = '#!/bin/bash\nexec -a sysbench {program} "$@"\n'


@dataclass(frozen=True)
class Ran:
    """What became of one file: what was expected and not printed (-), and the other way (+)."""

    verdict: str
    differing: tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="of files, without .t; all if there is none")
    parser.add_argument("--suite", type=Path, required=True)
    parser.add_argument("--server", default="mysql-5.6.24")
    parser.add_argument("--cram", default="cram", help="the program")
    options = parser.parse_args()
    try:
        return compare(options)
    except DynoError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def compare(options: argparse.Namespace) -> int:
    """Run every file with both; the exit status."""
    files = chosen(options.suite / "tests" / "t", options.names)
    programs = {"sysbench": [found("sysbench")], "dyno": [found("dyno"), "sysbench"]}
    cram, client = found(options.cram), shlex.quote(found("mysql"))
    ran: dict[tuple[str, str], Ran] = {}
    with own_server(options.server, {}) as (server, folder):
        for name, program in programs.items():
            tools = folder / name
            tools.mkdir()
            script(tools / "mysql", CLIENT.format(program=client, socket=server.socket))
            script(tools / "sysbench", PROGRAM.format(program=shlex.join(program)))
        for file in files:
            for name in programs:
                environment = surroundings(options.suite, folder / name, server)
                empty(server)
                ran[file.stem, name] = run(cram, file, environment)
            show(file.stem, ran[file.stem, "sysbench"], ran[file.stem, "dyno"])
    passed = {
        name: {file.stem for file in files if ran[file.stem, name].verdict == "passed"}
        for name in programs
    }
    counts = ", ".join(f"{name} passes {len(stems)}" for name, stems in passed.items())
    print(f"of {len(files)} files {counts}")
    return 1 if passed["sysbench"] - passed["dyno"] - CALL_BUILT_IN else 0


def chosen(folder: Path, names: Sequence[str]) -> list[Path]:
    """The files of these names, else all that concern databases, in order."""
    if not folder.is_dir():
        raise LoadError(
            f"there is no folder {folder}", hint=f"check sysbench out at its tag {VERSION}"
        )
    if names:
        return [folder / f"{name}.t" for name in names]
    files = sorted(folder.glob("*.t"))
    return [file for file in files if not any(part in file.stem for part in LEFT_OUT)]


def found(program: str) -> str:
    """Where a program is."""
    beside = Path(sys.executable).parent / program
    path = beside if beside.is_file() else shutil.which(program)
    if path is None:
        raise LoadError(f"there is no program {program}", hint="install it, see benches/cram.py")
    return str(Path(path).absolute())


def script(path: Path, text: str) -> None:
    """Write a program."""
    path.write_text(text)
    path.chmod(0o755)


def surroundings(suite: Path, tools: Path, server: Server) -> Mapping[str, str]:
    """The environment that the suite's own runner gives its files."""
    suite = suite.absolute()
    scripts, include = suite / "src" / "lua", suite / "tests" / "include"
    paths = [f"{folder}/{name}" for folder in (scripts, include) for name in ("?", "?.lua")]
    login = f"--mysql-socket={server.socket} --mysql-user=root --mysql-db={SCHEMA}"
    return {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "LUA_PATH": ";".join(paths),
        "SBTEST_ROOTDIR": str(suite / "tests"),
        "SBTEST_SCRIPTDIR": str(scripts),
        "SBTEST_SUITEDIR": str(suite / "tests" / "t"),
        "SBTEST_INCDIR": str(include),
        "SBTEST_VERSION": VERSION,
        "SBTEST_VERSION_STRING": f"sysbench {VERSION}",
        "SBTEST_HAS_MYSQL": "1",
        "SBTEST_MYSQL_ARGS": login,
    }


def empty(server: Server) -> None:
    """Give the schema that the suite expects, without tables."""
    with closing(server.admin()) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {SCHEMA}")
        cursor.execute(f"CREATE DATABASE {SCHEMA}")


def run(cram: str, file: Path, environment: Mapping[str, str]) -> Ran:
    """Run one file; what is expected to be and what was printed are told apart by cram."""
    done = subprocess.run(
        [cram, "--shell=/bin/bash", "--verbose", str(file)],
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    # cram leaves what it saw beside the file.
    file.with_suffix(".t.err").unlink(missing_ok=True)
    lines = done.stdout.splitlines()
    verdict = lines[0].rpartition(": ")[2] if lines else ""
    if verdict not in ("passed", "failed", "skipped"):
        raise LoadError(f"cram ended with {done.returncode} on {file}: {done.stderr.strip()}")
    signs, heads = ("+", "-"), ("+++ ", "--- ")
    changed = [line for line in lines if line.startswith(signs) and not line.startswith(heads)]
    return Ran(verdict, tuple(changed))


def show(name: str, theirs: Ran, ours: Ran) -> None:
    """Print a file's line, and below it what is not as the suite expects."""
    print(f"{name:32} sysbench {theirs.verdict:8} dyno {ours.verdict}", flush=True)
    if ours.differing == theirs.differing:
        for line in ours.differing:
            print(f"    both      {line}")
        return
    for who, ran in (("sysbench", theirs), ("dyno", ours)):
        for line in ran.differing:
            print(f"    {who:9} {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
