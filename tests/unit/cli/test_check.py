"""`dyno check` on a load: every default is shown, and its options become the plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from spec_samples import CLAIM, GOOD, LOAD, SEARCH
from stored_runs import stored_run

from dyno.cli import check as command
from dyno.cli.asked import Asked, plan_from
from dyno.cli.check_tasks import task_rows
from dyno.cli.report import conclude
from dyno.errors import SpecError
from dyno.spec.plan import Plan

Check = Callable[..., str]


@pytest.fixture
def check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Check:
    """What the command prints on a wide screen about an experiment's text."""

    def run(text: str, **options: Any) -> str:
        file = tmp_path / "x.toml"
        file.write_text(text)
        monkeypatch.setattr(command, "out", Console(width=200, highlight=False))
        command.check(str(file), **options)
        return capsys.readouterr().out

    return run


def planned(tmp_path: Path, text: str, **options: Any) -> Plan:
    file = tmp_path / "x.toml"
    file.write_text(text)
    made = plan_from(str(file), Asked(**options))
    assert isinstance(made, Plan)
    return made


def test_a_load_shows_points_protocol_and_every_key(check: Check) -> None:
    said = check(LOAD + CLAIM)
    for part in (
        "1, 8, 64 connections",
        "4 tables of 1,000 rows",
        "special iter=12 pct=1 res=75",
        "range_size=100",
        "create_options=''",
        "closed, think time none",
        "5.0 s to warm up, 20 s measured",
        "started once a block, for all its points",
        "throughput of b / a at 8 connections",
        "26 s a trial; 9 trials a block",
        "control (copy of a)",
        "before trials write to them",
    ):
        assert part in said


def test_a_sweep_of_rates_is_shown_as_an_open_load(check: Check) -> None:
    rates = LOAD.replace("connections = [1, 8, 64]", "rate = [500, 1000]")
    said = check(rates.replace("connections = [1, 8]\n", ""))
    assert "500, 1,000 ops/s" in said
    assert "open, poisson arrivals, over 1 connection" in said


def test_a_budget_without_a_look_is_named(check: Check) -> None:
    assert "the budget holds" not in check(LOAD, quick=True)
    assert "the budget holds 1 of the first look's 8 blocks" in check(LOAD, budget="5m")


def test_blocks_that_give_no_interval_are_named(check: Check) -> None:
    assert "too few for an interval: that takes 6" in check(LOAD, blocks=5)
    assert "too few for an interval" not in check(LOAD, blocks=6)


def test_settings_of_all_arms_stand_once(check: Check) -> None:
    said = check(LOAD + '[settings]\ninnodb_buffer_pool_size = "1G"\n')
    assert said.count("innodb_buffer_pool_size=1G") == 1
    assert "every arm: innodb" in said


def test_the_plan_is_printed_as_json(check: Check) -> None:
    plan = json.loads(check(LOAD, json=True, connections="2,4"))
    assert [point["connections"] for point in plan["points"]] == [2, 4]


def test_connections_and_duration_change_the_plan(tmp_path: Path) -> None:
    made = planned(tmp_path, LOAD, connections="3, 9", duration="90s")
    assert [point.connections for point in made.points] == [3, 9]
    assert made.protocol.duration == 90
    assert made.options.connections == (3, 9)
    assert made.options.duration_s == 90


@pytest.mark.parametrize(
    ("text", "options", "message", "hint"),
    [
        (LOAD, {"connections": "1,x"}, "--connections: 'x'", "1,8,64"),
        (LOAD, {"connections": "0"}, "--connections: '0'", "1 to 10,000"),
        (LOAD, {"connections": "1,,2"}, "--connections: ''", "1,8,64"),
        (LOAD, {"connections": ""}, "--connections: ''", "1,8,64"),
        (LOAD, {"connections": "10001"}, "--connections: '10001'", "1 to 10,000"),
        (LOAD, {"connections": "8,8"}, "8 is given twice", "once"),
        (LOAD, {"duration": "soon"}, "--duration: 'soon' is not a duration", ""),
        (LOAD, {"duration": "200ms"}, "--duration: 0.2 s is too short", "1s"),
        (GOOD, {"duration": "5s"}, "--duration is for load workloads", "rounds"),
    ],
)
def test_a_wrong_option_is_one_line(
    tmp_path: Path, text: str, options: dict[str, str], message: str, hint: str
) -> None:
    with pytest.raises(SpecError) as caught:
        planned(tmp_path, text, **options)
    assert message in caught.value.message
    assert "\n" not in caught.value.message
    assert hint in (caught.value.hint or "")


def test_tasks_are_shown_with_when_they_are_done(check: Check) -> None:
    load = LOAD.replace('duration = "20s"\n', "").replace('duration = "2s"\n', "")
    said = check(
        load
        + """
[[task]]
name = "index"
sql = "ALTER TABLE sbtest1 ADD INDEX k2 (k)"
beside = true
[[task]]
name = "recover"
do = "crash"
arms = ["b"]
compare = "nothing"
"""
    )
    for part in (
        "Tasks of each trial",
        "beside the load, which runs undisturbed 5.0 s before and 5.0 s after; killed after 10 min",
        "alone, after the load; killed after 10 min; only on b; its time isn't compared",
        "measured as long as the tasks take, at most 15 min",
    ):
        assert part in said


def test_a_search_is_shown_with_its_span_and_attempts(tmp_path: Path) -> None:
    made = planned(tmp_path, LOAD + SEARCH + 'arms = ["b"]\n', connections=None, duration=None)
    assert list(task_rows(made)) == [
        (
            "least log",
            "SET GLOBAL innodb_online_alter_log_max_size = …; "
            "ALTER TABLE sbtest1 ADD INDEX k2 (k); ALTER TABLE sbtest1 DROP INDEX k2",
            "beside the load, which runs undisturbed 5.0 s before and 5.0 s after; the least "
            "innodb_online_alter_log_max_size from 64.0 KiB to 64.0 MiB at which it comes to its "
            "end, to within 25 % in about 7 attempts; killed after 10 min; only on b",
        )
    ]


@pytest.mark.slow
def test_the_spread_of_the_newest_whole_run_is_shown(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runs = tmp_path / "runs" / "x"
    folder = stored_run(
        runs, lambda arm, block: 1 + 0.1 * ((block * (7 if arm == "a" else 3)) % 5), blocks=12
    )
    conclude(folder)
    folder.path.rename(runs / "20260101T000000Z-aaaa")
    said = check(GOOD)
    shown = "Spread in runs/x/20260101T000000Z-aaaa, of q, b / a: "
    assert shown in said
    assert "blocks" in said.partition(shown)[2]
    # A newer one that is damaged says nothing, and breaks nothing.
    damaged = runs / "20260102T000000Z-bbbb"
    damaged.mkdir()
    (damaged / "plan.json").write_text("{")
    assert shown in check(GOOD)


def test_without_a_run_there_is_no_spread(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "Spread" not in check(GOOD)
