"""What the tools say, read; and what a process costs."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from benches.child import Cost, Line, peak_bytes, process_cpu_s, run
from benches.tools.dynoload import read_events
from benches.tools.sysbench import read_report

from dyno.errors import LoadError

GOLDEN = Path(__file__).parents[2] / "golden" / "load" / "events-oltp.ndjson"
COST = Cost(1.5, 2.5, 2**20)
REPORT = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 1
Report intermediate results every 4 second(s)

Threads started!

[ 5s ] thds: 1 tps: 2000.25 qps: 2000.25 (r/w/o: 2000.25/0.00/0.00) lat (ms,95%): 0.15 err/s: 0.00
SQL statistics:
    queries performed:
        read:                            18724
        write:                           0
        other:                           0
        total:                           18724
    transactions:                        18724  (3120.00 per sec.)
    queries:                             18724  (3120.00 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          6.0002s
    total number of events:              18724

Latency (ms):
         min:                                    0.07
         avg:                                    0.11
         max:                                    5.28
         95th percentile:                        0.15
         sum:                                 1986.16

Threads fairness:
    events (avg/stddev):           18724.0000/0.00
    execution time (avg/stddev):   1.9862/0.00

"""


def timed(text: str) -> list[Line]:
    """Lines, each two seconds and a tenth of a second of CPU after the one before."""
    return [Line(line, 2.0 * n, 0.1 * n) for n, line in enumerate(text.splitlines())]


def test_sysbench_is_read_without_its_warm_up() -> None:
    sample = read_report(timed(REPORT), COST)
    assert sample.ops == 18724 - 8001
    assert sample.elapsed_s == pytest.approx(2.0002)
    assert sample.cpu_s == pytest.approx(0.1)
    assert sample.cost == COST


def test_the_mean_latency_is_finer_than_sysbench_prints_it() -> None:
    sample = read_report(timed(REPORT), COST)
    assert sample.latency_us_mean == pytest.approx(1986.16e3 / 18724)


@pytest.mark.parametrize("lacks", ["total number of events", "[ ", "SQL statistics", "sum:"])
def test_a_report_of_another_kind_is_refused(lacks: str) -> None:
    with pytest.raises(LoadError, match="can't be read"):
        read_report(timed(REPORT.replace(lacks, "")), COST)


def golden_run() -> list[dict[str, Any]]:
    """The first run of the golden events."""
    events = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    end = next(i for i, event in enumerate(events) if event["event"] == "summary")
    return events[: end + 1]


def test_the_events_of_dynoload_are_read() -> None:
    events = golden_run()
    (phase,) = [p for p in events[-1]["phases"] if p["phase"] == "measure"]
    (op,) = phase["ops"]
    edges = [
        i for i, e in enumerate(events) if (e["event"], e.get("phase")) == ("phase", "measure")
    ]
    sample = read_events(timed("\n".join(map(json.dumps, events))), COST)
    assert (sample.ops, sample.elapsed_s) == (phase["ok"], phase["elapsed_s"])
    assert sample.cpu_s == pytest.approx(0.1 * (edges[1] - edges[0]))
    assert sample.latency_us_mean == pytest.approx(op["mean_ns"] / 1e3)
    assert sample.failed == sum(phase["failed"].values()) + phase["reconnects"]


def test_what_failed_and_how_late_ops_were_is_read() -> None:
    events = golden_run()
    (phase,) = [p for p in events[-1]["phases"] if p["phase"] == "measure"]
    phase |= {"failed": {"2013": 3}, "reconnects": 2, "unfinished": 1}
    phase["send_lag"] = {"count": 9, "p50_ns": 1, "p99_ns": 250_000, "max_ns": 9}
    sample = read_events(timed("\n".join(map(json.dumps, events))), COST)
    assert (sample.failed, sample.send_lag_ms_p99) == (6, 0.25)
    phase["send_lag"] = None
    sample = read_events(timed("\n".join(map(json.dumps, events))), COST)
    assert sample.send_lag_ms_p99 is None


def test_a_window_between_two_lines_has_its_own_cost(tmp_path: Path) -> None:
    burn = (
        "import time\n"
        "def burn(s):\n"
        "    end = time.process_time() + s\n"
        "    while time.process_time() < end: pass\n"
        "burn(0.3); print('begin', flush=True); burn(0.2); print('end', flush=True)\n"
    )
    cost, (begin, end) = run([sys.executable, "-c", burn], tmp_path)
    assert (begin.text, end.text) == ("begin", "end")
    assert begin.cpu_s >= 0.3
    assert cost.cpu_s >= end.cpu_s - 0.02 >= begin.cpu_s - 0.02
    assert cost.wall_s >= 0.5


def test_a_last_line_without_an_end_is_a_line(tmp_path: Path) -> None:
    _, lines = run(["printf", r"one\n\ntwo"], tmp_path)
    assert [line.text for line in lines] == ["one", "", "two"]


def test_the_clock_of_a_process_is_its_own() -> None:
    before = process_cpu_s(0)  # Of the caller.
    ours = time.process_time()
    assert before <= ours <= process_cpu_s(0)


def test_a_failed_command_is_reported_with_its_last_lines(tmp_path: Path) -> None:
    script = "import sys\nprint('first')\nsys.exit('last words')"
    with pytest.raises(LoadError, match=r"exit code 1: first / last words") as error:
        run([sys.executable, "-c", script], tmp_path)
    assert error.value.hint is not None
    assert error.value.hint.startswith("run it by hand: ")


def test_the_memory_of_whoever_starts_a_process_is_not_its_own() -> None:
    ballast = bytearray(b"x" * 100_000_000)
    process = subprocess.Popen(["sleep", "60"])
    try:
        peak = peak_bytes(process.pid)
    finally:
        process.kill()
        process.wait()
    assert peak is not None
    assert 0 < peak < len(ballast) / 2
