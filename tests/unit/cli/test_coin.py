"""A hint where a figure is likely to be a coin, and none where that isn't known."""

from __future__ import annotations

import os
import subprocess
import sys

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


def test_neither_the_doors_nor_their_hint_load_what_they_do_not_need() -> None:
    """They become another program at once: who waits for a report's libraries waits for nothing."""
    code = """
import sys
import dyno.cli.doors
assert "dyno.cli.coin" not in sys.modules
from dyno.cli.coin import coin_hint
coin_hint("sysbench", ["--threads=1", "run"])
print([name for name in ("polars", "pydantic", "numpy", "typer") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
