"""A small experiment on a real server, run through the command line as a user would."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forks import dyno
from waiting import wait_until

EXPERIMENT = """
title = "small"
question = "Are two names of one server equal?"
[[arm]]
name = "A"
baseline = true
server = "mariadb-10.1.8"
[[arm]]
name = "B"
server = "mariadb-10.1.8"
settings = { key_buffer_size = "16M" }
[workload]
kind = "statements"
[[workload.table]]
name = "t"
rows = 2000
create = "CREATE TABLE t (id INT, v VARCHAR(200)) ENGINE={engine}"
columns = [
  { name = "id", generate = "int", min = 0, max = 999 },
  { name = "v", generate = "hex", length = 20, distinct = 1000000 },
]
[[workload.statement]]
name = "sum"
sql = "SELECT id % 10 k, count(*), sum(length(v)) FROM t GROUP BY k"
[[workload.statement]]
name = "wait"
sql = "SELECT SLEEP(0.2)"
[protocol]
blocks = { first = 2, last = 3 }
expected_trial = "1s"
"""

# It thinks and has no profile, so that tests beside it have a CPU, too.
LOAD = """
title = "small"
question = "Are two names of one server equal under load?"
[[arm]]
name = "A"
baseline = true
server = "mariadb-10.1.8"
[[arm]]
name = "B"
server = "mariadb-10.1.8"
settings = { key_buffer_size = "16M" }
[workload]
kind = "oltp"
script = "oltp_read_write"
tables = 2
table_size = 500
[sweep]
connections = [1, 4]
[protocol]
profile = false
blocks = { first = 2, last = 2 }
warmup = "200ms"
duration = "1s"
think = "20ms"
"""


@dataclass
class Bench:
    """A folder with an experiment and the command line."""

    path: Path

    @property
    def experiment(self) -> Path:
        return self.path / "small" / "experiment.toml"

    def argv(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "dyno.cli.main", *arguments]

    def dyno(self, *arguments: str, timeout_s: float = 180) -> subprocess.CompletedProcess[str]:
        return dyno(*arguments, cwd=self.path, limit_s=timeout_s)

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.argv(*arguments),
            cwd=self.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def begin_until(self, seen: Callable[[], object], *arguments: str) -> subprocess.Popen[str]:
        """One that is still running when `seen` comes true."""
        running = self.begin(*arguments)
        wait_until(lambda: running.poll() is not None or seen())
        assert running.poll() is None, running.communicate()
        return running

    def has_planned(self, trial: int) -> bool:
        """Whether a trial of this number has begun."""
        return bool(list(self.path.glob(f"runs/small/*/trials/.{trial:04d}.partial/load.json")))

    def edit(self, old: str, new: str) -> None:
        text = self.experiment.read_text()
        assert old in text
        self.experiment.write_text(text.replace(old, new, 1))

    def write_script(self, experiment: str, script: str, helper: str) -> None:
        """The experiment, with script/mine.lua and script/lib/helper.lua beside it."""
        folder = self.experiment.parent / "script"
        (folder / "lib").mkdir(parents=True)
        self.experiment.write_text(experiment)
        (folder / "mine.lua").write_text(script)
        (folder / "lib" / "helper.lua").write_text(helper)

    def run_folder(self) -> Path:
        (folder,) = (self.path / "runs" / "small").iterdir()
        return folder

    def trials(self) -> list[str]:
        return sorted(p.name for p in self.run_folder().glob("trials/[0-9]*"))

    def trial(self, number: int) -> dict[str, Any]:
        file = self.run_folder() / "trials" / f"{number:04d}" / "trial.json"
        found: dict[str, Any] = json.loads(file.read_text())
        return found

    def all_trials(self) -> list[dict[str, Any]]:
        return [self.trial(int(name)) for name in self.trials()]


def heard_out(running: subprocess.Popen[str], limit_s: float = 180) -> str:
    """What a run writes to stderr until its end, for which it is killed if it takes this long; says
    when it noticed that something is lost.
    """
    since_s, lines = time.monotonic(), []
    limit = threading.Timer(limit_s, running.kill)
    limit.start()
    assert running.stderr is not None
    for line in running.stderr:
        lines.append(line)
        if "is void" in line or "is lost" in line:
            print(f"it was noticed {time.monotonic() - since_s:.1f} s later")
    running.communicate()
    limit.cancel()
    return "".join(lines)
