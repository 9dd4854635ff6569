"""Runs command lines of dyno, each in a process of its own, without loading dyno for each: a parent
that has loaded it is forked. Run as a program it is that parent.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LIMIT_S = 30.0
MEMORY_MB = 600


@dataclass(frozen=True)
class Ended:
    """How a command line ended; `code` is None where it had to be killed."""

    code: int | None
    elapsed_s: float
    peak_mb: int
    stdout: str
    stderr: str

    def require_one_line(self, what: str, *, codes: set[int]) -> None:
        """It ended in time and with little memory, by itself, with one of these codes and, unless
        that is 0, with one line of an error. `what` was done before, for the test's message.
        """
        said = f"{what}: {self.code} after {self.elapsed_s:.1f} s\n{self.stderr}"
        assert self.code in codes, said
        assert self.peak_mb < MEMORY_MB, f"{self.peak_mb} MB; {said}"
        errors = [line for line in self.stderr.splitlines() if line.startswith("error: ")]
        assert len(errors) == (self.code != 0), said
        assert "Traceback" not in self.stderr, said
        assert "panicked" not in self.stderr, said
        for character in self.stdout + self.stderr:
            assert character in "\n\t" or character.isprintable(), said


class Forks:
    """The parent, from outside."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(
        self,
        *arguments: str,
        cwd: Path,
        limit_s: float = LIMIT_S,
        environment: Mapping[str, str] | None = None,
        program: Path | None = None,
    ) -> Ended:
        """Run one command line to its end, or to its limit: dyno's, or another program's."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {
            "arguments": arguments,
            "cwd": str(cwd),
            "environment": dict(environment or os.environ),
            "limit_s": limit_s,
            "program": str(program) if program else None,
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))


def start_parent() -> Forks:
    """A parent in the network of the thread that calls. It ends with this process: it reads its
    orders from a pipe.
    """
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    atexit.register(process.communicate)
    return Forks(process)


@cache
def forks() -> Forks:
    """The parent that most tests of this process share."""
    return start_parent()


def dyno(
    *arguments: str, cwd: Path | None = None, limit_s: float = 180, **environment: str
) -> subprocess.CompletedProcess[str]:
    """A command line that runs to its end, here or in a folder. What tests break off is started as
    users start it.
    """
    added = {**os.environ, **environment}
    ended = forks().run(*arguments, cwd=cwd or Path.cwd(), limit_s=limit_s, environment=added)
    assert ended.code is not None, f"it took over {limit_s} s\n{ended.stderr}"
    return subprocess.CompletedProcess(arguments, ended.code, ended.stdout, ended.stderr)


def _serve() -> None:
    # What takes the time; nothing of it is used here, so that no thread is there to be forked.
    # Not the command line itself, which reads the environment when it is loaded.
    import altair  # noqa: F401
    import polars  # noqa: F401
    import typer  # noqa: F401

    import dyno.analysis.durability
    import dyno.analysis.why
    import dyno.graph
    import dyno.hosts.group
    import dyno.recorded
    import dyno.report.causes
    import dyno.report.losses
    import dyno.runner.beforehand
    import dyno.runner.crashes
    import dyno.runner.isolation  # noqa: F401

    for line in sys.stdin:
        sys.stdout.write(json.dumps(_one(json.loads(line))) + "\n")
        sys.stdout.flush()


def _one(order: dict[str, Any]) -> dict[str, Any]:
    from tempfile import TemporaryFile

    with TemporaryFile() as stdout, TemporaryFile() as stderr:
        begun = time.monotonic()
        child = os.fork()
        if child == 0:
            _become(order, stdout.fileno(), stderr.fileno())
        while True:
            pid, status, usage = os.wait4(child, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - begun > order["limit_s"]:
                os.kill(child, signal.SIGKILL)
                _, _, usage = os.wait4(child, 0)
                status = -1
                break
            time.sleep(0.005)
        elapsed_s = time.monotonic() - begun
        for stream in (stdout, stderr):
            stream.seek(0)
        return {
            "code": None if status == -1 else os.waitstatus_to_exitcode(status),
            "elapsed_s": elapsed_s,
            "peak_mb": usage.ru_maxrss // 1024,
            "stdout": stdout.read().decode(errors="replace"),
            "stderr": stderr.read().decode(errors="replace"),
        }


def _become(order: dict[str, Any], stdout: int, stderr: int) -> None:
    """Be the command line, and end with it."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.chdir(order["cwd"])
    # Before dyno's own start, which takes passwords out of it.
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = ["dyno", *order["arguments"]]
    code: Any = 1
    try:
        if order["program"]:
            os.execv(order["program"], [order["program"], *order["arguments"]])
        from dyno.cli.main import main

        main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    _serve()
