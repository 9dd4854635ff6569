"""What each sample gives, as `dyno graph --json` prints it. DYNO_ACCEPT=1 takes new goldens."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from graph_samples import GOLDEN, SAMPLES, graph_of

from dyno.graph import NAMES, Wanted, document, read
from dyno.graph.model import Run

EXPECTED_RUNS = {"sysbench-loop.log": 4, "pgbench-loop.txt": 3, "slap-engines.csv": 12}


def only(name: str) -> Run:
    (run,) = graph_of(name).runs
    return run


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_reads_as_accepted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN)
    found = json.dumps(document(read([Wanted(name)])), indent=1, ensure_ascii=False) + "\n"
    kept = GOLDEN / f"{name}.read.json"
    if os.environ.get("DYNO_ACCEPT") == "1":
        kept.write_text(found, encoding="utf-8")
    assert kept.exists(), f"{kept} is missing; make it with DYNO_ACCEPT=1 and read it"
    assert found == kept.read_text(encoding="utf-8"), "review, then accept with DYNO_ACCEPT=1"


def test_no_golden_is_left_over_and_every_format_has_a_sample() -> None:
    kept = {p.name.removesuffix(".read.json") for p in GOLDEN.glob("*.read.json")}
    assert kept == set(SAMPLES)
    formats = {graph_of(name).readings[0].format for name in SAMPLES}
    assert formats == set(NAMES) - {"dyno"}


@pytest.mark.parametrize("name", EXPECTED_RUNS)
def test_a_loop_gives_a_run_a_level(name: str) -> None:
    found = graph_of(name)
    assert len(found.runs) == EXPECTED_RUNS[name]
    levels = sorted({run.connections for run in found.runs if run.connections})
    assert levels == [1, 2, 4, 8][: len(levels)]
    assert len(levels) >= 3


def test_queries_a_second_of_mysqlslap_are_computed_from_its_times() -> None:
    run = graph_of("slap-engines.csv").runs[0]
    assert run.seconds is not None
    assert run.throughput_per_s is not None
    assert run.seconds.value == 1.485
    assert run.throughput_per_s.value == pytest.approx(800 / 1.485)
    assert run.throughput_per_s.low == pytest.approx(800 / 1.774)
    assert run.throughput_per_s.high == pytest.approx(800 / 1.151)


def test_a_run_too_short_for_its_clock_has_no_queries_a_second(tmp_path: Path) -> None:
    path = tmp_path / "short.csv"
    path.write_text("memory,mixed,0.000,0.000,0.001,1,5\nmemory,mixed,0.004,0.000,0.005,2,5\n")
    first, second = read([Wanted(str(path))]).runs
    assert first.throughput_per_s is None
    assert second.throughput_per_s is not None
    assert second.throughput_per_s.high is None
    assert second.throughput_per_s.low == pytest.approx(2000)


def test_a_histogram_gives_percentiles_that_agree_with_the_tool() -> None:
    run = only("sysbench-histogram.log")
    assert [q for q, _ in run.latency.quantiles] == sorted(q for q, _ in run.latency.quantiles)
    assert run.latency.at(0.5) is not None
    assert run.latency.at(0.9999) is None, "too few ops for it"
    assert run.latency.at(0.5) <= run.latency.at(0.95) <= (run.latency.max_ms or 0) * 1.05


def test_checkpoints_are_parts_and_their_percentiles_are_not_added_up() -> None:
    run = only("sysbench-checkpoints.log")
    assert [each.end_s for each in run.checkpoints] == [1.0, 2.0, 3.0011]
    assert [each.latency.at(0.95) for each in run.checkpoints] == [0.08, 0.05, 0.04]
    assert run.latency.quantiles == ()
    assert run.latency.max_ms == 23.85
    assert run.throughput_per_s is not None
    assert run.throughput_per_s.value == pytest.approx((31031 + 28662 + 26543) / 3.0011, abs=0.01)


@pytest.mark.parametrize("name", ["sysbench-rate.log", "sysbench-cpu-rate.log"])
def test_the_queue_of_an_open_load_is_read(name: str) -> None:
    run = only(name)
    assert run.rate_per_s in (300.0, 50.0)
    assert all(each.queue is not None and each.busy is not None for each in run.intervals)


def test_a_percentile_that_is_switched_off_is_unknown() -> None:
    run = only("sysbench-p0.log")
    assert run.intervals
    assert run.latency.quantiles == ()
    assert all(each.latency.quantiles == () for each in run.intervals)
    assert run.latency.mean_ms == 0.10


def test_older_sysbench_gives_the_same_figures() -> None:
    old, half = only("sysbench-0.4.txt"), only("sysbench-0.5.log")
    assert old.throughput_per_s is not None
    assert (old.connections, old.throughput_per_s.value) == (16, 666.63)
    assert old.latency.at(0.95) == 41.12
    assert [each.end_s for each in half.intervals] == [10.0, 20.0, 30.0]
    assert half.latency.at(0.95) == 32.44


def test_a_failed_run_is_reported_with_its_reason() -> None:
    (reading,) = graph_of("sysbench-failed-first.log").readings
    assert len(reading.found.runs) == 1
    assert (
        "1 of 2 runs have no figures; line 10: FATAL: unable to connect" in reading.found.notes[0]
    )


def test_noise_is_counted_and_not_fatal() -> None:
    (reading,) = graph_of("slap-noise.csv").readings
    assert len(reading.found.runs) == 2
    assert reading.found.other_lines == (3,)
    assert graph_of("sysbench-loop.log").readings[0].found.other_lines[0] == 1


def test_benchbase_s_summary_and_series_become_one_run() -> None:
    found = graph_of(
        "tpcc_2026-11-21_10-00-00.results.csv", "tpcc_2026-11-21_10-00-00.summary.json"
    )
    (run,) = found.runs
    assert run.connections == 8
    assert run.throughput_per_s is not None
    assert run.latency.at(0.99) == pytest.approx(173.204)
    assert [each.end_s for each in run.intervals] == [5.0, 10.0, 15.0, 20.0]
    assert run.intervals[2].latency.mean_ms is None, "-1 stands for no request"


def test_summaries_of_several_terminals_can_follow_each_other(tmp_path: Path) -> None:
    one = (GOLDEN / "tpcc_2026-11-21_10-00-00.summary.json").read_text()
    path = tmp_path / "all.json"
    path.write_text("".join(one.replace('"8"', f'"{n}"') for n in (1, 2, 4)))
    assert [run.connections for run in read([Wanted(str(path))]).runs] == [1, 2, 4]


def test_pgbench_of_all_ages() -> None:
    assert only("pgbench-13.txt").throughput_per_s.value == 507.5625  # type: ignore[union-attr]
    log = only("pgbench-9.6-aggregate.log")
    assert [each.throughput_per_s for each in log.intervals] == [3500.0, 3600.0, 3800.0]
    assert log.connections is None
    epoch = only("pgbench-epoch.txt")
    assert [each.end_s for each in epoch.intervals] == [1.0, 2.0]
    scripts = only("pgbench-scripts.txt")
    assert scripts.latency.mean_ms == 0.523, "of all scripts, not of one"


def test_arms_are_named_by_what_tells_them_apart(tmp_path: Path) -> None:
    assert graph_of("slap-engines.csv").arms == ["innodb", "myisam", "memory"]
    assert graph_of("slap-noise.csv").arms == ["innodb"]
    assert graph_of("A=slap-engines.csv").arms == ["A, innodb", "A, myisam", "A, memory"]
    assert graph_of("sysbench-loop.log").arms == ["sysbench-loop"]
    two = graph_of("sysbench-loop.log", "B=pgbench-loop.txt")
    assert two.arms == ["sysbench-loop", "B"]
    again = tmp_path / "sysbench-loop.log"
    again.write_bytes((GOLDEN / "sysbench-loop.log").read_bytes())
    same = read([Wanted(str(again)), Wanted(str(GOLDEN / again.name))])
    assert same.arms == [f"{tmp_path.name}/sysbench-loop", "graph/sysbench-loop"]
    merged = read([Wanted(str(again), "X"), Wanted(str(GOLDEN / again.name), "X")])
    assert merged.arms == ["X"]
    assert len(merged.runs) == 8
