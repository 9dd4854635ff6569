"""The workload `sysbench`: what an experiment may say, and what dynoload gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dyno.errors import SpecError
from dyno.spec.choose import Options
from dyno.spec.plan import Plan, make_plan
from dyno.spec.read import read_experiment
from dyno.spec.sysbench import LoadScript, SysbenchWorkload

EXPERIMENT = """
title = "t"
question = "q?"
[[arm]]
name = "a"
server = "s"
engine = "Aria"
baseline = true
[[arm]]
name = "b"
server = "s"
create_options = "ROW_FORMAT=COMPRESSED"
[workload]
kind = "sysbench"
script = "scripts/mine.lua"
[workload.options]
tables = 2
table-size = 500
mysql_storage_engine = "{engine}"
create_table_options = "{create_options}"
auto_inc = false
rate-of-it = 0.25
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    scripts = tmp_path / "scripts"
    (scripts / "below").mkdir(parents=True)
    (scripts / "mine.lua").write_text('require("below.helper")\nfunction event() end\n')
    (scripts / "below" / "helper.lua").write_text("-- a helper\n")
    (scripts / "notes.txt").write_text("no script\n")
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    return tmp_path


def plan_of(folder: Path, **options: Any) -> Plan:
    chosen = Options.model_validate({"control": False} | options)
    return make_plan(read_experiment(folder), chosen, name="x")


def workload_of(folder: Path) -> SysbenchWorkload:
    workload = read_experiment(folder).workload
    assert isinstance(workload, SysbenchWorkload)
    return workload


def test_a_run_keeps_the_script_and_what_is_beside_it(folder: Path) -> None:
    workload = workload_of(folder)
    assert workload.script == "mine.lua"
    assert workload.files == {
        "mine.lua": 'require("below.helper")\nfunction event() end\n',
        "below/helper.lua": "-- a helper\n",
    }
    assert workload.ops == ["mine"]
    # A plan that is read again, elsewhere, needs no file.
    assert workload.with_files(Path("/nowhere")) == workload


def test_options_are_text_with_the_arms_storage_in_them(folder: Path) -> None:
    plan = plan_of(folder)
    first, second = (plan.own_workload.for_load(a.engine, a.create_options) for a in plan.arms)
    assert isinstance(first, LoadScript)
    assert isinstance(second, LoadScript)
    assert first.options == {
        "tables": "2",
        "table-size": "500",
        "mysql_storage_engine": "Aria",
        "create_table_options": "",
        "auto_inc": "off",
        "rate-of-it": "0.25",
    }
    assert second.options["mysql_storage_engine"] == "InnoDB"
    assert second.options["create_table_options"] == "ROW_FORMAT=COMPRESSED"
    assert "session" not in json.loads(first.model_dump_json())


def test_the_scale_multiplies_the_rows_of_a_table(folder: Path) -> None:
    workload = workload_of(folder)
    assert (workload.row_count, workload.scaled(0.1).row_count) == (1000, 100)
    assert plan_of(folder, scale=4).own_workload.row_count == 4000
    unknown = workload.model_copy(update={"options": {"rows": 7}})
    assert unknown.scaled(1) == unknown
    with pytest.raises(SpecError, match="no option says how many rows") as caught:
        unknown.scaled(0.5)
    assert "table-size" in str(caught.value.hint)


def test_a_bundled_script_needs_no_file(tmp_path: Path) -> None:
    text = EXPERIMENT.replace("scripts/mine.lua", "oltp_read_only")
    (tmp_path / "experiment.toml").write_text(text)
    workload = workload_of(tmp_path)
    assert (workload.script, workload.files) == ("oltp_read_only", {})


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "can't be read: No such file"), (b"\xff", "is not UTF-8")],
)
def test_a_script_that_cant_be_read_is_one_line(
    folder: Path, content: bytes | None, words: str
) -> None:
    file = folder / "scripts" / "mine.lua"
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SpecError, match=words) as caught:
        read_experiment(folder)
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_a_folder_of_too_many_scripts_is_refused(folder: Path) -> None:
    for number in range(201):
        (folder / "scripts" / f"{number}.lua").write_text("")
    with pytest.raises(SpecError, match="has 203 files of scripts, and a run keeps 200 at most"):
        read_experiment(folder)
