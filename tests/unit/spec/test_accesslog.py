"""The workload `accesslog` and floors: what an experiment may say, and what dynoload gets."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from stored_runs import plan_of as expand

from dyno.errors import SpecError
from dyno.spec.accesslog import AccessLogWorkload, LoadAccessLog
from dyno.spec.read import read_experiment

LOG = """
title = "t"
question = "q?"
[[arm]]
name = "archive"
server = "s"
engine = "ARCHIVE"
floor = "blackhole"
baseline = true
[[arm]]
name = "blackhole"
server = "s"
engine = "BLACKHOLE"
[workload]
kind = "accesslog"
rows = 1000
"""


def test_the_arm_says_the_engine() -> None:
    plan = expand(LOG)
    assert plan.ops == ["insert"]
    assert plan.workload.writes
    load = plan.workload.for_load(plan.arms[0].engine)
    assert isinstance(load, LoadAccessLog)
    assert (load.engine, load.rows, load.rows_per_insert) == ("ARCHIVE", 1000, 1)


def test_scale_is_of_rows() -> None:
    plan = expand(LOG, scale=0.1)
    assert isinstance(plan.workload, AccessLogWorkload)
    assert plan.workload.rows == 100


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('floor = "blackhloe"', "arm 'archive': floor: there is no arm 'blackhloe'"),
        ('floor = "archive"', "arm 'archive' is its own floor"),
    ],
)
def test_a_floor_is_another_arm(wrong: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        expand(LOG.replace('floor = "blackhole"', wrong))
    assert message in raised.value.message
    assert raised.value.hint


def test_tables_of_statements_may_hold_a_log() -> None:
    text = LOG.partition("[workload]")[0] + (
        '[workload]\nkind = "statements"\n'
        '[[workload.table]]\nname = "accesslog"\ncreate = "CREATE TABLE accesslog (id INT)"\n'
        'rows = 10\ncolumns = "accesslog"\n'
        '[[workload.statement]]\nname = "count"\nsql = "SELECT count(*) FROM accesslog"\n'
    )
    load = expand(text).workload.for_load(None)
    assert load.model_dump()["tables"][0]["columns"] == "accesslog"
    with pytest.raises(SpecError, match="columns"):
        expand(text.replace('columns = "accesslog"', 'columns = "log"'))


def test_a_log_is_found_beside_the_experiment_and_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "rows.tsv").write_text("1\tGET\n")
    text = LOG.replace("rows = 1000", 'log = "rows.tsv"')
    (tmp_path / "experiment.toml").write_text(text)
    workload = read_experiment(tmp_path).workload
    assert isinstance(workload, AccessLogWorkload)
    assert workload.log == str(tmp_path / "rows.tsv")
    assert workload.log_sha256 == hashlib.sha256(b"1\tGET\n").hexdigest()
    assert workload.data_parts(None)["log_sha256"] == workload.log_sha256
    assert "log" not in workload.data_parts(None)
    (tmp_path / "experiment.toml").write_text(
        text.replace('"rows.tsv"', '"rows.tsv"\nlog_sha256 = "0"')
    )
    with pytest.raises(SpecError, match="is another file"):
        read_experiment(tmp_path)
    (tmp_path / "rows.tsv").unlink()
    with pytest.raises(SpecError, match="can't be read"):
        read_experiment(tmp_path)
