"""`dyno sysbench --out`: the report as ever, and a run folder that says the same."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import OUR_SCRIPTS, SCHEMA, Stand

from dyno.graph.dyno_run import read as read_for_graph
from dyno.store.run import RunFolder

ROWS = ["--table-size=500", "--tables=1"]
SECONDS = 4
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
    # An event that begins in the warm-up and ends behind it is in one of them.
    assert abs(measured.ok - events) <= 3
    assert measured.statements is not None
    reads = int(re.search(r"read: +(\d+)", said)[1])  # type: ignore[index]
    assert measured.statements.read == pytest.approx(reads, abs=60)
    assert measured.model == ("open" if options else "closed")
    p95_ms = float(re.search(r"95th percentile: +([\d.]+)", said)[1])  # type: ignore[index]
    told = measured.ops[0]
    if events > FEW:
        assert told.p95_ns / 1e6 == pytest.approx(p95_ms, rel=0.1, abs=0.02)
    else:
        # The events on which the two don't agree are enough to move it to a neighbour.
        assert 0.9 * told.p50_ns / 1e6 <= p95_ms <= 1.1 * told.p99_ns / 1e6
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


def test_ctrl_c_keeps_what_there_is(filled: Stand, tmp_path: Path) -> None:
    out = tmp_path / "broken"
    running = start(filled, "oltp_read_only", f"--out={out}", "--threads=2", "--time=60", "run")
    deadline = time.monotonic() + 120
    raw = out / "recorded.ndjson"
    while time.monotonic() < deadline and not (raw.is_file() and raw.read_text().count("\n") > 3):
        time.sleep(0.1)
    # As a terminal does it: to all processes in the foreground.
    (child,) = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    for pid in (int(child), running.pid):
        subprocess.run(["kill", f"-{signal.SIGINT.value}", str(pid)], check=True)
    code, _, err = ended(running)
    assert code != 0
    (trial,) = RunFolder.open(out).trials()
    assert trial.status == "failed"
    assert RunFolder.open(out).state().state == "interrupted"
    assert "Traceback" not in err
    kinds = [json.loads(line)["event"] for line in raw.read_text().splitlines()]
    assert kinds[:2] == ["hello", "interval"]
