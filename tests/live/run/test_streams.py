"""Standard output that is full or closed, and a temporary directory without room: one line, and the
exit code of the program. A command that prints nothing there ends as always.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from small_run import Bench
from thinned import WHOLE, thinned

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
# Command, and the exit code where standard output can't be written.
QUICK = [
    ("dyno --help", 5),
    ("dyno --version", 5),
    ("dyno experiments", 5),
    ("dyno experiments --json", 5),
    ("dyno check a-a", 5),
    ("dyno check a-a --json", 5),
    ("dyno servers list", 5),
    ("dyno servers list --json", 5),
    ("dyno sysbench --help", 1),
    ("dyno sysbench oltp_read_only --mysql-host=127.0.0.1 --mysql-port=1 run", 1),
    ("dyno slap --help", 1),
    ("dyno linkbench --help", 5),
]
# Their standard output is never closed: nobody but Dyno starts it.
FULL = [("dynoload --help", 5), ("dynoload --version", 5)]


def ended(command: str, redirected: str, cwd: Path) -> tuple[int, str]:
    done = subprocess.run(
        ["sh", "-c", f"{command} {redirected}"],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


def one_line(said: str) -> bool:
    errors = [
        line for line in said.splitlines() if "Could not write" in line or "can't write" in line
    ]
    return len(errors) == 1 and "Traceback" not in said and "panicked" not in said


REDIRECTED = [">/dev/full", ">&-", ">/dev/full 2>/dev/full"]


@pytest.mark.parametrize("redirected", thinned(REDIRECTED, least=1))
def test_quick_commands(redirected: str, tmp_path: Path) -> None:
    wrong = []
    for command, code in QUICK + (FULL if redirected == ">/dev/full" else []):
        found, said = ended(command, redirected, tmp_path)
        if found != code or ("2>" not in redirected and not one_line(said)):
            wrong.append(f"{command} {redirected}: {found}, {said}")
    assert wrong == []


def test_a_run_and_its_readers(bench: Bench) -> None:
    """What was measured is kept, and the run is whole."""
    for redirected in (">/dev/full", ">&-") if WHOLE else (">/dev/full",):
        code, said = ended("dyno run small --blocks 1", redirected, bench.path)
        assert code == 5, said
        assert one_line(said), said
    for run in (bench.path / "runs" / "small").iterdir():
        code, said = ended(f"dyno report {run} --format json", ">report.json", bench.path)
        assert code == 0, said
        for command in (f"dyno report {run}", f"dyno report {run} --format markdown"):
            code, said = ended(command, ">/dev/full", bench.path)
            assert code == 5, said
            assert one_line(said), said


@needs_root
def test_no_room_for_temporary_files(bench: Bench) -> None:
    """A folder of 4 kB, which its own entries fill."""
    # Where the servers' user can get to, as it can't in a test's own folder.
    small = tempfile.mkdtemp(prefix="test-", dir="/tmp")
    Path(small).chmod(0o755)
    mount = (
        f"mount -t tmpfs -o size=4k,mode=1777 none {small} && head -c 4096 /dev/zero >{small}/full;"
        f"export TMPDIR={small}; unset XDG_RUNTIME_DIR; "
    )
    for command in (
        "dyno run small --blocks 1",
        "dyno check small",
        "dyno check-durability --server mariadb-10.1.8 --kills 1",
    ):
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", mount + command],
            cwd=bench.path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
        errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        assert "Traceback" not in done.stderr, done.stderr
        assert len(errors) == (done.returncode != 0), done.stderr
        if errors:
            assert small in errors[0], errors
            assert "No space left on device" in errors[0], errors
    Path(small).rmdir()
