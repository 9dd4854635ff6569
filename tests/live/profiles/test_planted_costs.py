"""A server with a planted slow function: the report names it, with what it costs."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from planted import compiled, planted

TURNS = 50_000
SLOW = """#!/bin/sh
BURN_TURNS={turns} LD_PRELOAD="{home}/slow.so" exec "{program}" "$@"
"""
EXPERIMENT = """
title = "planted"
question = "Which function is slower?"
[[arm]]
name = "plain"
server = "mariadb-debian"
baseline = true
[[arm]]
name = "slow"
server = "planted-slow"
[workload]
kind = "oltp"
script = "oltp_point_select"
tables = 1
table_size = 1000
[protocol]
connections = 2
warmup = "1s"
duration = "4s"
restart = "block"
control = false
blocks = { first = 5, last = 5 }
"""


def turn_us(library: Path) -> float:
    """CPU microseconds of a call of the planted function, as this host runs it now."""
    burn = ctypes.CDLL(str(library)).planted_burn
    begun = time.thread_time()
    for _ in range(2000):
        burn(TURNS)
    return (time.thread_time() - begun) / 2000 * 1e6


@pytest.mark.skipif(shutil.which("perf") is None, reason="needs perf")
def test_a_planted_slow_function_is_first_with_what_it_costs(tmp_path: Path) -> None:
    folder = tmp_path / "slow"
    folder.mkdir()
    (folder / "experiment.toml").write_text(EXPERIMENT)
    with planted("planted-slow", SLOW, turns=TURNS) as home:
        library = home / "slow.so"
        compiled(library, Path(__file__).with_name("slow.c"), "-shared", "-fPIC", "-ldl")
        before_us = turn_us(library)
        argv = [sys.executable, "-m", "dyno.cli.main", "run", str(folder)]
        done = subprocess.run(
            [*argv, "--out", str(tmp_path / "runs")], capture_output=True, text=True, check=False
        )
        after_us = turn_us(library)
    assert done.returncode == 0, done.stderr
    (written,) = (tmp_path / "runs").glob("slow/*/findings.json")
    (found,) = json.loads(written.read_text())["profiles_compared"]
    first = found["rows"][0]
    assert (first["label"], first["module"]) == ("planted_burn", "slow"), found["rows"]
    per_point_us = found["baseline"]["cpu_us_per_op"] / 100
    low_us, high_us = (first[key] * per_point_us for key in ("points_low", "points_high"))
    print(before_us, after_us, low_us, first["points"] * per_point_us, high_us)
    assert low_us <= 1.1 * max(before_us, after_us)
    assert high_us >= 0.9 * min(before_us, after_us)
    assert_sums(found)


def assert_sums(found: dict[str, Any]) -> None:
    for rows in (found["rows"], found["classes"]):
        assert sum(row["points"] for row in rows) == pytest.approx(found["total"], abs=0.01)
