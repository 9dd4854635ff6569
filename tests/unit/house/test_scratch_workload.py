"""A new workload in Rust is a file of its own and a line in each of two others. It is added to a
copy of the crates, as CONTRIBUTING says; then plans may name it, and it makes load. With its Python
in a copy, too, experiments may name it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import scratch_rust
from test_one_place import PACKAGE, add_workload

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dynoload() -> Path:
    return scratch_rust.build()


def plan(folder: Path, **keys: Any) -> str:
    path = folder / "plan.json"
    path.write_text(
        json.dumps(
            {
                "schema": 2,
                "seed": 1,
                "target": {"noop": True},
                "connections": 2,
                "phases": [{"name": "measure", "ops": 100}],
                "workload": {"kind": "scratch", **keys},
            }
        ),
        encoding="utf-8",
    )
    return str(path)


def ran(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_a_plan_may_name_it(dynoload: Path, tmp_path: Path) -> None:
    done = ran(dynoload, "check", plan(tmp_path, number=7))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["workload"] == {"kind": "scratch", "number": 7}


@pytest.mark.parametrize(
    ("keys", "error", "hint"),
    [
        ({"number": 0}, "workload.number: 0", "give a number from 1 to 1000000"),
        ({"numbr": 1}, "workload: unknown key `numbr`", "did you mean `number`?"),
        ({}, "workload: key `number` is missing", "add `number`"),
        ({"kind": "scrach"}, "workload.kind: unknown value `scrach`", "did you mean `scratch`?"),
    ],
)
def test_a_bad_plan_of_it_is_refused_like_any(
    keys: dict[str, Any], error: str, hint: str, dynoload: Path, tmp_path: Path
) -> None:
    done = ran(dynoload, "check", plan(tmp_path, **keys))
    assert done.returncode == 2
    assert done.stderr == f"error: {error}\nhint: {hint}\n"


def test_it_makes_load(dynoload: Path, tmp_path: Path) -> None:
    done = ran(dynoload, "run", plan(tmp_path, number=7))
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout.splitlines()[-1])
    [phase] = summary["phases"]
    assert (phase["ok"], phase["failed"]) == (100, {})
    assert [(op["op"], op["count"]) for op in phase["ops"]] == [("scratch", 100)]


EXPERIMENT = """
title = "One more workload"
question = "Is it known everywhere?"
[[arm]]
name = "old"
baseline = true
server = "mariadb-10.1.8"
[[arm]]
name = "new"
server = "mariadb-10.11.5"
[workload]
kind = "scratch"
number = 7
[[claim]]
says = "the new one is faster"
ratio_of = ["new", "old"]
at_least = 1
"""


def test_an_experiment_may_name_it(dynoload: Path, tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "dyno")
    add_workload(tmp_path / "dyno")
    # Dyno takes the dynoload that lies beside its Python.
    beside = tmp_path / "bin"
    beside.mkdir()
    (beside / "python").symlink_to(sys.executable)
    (beside / "dynoload").symlink_to(dynoload)
    experiment = tmp_path / "scratch.toml"
    experiment.write_text(EXPERIMENT, encoding="utf-8")
    packages = sysconfig.get_paths()["purelib"]
    done = subprocess.run(
        [beside / "python", "-m", "dyno.cli.main", "check", experiment],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}:{packages}", "COLUMNS": "160"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    # A title is as wide as its table.
    assert "Workload: scratch" in " ".join(done.stdout.split())
    assert "throughput of new / old" in done.stdout
