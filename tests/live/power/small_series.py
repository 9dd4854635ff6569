"""A small series on one server, as typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import forks
import pytest

from dyno.power import lacking

needs_power = pytest.mark.skipif(lacking() is not None, reason=str(lacking()))
LEDGER = """
connections = 4
rows = 100
"""
HEAD = """
kind = "durability"
title = "Small"
question = "What is lost?"
{top}
[load]
{load}
[crashes]
kinds = {kinds}
each = {each}
warmup = "{warmup_s}s"
within = "1.5s"
"""
FLUSH_2 = """
[[arm]]
name = "flush 2"
server = "mariadb-debian"
settings = { innodb_flush_log_at_trx_commit = 2, innodb_buffer_pool_size = "64M" }
"""
FLUSH_1 = FLUSH_2.replace("flush 2", "flush 1").replace("commit = 2", "commit = 1")


def write(
    folder: Path,
    arms: str,
    *,
    kinds: list[str],
    each: int = 2,
    top: str = "",
    load: str = LEDGER,
    warmup_s: float = 0.5,
) -> Path:
    """The experiment's folder."""
    path = folder / "small"
    path.mkdir(parents=True, exist_ok=True)
    head = HEAD.format(top=top, load=load, kinds=json.dumps(kinds), each=each, warmup_s=warmup_s)
    (path / "experiment.toml").write_text(head + arms)
    return path


def argv(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "dyno.cli.main", *arguments]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", **more}


def ended(command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """A command that ran to its end, and what it said."""
    return subprocess.run(
        command, capture_output=True, text=True, timeout=500, check=False, env=environment(**more)
    )


def dyno(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return forks.dyno(*arguments, limit_s=500, **environment(**more))


def run(folder: Path, experiment: Path, *options: str) -> dict[str, Any]:
    """What a run of it found."""
    done = dyno("run", str(experiment), "--out", str(folder / "runs"), "--json", *options)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def cell(found: dict[str, Any], arm: str, kind: str) -> dict[str, Any]:
    (one,) = [c for c in found["cells"] if (c["arm"], c["kind"]) == (arm, kind)]
    return dict(one)


def run_folder(folder: Path) -> Path:
    (found,) = (folder / "runs" / "small").iterdir()
    return found
