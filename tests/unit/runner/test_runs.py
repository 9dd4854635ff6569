"""The parts of a run that need no server: copies, datasets, live arms."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from dyno.home import Home
from dyno.runner.benches import share_copies
from dyno.runner.dataset import dataset_parts, rows_reporter
from dyno.runner.managed import ManagedBench
from dyno.runner.progress import Silent
from dyno.runner.run import dead_arm
from dyno.servers import Installation
from dyno.spec.dataset import data_settings
from dyno.spec.events import PhaseMark
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.read import parse_experiment
from dyno.store.trial import Trial

OLTP = """
title = "T"
question = "Q?"
[[arm]]
name = "a"
baseline = true
server = "mariadb-10.1.8"
[[arm]]
name = "b"
server = "mariadb-10.1.8"
settings = { key_buffer_size = "16M" }
[workload]
kind = "oltp"
script = "oltp_read_write"
tables = 3
table_size = 1000
[sweep]
connections = [8, 64, 1]
[protocol]
blocks = { first = 2, last = 3 }
"""


def plan_of(text: str = OLTP) -> Plan:
    experiment = parse_experiment(tomllib.loads(text), source="x.toml")
    return make_plan(experiment, Options(), name="x")


def benches_of(plan: Plan, path: Path) -> list[ManagedBench]:
    installed = Installation(
        name="m",
        product="mariadb",
        version="1.2.3",
        version_tuple=(1, 2, 3),
        home=path,
        mysqld=path / "mysqld",
        basedir=path,
        share=path,
        plugin_dir=None,
        library_paths=(),
        client=None,
        plugins=(),
        fingerprint="f",
        source="path",
        packages=(),
    )
    return [
        ManagedBench(
            plan=plan,
            arm=arm,
            home=Home(path),
            work=path / f"arm-{index}",
            installation=installed,
            snapshot_key="5" * 64,
        )
        for index, arm in enumerate(plan.arms)
    ]


@pytest.mark.parametrize(
    ("restart", "shared"), [("trial", True), ("block", False), ("never", False)]
)
def test_arms_share_a_copy_only_where_their_servers_take_turns(
    tmp_path: Path, restart: str, shared: bool
) -> None:
    plan = plan_of(OLTP + f'restart = "{restart}"\n')
    a, b = benches_of(plan, tmp_path)
    share_copies([a, b], {})
    assert a.copy is not None
    assert b.copy is not None
    assert (a.copy is b.copy) == shared
    assert (a.copy.path == b.copy.path) == shared
    assert a.stays != shared


def test_a_sweep_restarts_servers_at_each_block() -> None:
    assert plan_of().protocol.restart == "block"


def parts(text: str, arm: int = 0) -> dict[str, Any]:
    plan = plan_of(text)
    settings = data_settings(plan.arms[arm])
    return dict(
        dataset_parts(plan, plan.arms[arm], schema="dyno_x", fingerprint="f", settings=settings)
    )


def test_arms_that_differ_in_caches_alone_have_one_dataset() -> None:
    assert parts(OLTP, 0) == parts(OLTP, 1)


def test_what_a_script_does_with_its_tables_is_not_part_of_them() -> None:
    changed = OLTP.replace("tables = 3", "tables = 3\npoint_selects = 2\nrange_size = 50")
    assert parts(changed) == parts(OLTP)
    assert parts(OLTP.replace("oltp_read_write", "oltp_point_select")) == parts(OLTP)
    assert parts(OLTP.replace("table_size = 1000", "table_size = 1001")) != parts(OLTP)
    assert parts(OLTP.replace("tables = 3", "tables = 3\nsecondary = true")) != parts(OLTP)


class Loads(Silent):
    """A watcher that remembers how datasets grew."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, int, int]] = []

    def loading(self, arm: str, table: str, rows: int, rows_total: int) -> None:
        self.heard.append((table, rows, rows_total))


def test_tables_that_grow_side_by_side_are_added_up() -> None:
    plan = plan_of()
    loads = Loads()
    report = rows_reporter("a", plan.workload.row_count, loads)
    for table, rows in (("sbtest1", 100), ("sbtest2", 50), ("sbtest1", 1000), ("sbtest2", 60)):
        report(
            PhaseMark(
                event="phase",
                phase="load",
                state="progress",
                t_s=0.0,
                table=table,
                rows=rows,
                rows_total=1000,
            )
        )
    report(PhaseMark(event="phase", phase="load", state="end", t_s=1.0))
    assert [(table, rows) for table, rows, _ in loads.heard] == [
        ("sbtest1", 100),
        ("sbtest2", 150),
        ("sbtest1", 1050),
        ("sbtest2", 1060),
    ]
    assert {total for *_, total in loads.heard} == {3000}


def trial(arm: str, status: str, number: int = 1) -> Trial:
    return Trial.model_validate(
        {
            "number": number,
            "arm": arm,
            "block": 0,
            "position": 0,
            "status": status,
            "started_unix_ms": 0,
            "duration_s": 1.0,
        }
    )


def test_an_arm_is_dead_when_it_has_trials_and_no_good_one() -> None:
    a_good = [trial("a", "failed"), trial("a", "failed"), trial("a", "ok")]
    assert dead_arm([*a_good, *[trial("b", "failed")] * 3], ["a", "b"]) == "b"
    assert dead_arm([*a_good, *[trial("b", "failed")] * 2], ["a", "b"]) is None
    assert dead_arm(a_good, ["a", "b"]) is None
