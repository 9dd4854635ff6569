"""Settings compared as servers mean them, and ratios said in one way."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.analysis.fairness.read_back import differences, mismatches, normal
from dyno.analysis.verdicts.wording import change
from dyno.spec.experiment import Arm
from dyno.spec.server_ref import NamedServer
from dyno.stats import Estimate


@pytest.mark.parametrize(
    ("value", "same"),
    [
        ("8M", "8388608"),
        (True, "ON"),
        ("OFF", "0"),
        ("1G", "1073741824"),
        ("Aria", "ARIA"),
        (5, "5"),
        ("./", "."),
        ("/", "//"),
    ],
)
def test_normal(value: str | int | bool, same: str) -> None:
    assert normal(value) == normal(same)


def arm(**settings: str | int | bool) -> Arm:
    return Arm(name="a", server=NamedServer("s"), settings=settings)


def test_a_server_may_round_down_a_little_but_not_up_or_far() -> None:
    def wrong(seen: str) -> bool:
        declared = arm(tmp_table_size=1_000_000)
        return bool(mismatches(declared, session={"tmp_table_size": seen}, global_={}))

    assert not wrong("999424")
    assert wrong("900000")
    assert wrong("1048576")


def test_a_variable_the_server_lacks_is_a_mismatch() -> None:
    (found,) = mismatches(arm(no_such=1), session={}, global_={})
    assert found.session is None


def test_global_only_variables_are_read_from_there() -> None:
    assert not mismatches(
        arm(key_buffer_size="8M"), session={}, global_={"key_buffer_size": "8388608"}
    )


def test_dashes_are_underscores() -> None:
    assert not mismatches(arm(**{"big-tables": 1}), session={"big_tables": "ON"}, global_={})


def test_weighty_differences_come_first_and_places_do_not_count() -> None:
    found = differences(
        [arm(), Arm(name="b", server=NamedServer("s"))],
        {
            "a": {"zzz": "1", "sort_buffer_size": "1", "socket": "x", "aaa": "1", "only_a": "1"},
            "b": {"zzz": "2", "sort_buffer_size": "2", "socket": "y", "aaa": "2"},
        },
    )
    assert [d.name for d in found] == ["sort_buffer_size", "aaa", "zzz"]


def test_long_lists_show_only_what_differs() -> None:
    sessions = {
        "a": {"optimizer_switch": "x=on,y=on"},
        "b": {"optimizer_switch": "x=on,y=off,z=on"},
    }
    (found,) = differences([arm(), Arm(name="b", server=NamedServer("s"))], sessions)
    assert str(found) == "optimizer_switch: y=on (a); y=off,z=on (b)"


@pytest.mark.parametrize(
    ("ratio", "low", "high", "words"),
    [
        (0.48, 0.46, 0.50, "needs 52 % less time (50 to 54 %; 12 blocks)"),
        (1.31, 1.28, 1.35, "needs 31 % more time (28 to 35 %; 12 blocks)"),
        (3.0, 2.9, 3.2, "needs 3 times the time (2.9 to 3.2 times; 12 blocks)"),
        (1.01, 0.98, 1.04, "needs 1.0 % more time (−2.0 to +4.0 %; 12 blocks)"),
        (0.00123, 0.0008, 0.0019, "needs 99.9 % less time (99.8 to 99.92 %; 12 blocks)"),
        (0.0128, 0.0124, 0.0137, "needs 98.7 % less time (98.6 to 98.8 %; 12 blocks)"),
        (1.995, 1.9, 2.1, "needs 100 % more time (90 to 110 %; 12 blocks)"),
        (0.5, 0.0, math.inf, "needs 50 % less time (no interval yet; 12 blocks)"),
        (0.37, 0.366, 0.374, "needs 63 % less time (62.6 to 63.4 %; 12 blocks)"),
        (0.37, 0.3699, 0.3701, "needs 63 % less time (62.99 to 63.01 %; 12 blocks)"),
        (1.052, 1.0518, 1.0522, "needs 5.2 % more time (5.18 to 5.22 %; 12 blocks)"),
        (0.37, 0.37, 0.37, "needs 63 % less time (63 to 63 %; 12 blocks)"),
    ],
)
def test_change(ratio: float, low: float, high: float, words: str) -> None:
    ends = (math.log(low), math.log(high)) if low else None
    assert change(Estimate(math.log(ratio), ends), n=12) == words


@pytest.mark.parametrize(
    ("ratio", "than", "words"),
    [
        (1.31, "MyISAM's", "is 31 % higher than MyISAM's (18 to 44 %; 12 blocks)"),
        (0.8, "MyISAM's", "is 20 % lower than MyISAM's (12 to 28 %; 12 blocks)"),
        (3.1, "MyISAM's", "is 3.1 times MyISAM's (2.79 to 3.41 times; 12 blocks)"),
        (3.1, None, "is 3.1 times as high (2.79 to 3.41 times; 12 blocks)"),
        (1.01, None, "is 1.0 % higher (−9.1 to +11 %; 12 blocks)"),
    ],
)
def test_change_of_a_throughput(ratio: float, than: str | None, words: str) -> None:
    estimate = Estimate(ratio, (ratio * 0.9, ratio * 1.1)).through(math.log)
    assert change(estimate, n=12, metric="throughput", than=than) == words


@given(st.floats(-800, 3), st.floats(0, 1), st.floats(0, 1), st.sampled_from(["time", "p95"]))
def test_change_never_fails(estimate: float, below: float, above: float, metric: str) -> None:
    seen = Estimate(estimate, (estimate - below, estimate + above))
    text = change(seen, n=8, metric=metric)
    assert text.startswith("needs " if metric == "time" else "is ")
    assert "8 blocks" in text


@pytest.mark.parametrize(
    ("logs", "names"),
    [
        (("OFF", "OFF"), []),
        (("ON", "OFF"), ["log_bin"]),
        (("ON", "ON"), ["sync_binlog"]),
    ],
)
def test_how_often_a_log_is_synced_counts_where_it_is_written(
    logs: tuple[str, str], names: list[str]
) -> None:
    sessions = {
        name: {"log_bin": log, "sync_binlog": sync}
        for name, log, sync in zip("ab", logs, ("0", "1"), strict=True)
    }
    arms = [arm(), Arm(name="b", server=NamedServer("s"))]
    assert [found.name for found in differences(arms, sessions)] == names
