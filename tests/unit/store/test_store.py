"""The run folder: whole or absent, versioned, and never counted twice."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from spec_samples import GOOD

from dyno.errors import StoreError
from dyno.spec.events import Interval, IntervalOp
from dyno.spec.plan import Options, make_plan
from dyno.spec.read import parse_experiment
from dyno.store import files
from dyno.store.run import RunFolder, RunState, intervals_frame, write_parquet
from dyno.store.trial import TelemetryCost, Trial
from dyno.telemetry import Overhead


def new_folder(path: Path) -> RunFolder:
    experiment = parse_experiment(tomllib.loads(GOOD), source="x.toml")
    return RunFolder.create(
        path / "run",
        plan=make_plan(experiment, Options(), name="x"),
        host={"kernel": "6", "governor": None},
        state=RunState(state="running", started_unix_ms=1),
    )


def trial(number: int, **more: Any) -> Trial:
    return Trial(
        number=number,
        arm="a",
        block=0,
        position=0,
        status="ok",
        started_unix_ms=1,
        duration_s=1,
        **more,
    )


def test_a_trial_that_another_host_made_is_as_it_was_there(tmp_path: Path) -> None:
    there, here = new_folder(tmp_path / "there"), new_folder(tmp_path / "here")
    (there.begin_trial(3) / "my.cnf").write_text("[mysqld]")
    made = there.commit_trial(trial(3))
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path in made.iterdir():
            archive.add(path, path.name)
    received = here.receive_trial(3, packed.getvalue())
    assert [t.number for t in here.trials()] == [3]
    names = sorted(path.name for path in made.iterdir())
    assert sorted(path.name for path in received.iterdir()) == names
    assert all((received / name).read_bytes() == (made / name).read_bytes() for name in names)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    folder = new_folder(tmp_path)
    folder.begin_trial(1)
    folder.commit_trial(trial(1))
    again = RunFolder.open(folder.path)
    assert again.plan() == folder.plan()
    assert again.host() == {"kernel": "6", "governor": None}
    assert again.state().state == "running"
    assert [t.number for t in again.trials()] == [1]
    assert again.done() == {1}


def test_every_json_file_says_its_schema(tmp_path: Path) -> None:
    folder = new_folder(tmp_path)
    folder.begin_trial(1)
    folder.commit_trial(trial(1))
    found = list(folder.path.rglob("*.json"))
    schemas = {file.name: json.loads(file.read_text())["schema"] for file in found}
    assert schemas == {"plan.json": 2, "host.json": 1, "run.json": 1, "trial.json": 2}


def test_an_unfinished_trial_does_not_count(tmp_path: Path) -> None:
    folder = new_folder(tmp_path)
    (folder.begin_trial(1) / "junk").write_text("x")
    assert folder.done() == set()
    assert list(folder.begin_trial(1).iterdir()) == []
    folder.drop_partial_trials()
    assert list(folder.trials_path.iterdir()) == []


def test_a_trial_copied_under_another_number_is_refused(tmp_path: Path) -> None:
    folder = new_folder(tmp_path)
    folder.begin_trial(1)
    shutil.copytree(folder.commit_trial(trial(1)), folder.trial_path(2))
    with pytest.raises(StoreError, match="says that it is trial 1"):
        list(folder.trials())


@pytest.mark.parametrize("name", ["plan.json", "host.json", "run.json"])
def test_a_newer_schema_is_refused(tmp_path: Path, name: str) -> None:
    folder = new_folder(tmp_path)
    file = folder.path / name
    document = json.loads(file.read_text())
    file.write_text(json.dumps(document | {"schema": 99}))
    with pytest.raises(StoreError, match="schema 99") as caught:
        (folder.plan(), folder.host(), folder.state())
    assert "newer" in (caught.value.hint or "")


@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": 1}', "\x00"])
def test_a_damaged_file_is_one_line(tmp_path: Path, content: str) -> None:
    folder = new_folder(tmp_path)
    (folder.path / "plan.json").write_text(content)
    with pytest.raises(StoreError) as caught:
        folder.plan()
    assert "plan.json" in caught.value.message


def test_a_folder_that_is_not_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a run folder"):
        RunFolder.open(tmp_path)


def test_a_full_disk_is_an_error_with_a_hint_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = new_folder(tmp_path)
    before = (folder.path / "run.json").read_bytes()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(StoreError, match="disk full") as caught:
        folder.write_state(RunState(state="complete", started_unix_ms=2))
    assert "--resume" in (caught.value.hint or "")
    assert (folder.path / "run.json").read_bytes() == before
    assert not list(folder.path.glob(".*partial"))


def test_intervals_keep_their_histograms(tmp_path: Path) -> None:
    op = IntervalOp(op="q", outcome="ok", count=2, histogram="HISTFAAAA")
    frame = intervals_frame(
        [Interval(event="interval", phase="measure", index=0, t_s=0, duration_s=1, ops=[op])]
    )
    write_parquet(tmp_path / "x.parquet", frame)
    assert frame.row(0, named=True)["histogram"] == "HISTFAAAA"
    assert intervals_frame([]).columns == frame.columns


def test_the_samplers_own_cost_is_taken_over_by_name() -> None:
    overhead = Overhead(
        samples=3, missed=0, cpu_s=0.1, cpu_share_pct=1.5, sample_ms_mean=2.0, sample_ms_max=4.0
    )
    assert TelemetryCost.from_overhead(overhead, {"perf": "absent"}) == TelemetryCost(
        cpu_share_pct=1.5, sample_ms_mean=2.0, sample_ms_max=4.0, unavailable={"perf": "absent"}
    )
