"""What load trials leave in a run folder, and trials from before there were any."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec_samples import GOOD, LOAD

from dyno.spec.events import Bin, Interval, IntervalOp
from dyno.spec.plan import Options, make_plan
from dyno.spec.read import parse_experiment
from dyno.store.run import RunFolder, RunState, bins_frame, intervals_frame, write_parquet
from dyno.store.trial import PhaseCost, ProfileLine, Trial


def new_folder(path: Path, text: str = LOAD) -> RunFolder:
    experiment = parse_experiment(tomllib.loads(text), source="x.toml")
    return RunFolder.create(
        path / "run",
        plan=make_plan(experiment, Options(), name="x"),
        host={},
        state=RunState(state="running", started_unix_ms=1),
    )


def trial(**more: Any) -> Trial:
    keys: dict[str, Any] = {
        "number": 1,
        "arm": "a",
        "block": 0,
        "position": 0,
        "status": "ok",
        "started_unix_ms": 1,
        "duration_s": 1,
    }
    return Trial(**keys | more)


def interval(index: int, ended: int | None, **more: Any) -> Interval:
    op = [IntervalOp(op="x", outcome="ok", count=ended, histogram="H")] if ended else []
    return Interval(
        event="interval",
        phase="measure",
        index=index,
        t_s=5.0 + index,
        duration_s=1.0,
        ops=op,
        **more,
    )


def test_a_load_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    folder = new_folder(tmp_path)
    plan = RunFolder.open(folder.path).plan()
    assert plan == folder.plan()
    assert plan.is_load
    assert {turn.point for turn in plan.orders[0]} == {0, 1, 2}


def test_what_a_load_trial_stored_is_read_back(tmp_path: Path) -> None:
    folder = new_folder(tmp_path)
    folder.begin_trial(1)
    written = trial(
        point=2,
        void="generator-bound: 80 % of all CPU time",
        phases={"measure": PhaseCost(cpu_user_s=1.0, cpu_system_s=0.5, context_switches=7)},
        status_by_phase={"measure": {"Com_commit": 5, "Innodb_x": -1}},
        profile=[ProfileLine(share_pct=3.5, symbol="f", object="mariadbd")],
    )
    folder.commit_trial(written)
    (read,) = folder.trials()
    assert read == written
    assert read.phases["measure"].cpu_s == 1.5
    assert not read.is_good


def test_a_trial_counts_if_it_neither_failed_nor_is_void() -> None:
    assert trial().is_good
    assert not trial(void="generator-bound").is_good
    assert not trial(status="failed", failure="why").is_good


def test_an_unknown_cost_is_unknown_and_not_nothing() -> None:
    assert PhaseCost(cpu_user_s=1.0).cpu_s is None


def test_a_trial_of_schema_1_is_read(tmp_path: Path) -> None:
    folder = new_folder(tmp_path, GOOD)
    folder.begin_trial(1)
    path = folder.commit_trial(trial()) / "trial.json"
    document = json.loads(path.read_text())
    for key in ("phases", "status_by_phase", "profile"):
        del document[key]
    path.write_text(json.dumps(document | {"schema": 1}))
    # Folders of that time have no sums.
    (path.parent / "SHA256SUMS").unlink()
    (read,) = folder.trials()
    assert read == trial()


def test_intervals_without_ops_keep_their_second() -> None:
    frame = intervals_frame([interval(0, 3, retries=2, backlog=4), interval(1, None)])
    assert frame["index"].to_list() == [0, 1]
    assert frame["op"].to_list() == ["x", ""]
    assert frame["count"].to_list() == [3, 0]
    assert frame["retries"].to_list() == [2, 0]
    assert frame["backlog"].to_list() == [4, None]


@given(st.lists(st.integers(0, 5), max_size=20))
def test_no_interval_and_no_op_is_lost(counts: list[int]) -> None:
    frame = intervals_frame([interval(index, count) for index, count in enumerate(counts)])
    assert frame["count"].sum() == sum(counts)
    assert frame["index"].n_unique() == len(counts)


def test_bins_stand_on_the_clock_of_their_interval() -> None:
    bins = [Bin(ended=n, heartbeat_late_ms=0.0) for n in range(10)]
    frame = bins_frame([interval(0, 3, bins=bins), interval(1, 3, bins=bins[:2])])
    assert frame["t_s"].to_list()[:2] == [5.0, 5.1]
    assert frame["t_s"].to_list()[-2:] == [6.0, 6.1]
    assert frame["ended"].sum() == 46
    assert bins_frame([]).columns == ["phase", "t_s", "ended", "heartbeat_late_ms"]


def test_frames_are_read_from_the_folder(tmp_path: Path) -> None:
    folder = new_folder(tmp_path)
    partial = folder.begin_trial(1)
    frame = intervals_frame([interval(0, 3)])
    write_parquet(partial / "intervals.parquet", frame)
    folder.commit_trial(trial())
    read = folder.intervals(1)
    assert read is not None
    assert read.equals(frame)
    assert folder.bins(1) is None
    assert folder.telemetry(1) is None
    assert folder.intervals(2) is None


@pytest.mark.parametrize("column", ["retries", "backlog"])
def test_intervals_of_schema_1_have_nulls_where_nothing_was_stored(
    tmp_path: Path, column: str
) -> None:
    folder = new_folder(tmp_path)
    partial = folder.begin_trial(1)
    old = intervals_frame([interval(0, 3)]).drop("retries", "backlog")
    write_parquet(partial / "intervals.parquet", old)
    folder.commit_trial(trial())
    read = folder.intervals(1)
    assert read is not None
    assert read.columns == intervals_frame([]).columns
    assert read[column].to_list() == [None]
    assert read.schema[column] == pl.Int64
