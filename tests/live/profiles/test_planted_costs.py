"""A server with a planted slow function, or a planted sleep: the report names it, with its cost."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from planted import compiled, planted
from thinned import in_test_all

TURNS = 100_000
SLEEP_NS = 1_000_000
# Calls and CPU nanoseconds.
BURNED = struct.Struct("@2L")
PLANTED = """#!/bin/sh
BURNED="{home}/burned" {variable}={value} LD_PRELOAD="{home}/slow.so" exec "{program}" "$@"
"""
EXPERIMENT = """
title = "planted"
question = "What is slower?"
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
connections = {connections}
warmup = "500ms"
duration = "{duration}"
restart = "never"
control = false
blocks = {{ first = {blocks}, last = {blocks} }}
"""
needs_perf = pytest.mark.skipif(shutil.which("perf") is None, reason="needs perf")


@contextmanager
def slow_server(variable: str, value: int) -> Iterator[Path]:
    """A server whose `send` is slower; its home, with the file of what it burned."""
    with planted("planted-slow", PLANTED, variable=variable, value=value) as home:
        source = Path(__file__).with_name("slow.c")
        compiled(home / "slow.so", source, "-shared", "-fPIC", "-ldl")
        burned = home / "burned"
        burned.write_bytes(bytes(BURNED.size))
        burned.chmod(0o666)  # The server runs as another user.
        yield home


def findings_of(folder: Path, **values: object) -> dict[str, Any]:
    (folder / "slow").mkdir()
    (folder / "slow" / "experiment.toml").write_text(EXPERIMENT.format(**values))
    argv = [sys.executable, "-m", "dyno.cli.main", "run", str(folder / "slow")]
    done = subprocess.run(
        [*argv, "--out", str(folder / "runs")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (written,) = (folder / "runs").glob("slow/*/findings.json")
    found: dict[str, Any] = json.loads(written.read_text())
    return found


def burned_us(home: Path) -> float:
    """CPU microseconds of a call of the planted function, over all calls of all servers."""
    calls, cpu_ns = BURNED.unpack((home / "burned").read_bytes())
    return float(cpu_ns / calls / 1000)


@needs_perf
def test_a_planted_slow_function_is_first_with_what_it_costs(tmp_path: Path) -> None:
    # Many short blocks: beside other load one may be several times as slow, which few can't bear.
    with slow_server("BURN_TURNS", TURNS) as home:
        findings = findings_of(tmp_path, connections=2, duration="750ms", blocks=16)
        planted_us = burned_us(home)
    (found,) = findings["profiles_compared"]
    print(planted_us, found["baseline"], found["arm"], *found["rows"][:4], sep="\n")
    # What all functions share stands before them: a server that waits more has colder caches.
    first = next(row for row in found["rows"] if row["kind"] != "common")
    assert (first["label"], first["module"]) == ("planted_burn", "slow"), found["rows"]
    per_point_us = found["baseline"]["cpu_us_per_op"] / 100
    low_us, high_us = (first[key] * per_point_us for key in ("points_low", "points_high"))
    print(low_us, first["points"] * per_point_us, high_us)
    assert low_us <= 1.1 * planted_us
    assert high_us >= 0.9 * planted_us
    for rows in (found["rows"], found["classes"]):
        assert sum(row["points"] for row in rows) == pytest.approx(found["total"], abs=0.01)


@in_test_all
def test_a_planted_sleep_under_a_lock_is_waiting_and_not_cpu(tmp_path: Path) -> None:
    """One of the four connections sleeps, the others wait for the lock: 3 of 4 ms are for it."""
    with slow_server("SLEEP_NS", SLEEP_NS):
        findings = findings_of(tmp_path, connections=4, duration="2s", blocks=3)
    (found,) = findings["latency_split"]
    parts = {part["name"]: part["us"] for part in found["parts"]}
    print(found["total_us"], parts)
    assert sum(parts.values()) == pytest.approx(found["total_us"], abs=0.01)
    assert found["total_us"] > 4 * SLEEP_NS / 1000
    assert max(parts, key=lambda name: parts[name]) == "waiting for locks"
    assert parts["waiting for locks"] > 0.6 * found["total_us"]
    assert parts["asleep"] > 0.1 * found["total_us"]
    assert abs(parts["CPU"]) < 0.1 * found["total_us"]
