"""The report and the interim lines: byte for byte in the layout of sysbench 1.0."""

from __future__ import annotations

import pytest
from programs import PROGRAMS, Stand, run
from report_parser import ReportError, Run, Values, read_run

pytestmark = pytest.mark.parametrize("program", PROGRAMS)

ROWS = ["--table-size=100"]


def oltp(stand: Stand, program: str, *options: str, code: int = 0) -> Run:
    """A run of point selects whose report is read."""
    assert stand.run(program, "oltp_point_select", *ROWS, "prepare").code == 0
    ran = stand.run(program, "oltp_point_select", *ROWS, *options, "run")
    assert ran.code == code, ran.stdout + ran.stderr
    return read_run(ran.stdout)


def times_are_seconds(intervals: list[Values], total_s: float) -> None:
    """Of a run of 3 s, and of more where the last answers were late: whether a line falls before
    the end is chance, and a busy host skips one.
    """
    times = [float(one["time_s"]) for one in intervals]
    assert times
    assert times == sorted(set(times).intersection(range(1, round(total_s) + 1)))
    # At the third second threads may be done already.
    assert all(one["threads"] == 2 for one in intervals if float(one["time_s"]) < 3)
    assert all(one["threads"] in (0, 1, 2) for one in intervals)


def test_a_short_run(stand: Stand, program: str) -> None:
    report = oltp(stand, program, "--events=100", "--rand-seed=7", "--threads=2").final
    assert report["events"] == report["transactions"] == report["reads"] == 100
    assert report["total"] == report["queries"] == 100
    assert report["writes"] == report["other"] == report["errors"] == 0
    assert report["events_avg"] == 50
    assert report["percentile"] == 95
    assert 0 < report["min_ms"] <= report["avg_ms"] <= report["max_ms"]
    assert abs(report["sum_ms"] - 100 * report["avg_ms"]) <= 0.5


def test_intervals_add_up(stand: Stand, program: str) -> None:
    found = oltp(stand, program, "--time=3", "--report-interval=1", "--threads=2")
    times_are_seconds(found.intervals, found.final["total_time_s"])
    for interval in found.intervals:
        # Two threads count while a third reads: of each, one event may be in one count and not yet
        # in another, at both ends of a second.
        counts = [float(interval[name]) for name in ("tps", "reads", "qps")]
        assert max(counts) - min(counts) <= 4.1
    assert any(float(interval["latency_ms"]) > 0 for interval in found.intervals)
    rate = found.final["tps"]
    rates = [float(i["tps"]) for i in found.intervals]
    assert 0.2 * rate < sum(rates) / len(rates) < 2 * rate
    assert 3 <= found.final["total_time_s"] < 9


def test_the_histogram_holds_every_event(stand: Stand, program: str) -> None:
    report = oltp(stand, program, "--events=500", "--histogram").final
    assert sum(count for _, count in report.histogram) == 500
    values = [value for value, _ in report.histogram]
    assert values == sorted(values)
    # The percentile is a bucket's value.
    rank = 0
    for value, count in report.histogram:
        rank += count
        if rank >= 475:
            assert abs(value - report["percentile_ms"]) < 0.006
            break


def test_every_setting_is_listed(stand: Stand, program: str) -> None:
    # Interim lines and checkpoints come from threads of their own, so not at the same second.
    options = ["--rate=100", "--report-interval=2", "--report-checkpoints=1,3", "--validate"]
    options += ["--forced-shutdown=30", "--rand-seed=5", "--time=4", "--percentile=99"]
    found = oltp(stand, program, *options)
    assert found.settings["rate"] == 100
    assert found.settings["report_interval_s"] == 2
    assert found.settings["checkpoints"] == "1, 3"
    assert found.settings["seed"] == 5
    assert found.settings["forced_shutdown_s"] == 34
    assert len(found.checkpoints) == 2
    assert found.queues
    assert len(found.intervals) - len(found.queues) in (0, 1)
    assert found.final["percentile"] == 99
    # A checkpoint resets the counts, but not the time: the counts add up to all events, about
    # 100 a second, of which it is chance how many fall on which side of a checkpoint.
    events = [report["events"] for report in (*found.checkpoints, found.final)]
    assert all(n > 0 for n in events)
    time_s = found.final["total_time_s"]
    assert time_s >= 3.9
    assert 40 * time_s < sum(events) < 140 * time_s


def test_no_percentile(stand: Stand, program: str) -> None:
    assert "percentile_ms" not in oltp(stand, program, "--events=10", "--percentile=0").final.values


def test_without_sql(stand: Stand, program: str) -> None:
    (script := stand.folder / "idle.lua").write_text(
        'ffi.cdef("int usleep(unsigned int);")\nfunction event() ffi.C.usleep(20000) end\n'
    )
    options = ["--time=2", "--report-interval=1", "--rate=20"]
    found = read_run(
        run(program, script.name, *options, "run", folder=stand.folder).stdout, sql=False
    )
    script.unlink()
    assert found.queues
    assert all(float(i["latency_ms"]) >= 20 for i in found.intervals)
    assert found.final["min_ms"] >= 20


DIFFERENT = [
    ("transactions:  ", "transactions: "),
    ("err/s: 0.00", "err/s 0.00"),
    ("General statistics:", "General statistics"),
    ("Latency (ms):\n", "\nLatency (ms):\n"),
    ("\nThreads started!", "Threads started!"),
    (" per sec.)\n    queries:", " per sec.) \n    queries:"),
]


def test_the_reader_refuses_what_differs(stand: Stand, program: str) -> None:
    assert stand.run(program, "oltp_point_select", *ROWS, "prepare").code == 0
    options = [*ROWS, "--time=2", "--report-interval=1"]
    text = stand.run(program, "oltp_point_select", *options, "run").stdout
    read_run(text)
    for old, new in DIFFERENT:
        assert old in text
        with pytest.raises(ReportError):
            read_run(text.replace(old, new, 1))
