"""Counters that moved: an event that two products name differently is one event."""

from __future__ import annotations

from dyno.analysis.costs.model import Counters, Moved
from dyno.analysis.costs.moved import moved
from dyno.analysis.verdicts.model import Compared
from dyno.stats import Estimate


def named(mariadb: dict[str, float], mysql: dict[str, float]) -> list[Moved]:
    compared = Compared(
        numerator_arm="MariaDB",
        numerator_op="q",
        denominator_arm="MySQL",
        denominator_op="q",
        primary=True,
        n=8,
        ratio=Estimate(0.5, (0.4, 0.6)),
        mean=None,
        tail_driven=False,
        p=0.01,
        holm_p=0.01,
        mde=None,
        state="different",
        sentence="",
        blocks=[],
    )
    counters = [
        Counters(arm=arm, op="q", status=status, host={})
        for arm, status in (("MariaDB", mariadb), ("MySQL", mysql))
    ]
    return moved(counters, [compared])


def test_the_same_event_under_two_names_did_not_move() -> None:
    mariadb = {"Handler_write": 0.0, "Handler_tmp_write": 100_000.0}
    assert named(mariadb, {"Handler_write": 100_000.0}) == []


def test_one_that_moved_stands_once_with_both_names_and_their_sum() -> None:
    mariadb = {"Key_read_requests": 10.0, "Aria_pagecache_read_requests": 500_000.0}
    (found,) = named(mariadb, {"Key_read_requests": 20_000.0})
    assert found.counter == "Key_read_requests / Aria_pagecache_read_requests"
    assert (found.value, found.baseline_value) == (500_010, 20_000)


def test_where_both_servers_tell_them_apart_each_stands_for_itself() -> None:
    """One server whose arms keep temporary tables in different engines: that is the finding."""
    aria = {"Key_read_requests": 0.0, "Aria_pagecache_read_requests": 500_000.0}
    myisam = {"Key_read_requests": 500_000.0, "Aria_pagecache_read_requests": 0.0}
    found = {m.counter: (m.value, m.baseline_value) for m in named(aria, myisam)}
    assert found == {
        "Key_read_requests": (0, 500_000),
        "Aria_pagecache_read_requests": (500_000, 0),
    }


def test_other_counters_are_as_they_were() -> None:
    (found,) = named({"Handler_read_next": 10.0}, {"Handler_read_next": 1000.0})
    assert (found.counter, found.value, found.baseline_value) == ("Handler_read_next", 10, 1000)
