"""A run whose arms have a floor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from small_run import Bench

FLOOR = """
title = "small"
question = "What of an insert is the engine's?"
[[arm]]
name = "MyISAM"
baseline = true
server = "mysql-5.6.24"
engine = "MyISAM"
floor = "Blackhole"
[[arm]]
name = "Archive"
server = "mysql-5.6.24"
engine = "ARCHIVE"
floor = "Blackhole"
[[arm]]
name = "InnoDB"
server = "mysql-5.6.24"
engine = "InnoDB"
settings = { innodb_flush_log_at_trx_commit = 2 }
floor = "Blackhole"
[[arm]]
name = "Blackhole"
server = "mysql-5.6.24"
engine = "BLACKHOLE"
[workload]
kind = "accesslog"
rows = 200
[protocol]
profile = false
connections = 4
blocks = { first = 2, last = 2 }
warmup = "500ms"
duration = "1s"
"""


def floored_run(folder: Path) -> tuple[Bench, dict[str, Any]]:
    """The run and its findings."""
    bench = Bench(folder)
    bench.experiment.parent.mkdir()
    bench.experiment.write_text(FLOOR)
    done = bench.dyno("run", "small/experiment.toml", "--json")
    assert done.returncode == 0, done.stderr
    return bench, json.loads(done.stdout)
