"""Differences that an experiment doesn't declare are planted, and fairness checks find them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_run import Bench

from dyno.home import Home, find_home
from dyno.servers import install

# Of one suite, so that a library of the second runs in the first. Both have loaders of their own.
SERVER, WITH_TCMALLOC = "mariadb-sid", "mysql-sid"
TCMALLOC = "libtcmalloc_minimal.so.4"
PLANTED = {
    "charset": ("--character-set-server=latin1", ""),
    "binlog": ("--log-bin=on --server-id=1", ""),
    "malloc": ("", TCMALLOC),
}
ARM = """
[[arm]]
name = "{name}"
server = "{server}"
"""
TEXT = """
title = "planted"
question = "Are they equal?"
{arms}
[workload]
kind = "oltp"
script = "oltp_read_write"
tables = 1
table_size = 200
[protocol]
profile = false
connections = 1
blocks = {{ first = 1, last = 1 }}
warmup = "100ms"
duration = "1s"
think = "5ms"
"""


def plant(name: str, options: str, library: str, home: Home) -> Path:
    """An installation that adds options to its program's, or loads a library before all others."""
    origin = install(SERVER, home=home).home
    target = home.servers / f"planted-{name}"
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-al", str(origin), str(target)], check=True)
    file = target / "installation.json"
    said = json.loads(file.read_text())
    file.unlink()  # The copy is a link to the same file.
    before = ""
    if library:
        found = next(install(WITH_TCMALLOC, home=home).home.rglob(library))
        before = f'LD_PRELOAD="{found}" '
    script = target / "planted"
    script.write_text(f'#!/bin/sh\n{before}exec "{target / said["loader"]}" "$@" {options}\n')
    script.chmod(0o755)
    # Another build, so with data of its own.
    ours = {"name": target.name, "loader": script.name, "fingerprint": target.name}
    file.write_text(json.dumps(said | ours))
    return target


@pytest.fixture
def checks(bench: Bench) -> Iterator[dict[str, Any]]:
    """The fairness checks of a run with a plain server and each planted one."""
    home = find_home()
    folders = [plant(name, *how, home) for name, how in PLANTED.items()]
    arms = ARM.format(name="plain", server=SERVER) + "baseline = true\n"
    arms += "".join(ARM.format(name=name, server=f"planted-{name}") for name in PLANTED)
    bench.experiment.write_text(TEXT.format(arms=arms))
    try:
        done = bench.dyno("run", "small/experiment.toml", "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)["fairness"]
        yield {check["name"]: check for check in found}
    finally:
        for folder in folders:
            shutil.rmtree(folder)


def test_each_is_found_and_its_arm_is_named(checks: dict[str, Any]) -> None:
    collations = checks["tables' collations"]
    assert collations["check"] == "warning"
    assert "utf8mb4_uca1400_ai_ci (plain); latin1_swedish_ci (charset)" in collations["details"][0]
    durability = checks["equal durability"]
    assert durability["check"] == "warning"
    assert any("log_bin" in line and "ON (binlog)" in line for line in durability["details"])
    programs = checks["server programs"]
    assert programs["check"] == "warning"
    assert "the same allocator:" in programs["says"]
    assert "of the C library (plain, charset, binlog)" in programs["details"][0]
    assert f"{TCMALLOC}" in programs["details"][0]
