"""What no run could be judged by, or would take longer than anybody lives, is refused when read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from dyno.cli.asked import Asked, plan_from
from dyno.errors import SpecError
from dyno.spec.plan import Plan

EXPERIMENT = """
title = "t"
question = "q"
[[arm]]
name = "a"
baseline = true
server = "mariadb"
[[arm]]
name = "b"
server = "mariadb"
[workload]
kind = "statements"
[[workload.table]]
name = "t"
rows = 5
create = "CREATE TABLE t (id INT)"
columns = [{ name = "id", generate = "int", min = 0, max = 9 }]
[[workload.statement]]
name = "all"
sql = "SELECT id FROM t"
[protocol]
rounds = 2
[[claim]]
says = "s"
ratio_of = ["a", "b"]
at_most = 1.1
"""


def plan(path: Path, text: str, **options: Any) -> Plan:
    file = path / "experiment.toml"
    file.write_text(text)
    return read_plan(file, **options)


def read_plan(file: Path, **options: Any) -> Plan:
    made = plan_from(str(file), Asked(**{"seed": 1} | options))
    assert isinstance(made, Plan)
    return made


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("at_most = 1.1", "between = [2.0, 1.0]", "between is 2 to 1"),
        ("at_most = 1.1", "between = [0.0, 1.1]", "can't be 0"),
        ("at_most = 1.1", "between = [0.5, inf]", "not a number"),
        ("at_most = 1.1", "at_most = nan", "not a number"),
        ("at_most = 1.1", "at_most = -1", "can't be -1"),
        ("at_most = 1.1", "at_least = 1e300", "can't be 1e+300"),
        ('["a", "b"]', '["a", "a"]', "itself"),
        ('name = "b"', 'name = "b\\u001b[31m"', "control character"),
        ('name = "b"', 'name = "b\\u202e"', "control character"),
        ('name = "b"', f'name = "{"b" * 81}"', "80"),
        ('name = "all"', f'name = "{"x" * 61}"', "60"),
        ('title = "t"', f'title = "{"t" * 301}"', "300"),
        ("rows = 5", "rows = true", "true or false for a number"),
        ("rows = 5", "rows = 9223372036854775807", "1000000000000"),
        ("rows = 5", f"rows = {'9' * 50}", "64 bits"),
        ("rows = 5", f"rows = 5\nx = {'[' * 50}{']' * 50}", "40 deep"),
        ("rounds = 2", "rounds = 60_000\nwarmup_rounds = 60_000", "120,000 executions"),
        ("rounds = 2", "timeout = '0s'", "greater than 0"),
        ("rounds = 2", "budget = '1000d'", "100 days"),
        ("rounds = 2", "blocks = { first = 2, last = 900 }", "200"),
        ("# end", f"#{' ' * 262_144}", "longer than"),
    ],
)
def test_a_file_out_of_bounds_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = EXPERIMENT + "# end"
    plan(tmp_path, text)
    assert old in text
    with pytest.raises(SpecError) as refused:
        plan(tmp_path, text.replace(old, new, 1))
    assert says in refused.value.message
    assert len(refused.value.message) < 1000


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"scale": float("inf")}, "--scale"),
        ({"scale": float("nan")}, "--scale"),
        ({"scale": 1e300}, "--scale"),
        ({"seed": 10**30}, "--seed"),
        ({"budget": "9" * 400 + "d"}, "9999"),
        ({"blocks": 201}, "blocks"),
        ({"server": ["mysql://u:hunter2@h:99999/"]}, "port"),
        ({"server": ["mysql:/u:hunter2@h"]}, "address"),
        ({"server": ["u:hunter2@h"]}, "address"),
    ],
)
def test_options_out_of_bounds_are_refused(
    tmp_path: Path, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(SpecError) as refused:
        plan(tmp_path, EXPERIMENT, **options)
    said = f"{refused.value.message} {refused.value.hint}"
    assert says in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("way", "says"),
    [("pipe", "a named pipe"), ("device", "a device"), ("folder", "no experiment at")],
)
def test_what_is_not_a_file_is_not_read(tmp_path: Path, way: str, says: str) -> None:
    file = tmp_path / "experiment.toml"
    if way == "pipe":
        os.mkfifo(file)
    elif way == "folder":
        file.mkdir()
    else:
        file.symlink_to("/dev/zero")
    with pytest.raises(SpecError, match=says):
        read_plan(file)
