"""Starts child programs that die with this process, even on kill -9, from whatever thread.

The kernel sends the death signal when the *thread* that forked ends, not its process. So all
children are forked by one thread that never ends before the process does. No guard process is
needed: the child's pid is the program's own, and the kernel does the killing.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import IO

from dyno.cpus import CpuSet
from dyno.home import User

Stream = int | IO[bytes] | None
_Process = subprocess.Popen[bytes]
_SHIM = Path(__file__).with_name("shim.py")


class _Spawner:
    """The thread that forks; a daemon, so that it lives exactly as long as the process."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._orders: queue.SimpleQueue[tuple[Callable[[], _Process], Future[_Process]]]
        self._orders = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="dyno-spawner", daemon=True).start()

    def _serve(self) -> None:
        while True:
            order, future = self._orders.get()
            try:
                future.set_result(order())
            except BaseException as error:
                future.set_exception(error)

    def spawn(self, order: Callable[[], _Process]) -> _Process:
        future: Future[_Process] = Future()
        self._orders.put((order, future))
        try:
            return future.result()
        except BaseException:  # Ctrl-C while waiting: nobody will ever stop what was ordered.
            future.add_done_callback(_end_unclaimed)
            raise


def _end_unclaimed(future: Future[_Process]) -> None:
    if future.exception() is None:
        process = future.result()
        process.kill()
        process.wait()


_lock = threading.Lock()
_spawner: _Spawner | None = None


def _get_spawner() -> _Spawner:
    """Give this process's spawner; a fork of Dyno has no threads, so it makes its own."""
    global _spawner
    with _lock:
        if _spawner is None or _spawner.pid != os.getpid():
            _spawner = _Spawner()
        return _spawner


def launch(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    user: User | None = None,
    cwd: Path | None = None,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.DEVNULL,
    stderr: Stream = subprocess.DEVNULL,
    pass_fds: Sequence[int] = (),
    in_foreground: bool = False,
    cpus: CpuSet | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program that dies with this process, whatever kills it. Safe from any thread.

    The program gets its own session (Ctrl-C doesn't reach it), exactly `env`, no core files, none
    of our open files but its standard streams and `pass_fds`, and runs as `user` if given.
    `Popen.pid` is the program's own pid. argv[0] is an absolute path; a program that can't be
    executed exits with 127 and a line on its stderr. `in_foreground`: it stays in our session, with
    its terminal and Ctrl-C, and what it starts may gain rights (sudo). `cpus`: where all of its
    threads run, from the first instruction; as ours unless given.
    """
    uid, gid = (-1, -1) if user is None else (user.uid, user.gid)
    numbers = (os.getpid(), uid, gid, int(not in_foreground))
    where = ",".join(map(str, sorted(cpus or ())))
    shim = [sys.executable, "-I", "-S", str(_SHIM), *map(str, numbers), where, "--"]

    def order() -> _Process:
        return subprocess.Popen(
            [*shim, *argv],
            env=dict(env),
            cwd="/" if cwd is None else cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=not in_foreground,
            pass_fds=pass_fds,
        )

    return _get_spawner().spawn(order)
