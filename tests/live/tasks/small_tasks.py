"""Experiments with tasks, run through the command line as a user would, and what they left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

Document = dict[str, Any]


ARMS = {"old": "mariadb-10.1.8", "new": "mariadb-10.11.5"}


def writes_beside(*, log_bytes: int, rows: int = 100_000, arms: Iterable[str] = ARMS) -> str:
    """Arms, load and protocol under which an online ALTER fills its log of changes, which is
    written in pieces of the sort buffer. The first arm is the baseline.
    """
    servers = "".join(
        f'[[arm]]\nname = "{arm}"\nbaseline = {str(place == 0).lower()}\nserver = "{ARMS[arm]}"\n'
        for place, arm in enumerate(arms)
    )
    return f"""
[settings]
innodb_online_alter_log_max_size = {log_bytes}
innodb_sort_buffer_size = 65536
innodb_flush_log_at_trx_commit = 0
{servers}[workload]
kind = "oltp"
script = "oltp_write_only"
tables = 1
table_size = {rows}
[protocol]
profile = false
connections = 4
blocks = {{ first = 1, last = 1 }}
warmup = "0.5s"
"""


@dataclass
class Experiment:
    """A folder with an experiment, and the run of it."""

    path: Path

    def write(self, text: str) -> None:
        (self.path / "small").mkdir(exist_ok=True)
        (self.path / "small" / "experiment.toml").write_text(text)

    def begin(self, *options: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "dyno.cli.main", "run", "small/experiment.toml", *options],
            cwd=self.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *options: str) -> None:
        process = self.begin(*options)
        _, words = process.communicate(timeout=180)
        assert process.returncode == 0, words

    @property
    def folder(self) -> Path:
        (folder,) = (self.path / "runs" / "small").iterdir()
        return folder

    def findings(self) -> Document:
        found: Document = json.loads((self.folder / "findings.json").read_text())
        return found

    def trials(self) -> dict[str, Document]:
        """The first trial of each arm."""
        found: dict[str, Document] = {}
        for file in sorted(self.folder.glob("trials/[0-9]*/trial.json")):
            trial: Document = json.loads(file.read_text())
            found.setdefault(trial["arm"], trial | {"folder": file.parent})
        return found


def task_of(trial: Document, name: str) -> Document:
    """The task of that name in a trial."""
    (found,) = [task for task in trial["tasks"] if task["name"] == name]
    return dict(found)


def servers_below(folder: Path) -> list[psutil.Process]:
    """Server processes that have to do with a run."""
    found = []
    for process in psutil.process_iter(["name"]):
        if process.info["name"] in ("mysqld", "mariadbd"):
            try:
                words = [*process.cmdline(), process.cwd()]
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
            if any(folder.name in word for word in words):
                found.append(process)
    return found


def made(path: Path) -> Iterator[Experiment]:
    yield Experiment(path)
    for folder in (path / "runs").glob("*/*"):
        left = servers_below(folder)
        for process in left:
            os.kill(process.pid, signal.SIGKILL)
        assert not left, "a server outlived the run"
