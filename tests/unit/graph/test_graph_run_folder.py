"""Run folders of Dyno as input: trials of known truth, beside output of another tool."""

from __future__ import annotations

from pathlib import Path

import load_runs
import pytest
from graph_samples import GOLDEN
from stored_runs import stored_run

from dyno.graph import Wanted, charts, read
from dyno.store.trial import Trial


def rate(arm: str, point: int) -> float:
    return 100.0 * (point + 1) * (2 if arm == "b" else 1)


def test_every_good_trial_is_a_run(tmp_path: Path) -> None:
    plan = load_runs.plan()

    def spoil(trial: Trial) -> Trial:
        change = {"void": "the generator was the limit"} if trial.number == 1 else {}
        return trial.model_copy(update=change)

    folder = load_runs.load_run(
        tmp_path, load_runs.at_rate(rate), blocks=2, plan=plan, change=spoil
    )
    graph = read([Wanted(str(folder.path))])
    trials = 2 * len(plan.arms) * len(plan.points)
    assert len(graph.runs) == trials - 1
    assert "1 of" in graph.readings[0].found.notes[0]
    assert set(graph.arms) == {arm.name for arm in plan.arms}
    for arm, run in graph.named:
        index = [point.connections for point in plan.points].index(run.connections or 0)
        assert run.throughput_per_s is not None
        assert run.throughput_per_s.value == pytest.approx(rate(arm, index), rel=0.02)
        assert len(run.intervals) == load_runs.SECONDS
        assert all(each.latency.at(0.95) for each in run.intervals)
        assert run.latency.at(0.5) == pytest.approx(4.0, rel=0.05)
        assert run.latency.at(0.9999) is None
    names = [chart.name for chart in charts(graph)]
    assert names[:3] == ["throughput", "latency", "percentiles"]


def test_a_run_folder_beside_another_tool(tmp_path: Path) -> None:
    folder = load_runs.load_run(tmp_path, load_runs.at_rate(rate), blocks=1, plan=load_runs.plan())
    log = str(GOLDEN / "sysbench-loop.log")
    graph = read([Wanted(str(folder.path), "mine"), Wanted(log, "theirs")])
    assert "theirs" in graph.arms
    assert all(arm.startswith("mine, ") for arm in graph.arms if arm != "theirs")


def test_statements_are_seconds_over_all_blocks(tmp_path: Path) -> None:
    folder = stored_run(tmp_path, lambda arm, block: 1.0 + block + (arm == "b"), blocks=3)
    graph = read([Wanted(str(folder.path))])
    ends = {
        arm: (run.seconds.low, run.seconds.value, run.seconds.high)
        for arm, run in graph.named
        if run.seconds is not None
    }
    assert ends == {"a": (1.0, 2.0, 3.0), "b": (2.0, 3.0, 4.0)}
    assert [chart.name for chart in charts(graph)] == ["seconds"]
