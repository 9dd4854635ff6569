"""The pictures: valid Vega-Lite, a line an arm, captions with n and spread, nothing made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graph_samples import GOLDEN, SAMPLES, charts_of, graph_of
from vega_lite import validate

from dyno.graph import Wanted, charts, read
from dyno.report.charts import Chart

SUMMARY = "tpcc_2026-11-21_10-00-00.summary.json"
SERIES = "tpcc_2026-11-21_10-00-00.results.csv"


def values_of(part: Any) -> list[dict[str, Any]]:
    """All data of a document, in order."""
    if isinstance(part, list):
        return [value for each in part for value in values_of(each)]
    if not isinstance(part, dict):
        return []
    own = part.get("data", {}).get("values", [])
    return [*own, *(v for key, each in part.items() if key != "data" for v in values_of(each))]


def figures(chart: Chart, arm: str) -> list[dict[str, Any]]:
    return [v for v in values_of(chart.spec) if v.get("arm") == arm and "n" in v]


@pytest.mark.parametrize("name", [*SAMPLES, "all"])
def test_charts_are_vega_lite(name: str) -> None:
    drawn = charts_of(*SAMPLES) if name == "all" else charts_of(name)
    assert drawn
    for chart in drawn.values():
        validate(chart.spec)
        validate(chart.narrow)
        assert chart.caption.endswith(".")


def test_mysqlslap_over_clients_has_a_line_an_engine_with_its_range() -> None:
    drawn = charts_of("slap-engines.csv")
    assert list(drawn) == ["throughput", "seconds"]
    points = figures(drawn["seconds"], "innodb")
    assert [point["level"] for point in points] == [1, 2, 4, 8]
    assert (points[0]["value"], points[0]["low"], points[0]["high"]) == (1.485, 1.151, 1.774)
    queries = figures(drawn["throughput"], "memory")
    assert queries[0]["value"] == pytest.approx(800 / 0.121)
    assert "minimum to maximum" in drawn["seconds"].caption
    assert "doesn't say how many" in drawn["seconds"].caption
    assert "clients x queries per client / seconds" in drawn["throughput"].caption


def test_a_loop_over_threads_is_a_scaling_chart() -> None:
    drawn = charts_of("sysbench-loop.log")
    assert list(drawn) == ["throughput", "latency", "throughput-over-time", "latency-over-time"]
    points = figures(drawn["throughput"], "sysbench-loop")
    assert [(point["level"], point["n"]) for point in points] == [(1, 1), (2, 1), (4, 1), (8, 1)]
    assert all("low" not in point for point in points), "one run has no spread"
    assert "over connections" in drawn["throughput"].title
    assert "one run (n = 1), so it has no spread; 4 runs" in drawn["throughput"].caption


def test_repeated_runs_of_an_arm_are_a_median_with_ends() -> None:
    graph = graph_of("x=sysbench-loop.log", "x=sysbench-0.5.log", "x=sysbench-1.1.log")
    chart = next(chart for chart in charts(graph) if chart.name == "throughput")
    eight = next(p for p in figures(chart, "x") if p["level"] == 8)
    assert eight["n"] == 2
    assert eight["low"] == 403.61
    assert eight["low"] < eight["value"] < eight["high"]
    assert "median of 2 runs" in eight["words"]


def test_units_have_panels_of_their_own() -> None:
    drawn = charts_of("a=slap-engines.csv", "b=sysbench-loop.log")
    titles = [panel["title"]["text"] for panel in drawn["throughput"].spec["vconcat"][1:]]
    assert titles == ["Throughput, queries/s", "Throughput, transactions/s"]
    assert "not the same work" in drawn["throughput"].caption


def test_no_percentile_is_made_up() -> None:
    for name in ("slap-engines.csv", "pgbench-loop.txt", "sysbench-loop.log", "sysbench-p0.log"):
        assert "percentiles" not in charts_of(name)
    assert "latency" not in charts_of("slap-engines.csv")
    pgbench = charts_of("pgbench-loop.txt")["latency"]
    assert "No file holds a percentile" in pgbench.caption
    both = charts_of("a=pgbench-loop.txt", "b=sysbench-loop.log")["latency"]
    assert "No p95 is in the output of a." in both.caption
    titles = [panel["title"]["text"] for panel in both.spec["vconcat"][1:]]
    assert titles == ["p95 latency, ms, log axis", "Mean latency, ms, log axis"]


def test_percentiles_are_those_of_the_file() -> None:
    drawn = charts_of(SERIES, SUMMARY)
    found = [(v["quantile"], v["ms"]) for v in values_of(drawn["percentiles"].spec) if "ms" in v]
    assert found[0] == (0.25, 12.044)
    assert found[-1] == (1.0, 402.311)
    assert len(found) == 7


def test_a_single_level_is_drawn_as_rows() -> None:
    drawn = charts_of("a=sysbench-1.1.log", "b=pgbench-aggregate.log")
    rows = [v["row"] for v in values_of(drawn["throughput"].spec) if "row" in v]
    assert rows == ["a, 4 connections", "b, connections not known"]


def test_a_run_without_connections_says_that_it_has_no_level() -> None:
    drawn = charts_of("a=sysbench-loop.log", "b=pgbench-aggregate.log")
    for name in ("throughput", "latency"):
        assert {v["arm"] for v in values_of(drawn[name].spec) if "n" in v} == {"a"}
        said = "Not drawn: 1 run of b, whose output doesn't say how many connections there were."
        assert said in drawn[name].caption
        assert "; 4 runs" in drawn[name].caption


def test_an_interval_without_requests_is_a_gap_not_a_latency_of_zero() -> None:
    (line,) = [v for v in values_of(charts_of(SERIES)["latency-over-time"].spec) if "t_s" in v]
    assert line["t_s"] == [5, 10, 15, 20]
    assert line["value"][2] is None


def test_the_queue_of_an_open_load_has_a_picture() -> None:
    assert "queue-over-time" in charts_of("sysbench-rate.log")
    assert "queue-over-time" not in charts_of("sysbench-loop.log")


def test_runs_at_several_rates_are_drawn_over_the_rate(tmp_path: Path) -> None:
    one = (GOLDEN / "sysbench-rate.log").read_text()
    log = tmp_path / "rates.log"
    log.write_text(one + one.replace("300/sec", "600/sec"))
    drawn = {chart.name: chart for chart in charts(read([Wanted(str(log))]))}
    assert drawn["throughput"].title == "Throughput, over the offered rate"
    points = figures(drawn["throughput"], "rates")
    assert [point["level"] for point in points] == [300, 600]
    # With a second number of connections the rates are arms of their own, never averaged.
    log.write_text(log.read_text() + one.replace("threads: 2", "threads: 4"))
    arms = read([Wanted(str(log))]).arms
    assert arms == ["rates, 300/s offered", "rates, 600/s offered"]
