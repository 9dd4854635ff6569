"""What the process list shows of programs while they run."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from waiting import wait_until

# A ceiling for a busy host.
LIMIT_S = 60


def command_line(running: subprocess.Popen[str], until: str) -> str:
    """Its command line as soon as that has these words, which must be within a minute."""
    shown = Path(f"/proc/{running.pid}/cmdline")
    wait_until(lambda: until in shown.read_text(encoding="utf-8"), LIMIT_S)
    return shown.read_text(encoding="utf-8")


def stop(pid: int) -> None:
    """SIGSTOP, until all threads stand still: one must run to get it, which a busy host delays."""
    os.kill(pid, signal.SIGSTOP)
    threads = psutil.Process(pid).threads
    wait_until(lambda: all(_is_still(thread.id) for thread in threads()), LIMIT_S)


def _is_still(thread: int) -> bool:
    try:
        return bool(psutil.Process(thread).status() == psutil.STATUS_STOPPED)
    except psutil.NoSuchProcess:
        return True


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """The process stands still meanwhile."""
    try:
        stop(pid)
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def servers_of(folder: Path) -> list[psutil.Process]:
    """Server processes whose option file or data folder belongs to a run below Dyno's home."""
    found = []
    for process in psutil.process_iter(["name", "cmdline"]):
        name = process.info["name"] or ""
        if name in ("mysqld", "mariadbd") and any(
            folder.name in word for word in _open_words(process)
        ):
            found.append(process)
    return found


def _open_words(process: psutil.Process) -> Iterator[str]:
    try:
        yield from process.cmdline()
        yield process.cwd()
        yield from (file.path for file in process.open_files())
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return
