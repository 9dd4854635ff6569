"""Command lines that were recorded: what is shown of them, and the folders that they become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dyno.analysis import find
from dyno.errors import SpecError, StoreError
from dyno.graph.dyno_run import read as read_for_graph
from dyno.graph.model import Figure
from dyno.recorded import slap, sysbench
from dyno.recorded.made import Made
from dyno.recorded.record import record
from dyno.recorded.typed import read_typed
from dyno.report import render_markdown
from dyno.store.run import RunFolder, RunState


def cell(engine: str | None, clients: int, times_s: list[float]) -> dict[str, Any]:
    return {
        "schema": 1,
        "engine": engine,
        "clients": clients,
        "iterations": [{"time_s": time_s} for time_s in times_s],
    }


def made_of(cells: list[dict[str, Any]], *typed: str) -> Made:
    return slap.file(read_typed(typed), [json.dumps(each) for each in cells], 0)


def stored(path: Path, made: Made) -> RunFolder:
    state = RunState(state="complete", started_unix_ms=0, blocks_done=len(made.plan.orders))
    folder = RunFolder.create(path / "run", plan=made.plan, host={}, state=state)
    for trial in made.trials:
        folder.begin_trial(trial.number)
        folder.commit_trial(trial)
    return folder


@pytest.mark.parametrize(
    "words", [["--out=here"], ["--out", "here"], ["--out", "there", "--out=here"]]
)
def test_out_is_taken_and_the_rest_stays_as_typed(words: list[str]) -> None:
    typed = read_typed(["oltp.lua", *words, "--threads=4", "run"])
    assert typed.out == Path("here")
    assert typed.rest == ["oltp.lua", "--threads=4", "run"]


@pytest.mark.parametrize(
    "word", ["--mysql-password=pw", "--mysql_password=pw", "--pass=pw", "-ppw"]
)
def test_no_password_is_shown(word: str) -> None:
    typed = read_typed([word, "--mysql-port=1"])
    assert typed.rest == [word, "--mysql-port=1"]
    assert "pw" not in " ".join(typed.shown)


@pytest.mark.parametrize(
    "words",
    [["-Dpassword=pw"], ["-D", "password=pw"], ["--D=password=pw"], ["-D", "password", "pw"]],
)
def test_no_password_among_properties_is_shown(words: list[str]) -> None:
    typed = read_typed(["-r", *words, "-L", "/tmp/my-power", "-D", "x=1"])
    assert "pw" not in " ".join(typed.shown)
    assert typed.shown[-3:] == ["/tmp/my-power", "-D", "x=1"]


def test_the_last_value_of_an_option_counts() -> None:
    typed = read_typed(["--threads=1", "--num_threads", "8", "--rate", "5"])
    assert typed.value("--threads", "--num-threads", default="2") == "8"
    assert typed.value("--time", default="10") == "10"
    assert typed.has("--rate")
    assert not typed.has("--rat")


def test_out_without_a_folder_is_refused() -> None:
    with pytest.raises(SpecError, match="--out names no folder"):
        record("sysbench", ["--out=", "run"])
    with pytest.raises(SpecError, match="--out and --json both record"):
        record("slap", ["--out=/nowhere", "--json"])
    with pytest.raises(SpecError, match="--out records requests"):
        record("linkbench", ["--out=/nowhere", "-l"])


def test_a_folder_that_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(StoreError):
        record("slap", [f"--out={tmp_path}"])
    assert (tmp_path / "kept").read_text() == "mine"


def test_interleaved_engines_are_compared_over_iterations(tmp_path: Path) -> None:
    fast = [1.0 + 0.01 * i for i in range(10)]
    slow = [1.5 * time_s for time_s in fast]
    cells = [cell("myisam", 25, fast), cell("archive", 25, slow)]
    findings = find(stored(tmp_path, made_of(cells, "--interleave", "--query=SELECT 1")))
    (compared,) = findings.compared
    assert (compared.numerator_arm, compared.numerator_op) == ("archive", "25 clients")
    assert compared.ratio
    assert compared.ratio.value == pytest.approx(1.5, rel=1e-6)
    assert compared.n == 10
    assert {(t.arm, t.n) for t in findings.times} == {("myisam", 10), ("archive", 10)}
    assert "archive" in render_markdown(findings)
    # What nobody looked at is not called equal.
    assert {check.name: check.check for check in findings.fairness}["equal results"] == "unknown"


def test_engines_one_after_the_other_are_not_compared(tmp_path: Path) -> None:
    cells = [cell("myisam", 1, [1.0] * 8), cell("archive", 1, [2.0] * 8)]
    findings = find(stored(tmp_path, made_of(cells)))
    assert findings.compared == []
    assert [time.median_s for time in findings.times] == [1.0, 2.0]


def test_a_graph_has_a_line_over_clients_for_each_engine(tmp_path: Path) -> None:
    cells = [cell(engine, n, [1.0, 2.0, 6.0]) for engine in ("a", "b") for n in (1, 1000)]
    runs = read_for_graph(stored(tmp_path, made_of(cells)).path).runs
    assert [(run.arm, run.connections) for run in runs] == [
        ("a", 1),
        ("a", 1000),
        ("b", 1),
        ("b", 1000),
    ]
    assert {run.seconds for run in runs} == {Figure(2.0, 1.0, 6.0)}


def test_without_engines_and_with_one_iteration_there_is_still_a_folder(tmp_path: Path) -> None:
    made = made_of([cell(None, 1, [2.0]), cell(None, 8, [3.0])])
    findings = find(stored(tmp_path, made))
    assert [(t.arm, t.op, t.median_s) for t in findings.times] == [
        ("as configured", "1 client", 2.0),
        ("as configured", "8 clients", 3.0),
    ]


def test_a_line_of_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="no result"):
        slap.file(read_typed([]), ['{"schema": 7}'], 0)
    with pytest.raises(ValueError, match=r"."):
        slap.file(read_typed([]), ["nonsense"], 0)


def test_a_run_that_was_broken_off_is_a_failed_trial() -> None:
    hello = {
        "event": "hello",
        "schema": 2,
        "dynoload": "0.1.0",
        "build": "release",
        "pid": 1,
        "unix_ms": 5,
    }
    made = sysbench.file(read_typed(["x.lua", "--threads=3", "run"]), [json.dumps(hello)], 0)
    (trial,) = made.trials
    assert (trial.status, trial.failure) == ("failed", "the run was broken off")
    assert made.plan.points[0].connections == 3
    assert made.plan.arms[0].name == "localhost:3306"
    with pytest.raises(SpecError, match="was recorded"):
        _ = made.plan.own_workload
