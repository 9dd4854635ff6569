"""What the tools say, read; and what a process costs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benches.child import Cost, _peak_bytes, run
from benches.tools.dynoload import read_summary
from benches.tools.sysbench import read_report

from dyno.errors import LoadError

GOLDEN = Path(__file__).parents[2] / "golden" / "load" / "events-oltp.ndjson"
COST = Cost(1.5, 2.5, 2**20)
REPORT = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 1

Threads started!

SQL statistics:
    queries performed:
        read:                            18724
        write:                           0
        other:                           0
        total:                           18724
    transactions:                        18724  (9361.00 per sec.)
    queries:                             18724  (9361.00 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          2.0002s
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


def test_sysbench_is_read_with_a_mean_finer_than_it_prints() -> None:
    sample = read_report(REPORT, COST)
    assert (sample.ops, sample.elapsed_s, sample.cost) == (18724, 2.0002, COST)
    assert sample.latency_us_mean == pytest.approx(1986.16e3 / 18724)


def test_a_report_of_another_kind_is_refused() -> None:
    with pytest.raises(LoadError, match="total number of events"):
        read_report(REPORT.replace("total number of events", "events"), COST)


def test_the_summary_of_dynoload_is_read() -> None:
    lines = GOLDEN.read_text("utf-8").splitlines()
    summary = next(s for s in map(json.loads, lines) if s["event"] == "summary")
    timed = [phase for phase in summary["phases"] if phase["ops"]]
    sample = read_summary({"phases": timed[:1]}, COST)
    assert (sample.ops, sample.elapsed_s) == (timed[0]["ok"], timed[0]["elapsed_s"])
    (op,) = timed[0]["ops"]
    assert sample.latency_us_mean == pytest.approx(op["mean_ns"] / 1e3)
    assert sample.failed == timed[0]["reconnects"]
    lost = timed[0] | {"failed": {"2013": 3}, "reconnects": 2, "unfinished": 1}
    assert read_summary({"phases": [lost]}, COST).failed == 6
    late = timed[0] | {"send_lag": {"count": 9, "p50_ns": 1, "p99_ns": 250_000, "max_ns": 9}}
    assert read_summary({"phases": [late]}, COST).send_lag_ms_p99 == 0.25


def test_the_cost_is_of_the_whole_process(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass\nprint('done')"
    cost, text = run([sys.executable, "-c", burn], tmp_path)
    assert text == "done\n"
    assert 0.3 <= cost.cpu_s < 3
    assert cost.wall_s >= 0.3


def test_a_command_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    script = "import sys\nprint('first')\nsys.exit('last words')"
    with pytest.raises(LoadError, match=r"exit code 1: last words / first") as error:
        run([sys.executable, "-c", script], tmp_path)
    assert error.value.hint is not None
    assert error.value.hint.startswith("run it by hand: ")


def test_the_memory_of_whoever_starts_a_process_is_not_its_own() -> None:
    ballast = bytearray(b"x" * 100_000_000)
    process = subprocess.Popen(["sleep", "60"])
    try:
        peak = _peak_bytes(process.pid)
    finally:
        process.kill()
        process.wait()
    assert peak is not None
    assert 0 < peak < len(ballast) / 2
