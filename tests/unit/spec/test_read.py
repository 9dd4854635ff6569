"""Every mistake in experiment.toml is one line with a hint."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec_samples import GOOD

from dyno.errors import SpecError
from dyno.spec.plan import Options, make_plan
from dyno.spec.read import parse_experiment, read_experiment
from dyno.spec.units import format_bytes, format_duration, parse_duration_s, possessive


def document() -> dict[str, Any]:
    return tomllib.loads(GOOD)


def plan_of(text: str, **options: Any) -> Any:
    experiment = parse_experiment(tomllib.loads(text), source="x.toml")
    return make_plan(experiment, Options(**({"control": False} | options)), name="x")


def test_the_good_one_is_good() -> None:
    plan = plan_of(GOOD)
    assert [arm.name for arm in plan.arms] == ["a", "b"]
    assert plan.claims[0].comparison == 0
    assert plan.comparisons[0].primary


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ('title = "T"', 'titel = "T"', "unknown key 'titel'", "did you mean 'title'?"),
        ('server = "mysql-5.6.24"', 'sever = "m"', "unknown key 'arm[1].sever'", "'server'"),
        ("rows = 100", 'rows = "many"', "workload.table[1].rows", None),
        ("rows = 100", "rows = 0", "workload.table[1].rows", None),
        ('kind = "statements"', 'kind = "oltb"', "workload.kind", "did you mean 'oltp'?"),
        ('kind = "statements"', "", "missing key 'workload.kind'", None),
        ('sql = "SELECT 1"', 'sqk = "x"', "'workload.statement[1].sqk'", "did you mean 'sql'?"),
        ('server = "mysql-5.6.24"', 'server = "m"\ntmpdir = "disc"', "'disc'", "'disk'"),
        ("min = 0, ", "", "needs min", None),
        ("max = 9", "max = 9, length = 3", "has no length", None),
        ("expect = 0.5", "", "exactly one of expect", None),
        ("expect = 0.5", "expect = 0.5\nat_most = 1", "found expect, at_most", None),
        ('title = "T"', "title = ", "x.toml", "valid TOML"),
        ("baseline = true", 'baseline = "perhaps"', "arm[1].baseline", None),
    ],
)
def test_a_mistake_is_named(
    old: str, new: str, message: str, hint: str | None, tmp_path: Path
) -> None:
    assert old in GOOD
    file = tmp_path / "x.toml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(SpecError) as caught:
        read_experiment(file)
    assert message in caught.value.message
    assert "\n" not in caught.value.message
    if hint:
        assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("baseline = true\n", "", "exactly one arm must be the baseline, found none", "baseline"),
        (
            'name = "b"\n',
            'name = "b"\nbaseline = true\n',
            "exactly one arm must be the baseline, found 'a' and 'b'",
            "baseline",
        ),
        ('name = "b"', 'name = "a"', "two arms are named 'a'", "own name"),
        ('ratio_of = ["b", "a"]', 'ratio_of = ["c", "a"]', "there is no arm 'c'", "known: a, b"),
        ('op = "q"', 'op = "r"', "there is no statement 'r'", "known: q"),
    ],
)
def test_references_are_checked(old: str, new: str, message: str, hint: str) -> None:
    assert old in GOOD
    with pytest.raises(SpecError) as caught:
        plan_of(GOOD.replace(old, new, 1))
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


def test_a_claim_names_its_op_where_there_are_two() -> None:
    unnamed = GOOD.replace('op = "q"\n', "")
    assert plan_of(unnamed).comparisons == plan_of(GOOD).comparisons
    two = unnamed.replace(
        "[[claim]]", '[[workload.statement]]\nname = "r"\nsql = "SELECT 2"\n[[claim]]'
    )
    with pytest.raises(SpecError, match="names no op") as caught:
        plan_of(two)
    assert "ARM @ OP" in (caught.value.hint or "")


def test_an_unknown_arm_on_the_command_line_gets_a_suggestion() -> None:
    text = GOOD.replace('"b"', '"Aria 8K"')
    with pytest.raises(SpecError) as caught:
        plan_of(text, arms=("Aria8K",))
    assert caught.value.hint == "did you mean 'Aria 8K'?"


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no experiment at"):
        read_experiment(tmp_path / "none")


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("20m", 1200), ("1h30m", 5400), (7, 7), ("250ms", 0.25)]
)
def test_durations(text: object, seconds: float) -> None:
    assert parse_duration_s(text) == seconds


@pytest.mark.parametrize("text", ["20", "m", "20 minutes", "-3s", "", True])
def test_wrong_durations(text: object) -> None:
    with pytest.raises(ValueError, match="duration"):
        parse_duration_s(text)


@given(st.floats(min_value=0, max_value=1e9))
def test_formats_never_fail_and_have_a_unit(value: float) -> None:
    assert format_duration(value).split()[-1] in ("s", "min", "h")
    assert format_bytes(value).split()[-1] in ("B", "KiB", "MiB", "GiB")


@pytest.mark.parametrize(
    ("name", "whose"), [("MySQL 9.7", "MySQL 9.7's"), ("with GTIDs", "with GTIDs'")]
)
def test_whose_it_is(name: str, whose: str) -> None:
    assert possessive(name) == whose
