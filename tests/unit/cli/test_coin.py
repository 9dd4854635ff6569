"""A hint where a figure is likely to be a coin, and none where that isn't known."""

from __future__ import annotations

import os

import pytest

from dyno.cli.coin import coin_hint

RUN = ["oltp_point_select", "--mysql-socket=/x", "run"]


@pytest.mark.parametrize(
    ("door", "words", "hinted"),
    [
        ("sysbench", RUN, True),
        ("sysbench", [*RUN, "--threads=4"], True),
        ("sysbench", ["--num-threads", "2", *RUN], True),
        ("sysbench", [*RUN, "--threads=5"], False),
        ("sysbench", [*RUN, "--threads=x"], False),
        ("sysbench", [*RUN, "--mysql-host=127.0.0.1"], True),
        ("sysbench", [*RUN, "--mysql-host=db.example.net"], False),
        ("sysbench", ["oltp_point_select", "prepare"], False),
        ("slap", ["--concurrency=1"], True),
        ("slap", ["-c", "50"], False),
        ("slap", ["--concurrency=1,50"], False),
        ("linkbench", ["-r"], False),
    ],
)
def test_few_connections_to_this_host_are_hinted_at(
    door: str, words: list[str], hinted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(os.cpu_count() or 1)))
    found = coin_hint(door, words)
    assert (found is not None) == hinted
    if found is not None:
        assert "--placement" in found


def test_bound_threads_are_no_coin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1})
    assert coin_hint("sysbench", RUN) is None
