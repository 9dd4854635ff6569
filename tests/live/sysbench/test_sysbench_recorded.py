"""`dyno sysbench --out`: the usual report, and a run folder that says the same."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import OUR_SCRIPTS, SCHEMA, Stand
from waiting import wait_until

from dyno.graph.dyno_run import read as read_for_graph
from dyno.store.run import RunFolder

ROWS = ["--table-size=500", "--tables=1"]
SECONDS = 3
# So few that one event more or less moves their 95th percentile.
FEW = 500


@pytest.fixture
def filled(stand: Stand) -> Iterator[Stand]:
    stand.empty()
    assert stand.run("dyno", "oltp_read_write", *ROWS, "prepare").code == 0
    yield stand
    stand.empty()


def start(stand: Stand, script: str, *options: str) -> subprocess.Popen[str]:
    login = [f"--mysql-socket={stand.server.socket}", "--mysql-user=root", f"--mysql-db={SCHEMA}"]
    argv = [sys.executable, "-m", "dyno.cli.main", "sysbench", script, *login, *ROWS, *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, stdout=pipe, stderr=pipe, text=True, cwd=stand.folder)


def ended(running: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = running.communicate(timeout=300)
    return running.returncode, out, err


@pytest.mark.parametrize(
    ("script", "options"),
    [
        ("oltp_read_only", []),
        (str(OUR_SCRIPTS / "oltp_read_only.lua"), []),
        ("oltp_read_only", ["--rate=40"]),
    ],
    ids=["native", "lua", "rate"],
)
def test_the_folder_has_what_the_report_says(
    filled: Stand, tmp_path: Path, script: str, options: list[str]
) -> None:
    out = tmp_path / "runs" / "one"
    more = [f"--out={out}", "--threads=3", f"--time={SECONDS}", "--warmup-time=1", *options, "run"]
    code, said, err = ended(start(filled, script, *more))
    assert code == 0, said + err
    assert f"report: {out}/report.html" in err
    (trial,) = RunFolder.open(out).trials()
    assert trial.summary is not None
    measured = trial.summary.phase("measure")
    assert measured is not None
    events = int(re.search(r"total number of events: +(\d+)", said)[1])  # type: ignore[index]
    # An event that is under way where the warm-up or the time ends is in one of them, for each of
    # the threads; and on a busy host these ends are milliseconds apart.
    assert measured.ok == pytest.approx(events, rel=0.02, abs=6)
    assert measured.statements is not None
    reads = int(re.search(r"read: +(\d+)", said)[1])  # type: ignore[index]
    # The same holds for their reads, of which each event has as many.
    each = round(reads / events)
    assert measured.statements.read == pytest.approx(reads, rel=0.02, abs=6 * each)
    assert measured.model == ("open" if options else "closed")
    p95_ms = float(re.search(r"95th percentile: +([\d.]+)", said)[1])  # type: ignore[index]
    op = measured.ops[0]
    if events > FEW:
        assert op.p95_ns / 1e6 == pytest.approx(p95_ms, rel=0.1, abs=0.02)
    else:
        # The events on which the two don't agree are enough to move it to a neighbour.
        assert 0.9 * op.p50_ns / 1e6 <= p95_ms <= 1.1 * op.p99_ns / 1e6
    telemetry = RunFolder.open(out).telemetry(1)
    assert telemetry is not None
    assert len(telemetry) >= SECONDS
    (run,) = read_for_graph(out).runs
    assert run.connections == 3
    assert SECONDS - 1 <= len(run.intervals) <= SECONDS
    assert (out / "report.html").stat().st_size > 10_000


def test_what_records_nothing_leaves_no_folder(filled: Stand, tmp_path: Path) -> None:
    out = tmp_path / "none"
    code, _, err = ended(start(filled, "oltp_read_only", f"--out={out}", "help"))
    assert code == 0
    assert "nothing was recorded" in err
    assert not out.exists()
    code, said, _ = ended(start(filled, "oltp_read_only", f"--out={out}", "--time=x", "run"))
    assert code == 1
    assert not out.exists()
    assert "Traceback" not in said


def children(pid: int) -> set[int]:
    """Of all threads of a process, those that only start one not counted."""
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(word) for path in found for word in path.read_text().split()}


def recording(out: Path) -> bool:
    raw = out / "recorded.ndjson"
    return raw.is_file() and raw.read_text().count("\n") > 2


LONG = ("--threads=1", "--time=0", "run")


def test_a_signal_for_dyno_alone_keeps_what_there_is(filled: Stand, tmp_path: Path) -> None:
    out = tmp_path / "broken"
    running = start(filled, "oltp_read_only", f"--out={out}", *LONG)
    wait_until(lambda: recording(out))
    (child,) = children(running.pid)
    running.send_signal(signal.SIGINT)
    code, _, err = ended(running)
    assert code == 130
    assert not Path(f"/proc/{child}").exists()
    (trial,) = RunFolder.open(out).trials()
    assert trial.status == "failed"
    assert RunFolder.open(out).state().state == "interrupted"
    assert "Traceback" not in err
    raw = (out / "recorded.ndjson").read_text()
    kinds = [json.loads(line)["event"] for line in raw.splitlines()]
    assert kinds[:2] == ["hello", "interval"]


def test_ctrl_c_in_a_terminal_reaches_both_once(filled: Stand, tmp_path: Path) -> None:
    out = tmp_path / "broken"
    keyboard, terminal = pty.openpty()
    login = [f"--mysql-socket={filled.server.socket}", "--mysql-user=root", f"--mysql-db={SCHEMA}"]
    dyno = [sys.executable, "-m", "dyno.cli.main", "sysbench", "oltp_read_only"]
    running = subprocess.Popen(
        ["setsid", "-c", "-w", *dyno, *login, *ROWS, f"--out={out}", *LONG],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: recording(out))
        os.write(keyboard, b"\x03")
        code, _, err = ended(running)
    finally:
        os.close(keyboard)
        os.close(terminal)
    assert code == 130, err
    assert "Traceback" not in err
    assert [trial.status for trial in RunFolder.open(out).trials()] == ["failed"]


def test_a_dyno_that_is_killed_takes_the_load_along_and_loses_nothing(
    filled: Stand, tmp_path: Path
) -> None:
    out = tmp_path / "killed"
    running = start(filled, "oltp_read_only", f"--out={out}", *LONG)
    wait_until(lambda: recording(out))
    (child,) = children(running.pid)
    running.kill()
    ended(running)
    wait_until(lambda: not Path(f"/proc/{child}").exists(), 10)
    folder = RunFolder.open(out)
    assert (folder.state().state, folder.done()) == ("running", set())
    report = [sys.executable, "-m", "dyno.cli.main", "report", str(out), "--format", "json"]
    done = subprocess.run(report, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"]["state"] == "interrupted"
    (trial,) = folder.trials()
    assert (trial.status, trial.failure) == ("failed", "the run was broken off")
    intervals = folder.intervals(1)
    assert intervals is not None
    assert len(intervals) > 0
    # It is done once.
    again = subprocess.run(report, capture_output=True, text=True, timeout=300, check=False)
    assert again.returncode == 0
