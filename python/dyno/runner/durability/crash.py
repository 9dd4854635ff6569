"""Runs load on a server and kills the server meanwhile. Knows nothing of the data that are left."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from dyno.errors import DynoError, LoadError
from dyno.runner.load import run_load
from dyno.servers import Server
from dyno.spec.events import Event, EventLog, Hello, Interval, PhaseMark
from dyno.spec.load_plan import LoadPlan
from dyno.store.run import BIN_S

PHASE = "measure"
Cut = Callable[[], float]
"""Cuts the power, and gives the time of the monotonic clock right before."""


@dataclass(frozen=True)
class KilledLoad:
    """A load that a kill ended. `ops_per_s` in the last second before: a server that is stalled has
    little to lose. `cut_s`: when the power went, on the monotonic clock; infinity if it stayed.
    """

    ops_per_s: float
    log: EventLog
    cut_s: float

    @property
    def failed(self) -> int:
        """How many ops failed."""
        ops = (op for interval in self.log.intervals for op in interval.ops)
        return sum(op.count for op in ops if op.outcome != "ok")


def crash_under_load(
    server: Server, plan: LoadPlan, folder: Path, *, after_s: float, cut: Cut = lambda: math.inf
) -> KilledLoad:
    """Run a load plan on a server; `after_s` after its ops began, cut the power, if any, send
    SIGKILL to the server's own process, and then SIGTERM to dynoload. Both have ended when this
    returns or raises.

    Raises LoadError if the load, or the server, ended before it was killed, and PowerError.
    """
    with _Killer(server, after_s, cut) as killer:
        result = run_load(plan, folder, on_event=killer.on_event)
    status = server.process.poll()
    if not killer.killed:
        said = result.failure or "the load is over"
        state = "runs on" if status is None else f"ended by itself with status {status}"
        raise LoadError(
            f"dynoload ended before the server was killed: {said}; the server {state}",
            hint="nothing was tested: look at the server's settings, or give a shorter --after",
        )
    if killer.error is not None:
        raise killer.error
    # Without power a server may give up by itself before the signal comes.
    if status != -signal.SIGKILL and killer.cut_s == math.inf:
        raise LoadError(f"the server ended by itself with status {status} before it was killed")
    ops_per_s = rate_before(result.log.intervals, killer.begun_s + after_s)
    return KilledLoad(ops_per_s=ops_per_s, log=result.log, cut_s=killer.cut_s)


def rate_before(intervals: Sequence[Interval], end_s: float) -> float:
    """Ops per second in the last second before a time, in seconds since dynoload began; 0 if
    unknown. Uses bins, since the last interval extends beyond the kill.
    """
    ops, counted_s = ended_in(intervals, end_s - 1 - BIN_S, end_s - BIN_S)
    return ops / counted_s if counted_s else 0.0


def ended_in(intervals: Sequence[Interval], after_s: float, up_to_s: float) -> tuple[int, float]:
    """How many ops ended in the bins that begin after the one time and up to the other, in seconds
    since dynoload began, and how many seconds these bins have together.
    """
    counted = [
        bin_.ended
        for interval in intervals
        for number, bin_ in enumerate(interval.bins)
        if after_s < interval.t_s + number * BIN_S <= up_to_s
    ]
    return sum(counted), len(counted) * BIN_S


class _Killer:
    """Kills the server on a timer that the first op starts: from its own thread, so that it waits
    for no event.
    """

    def __init__(self, server: Server, after_s: float, cut: Cut) -> None:
        self.killed = False
        self.begun_s = 0.0
        self.cut_s = math.inf
        self.error: DynoError | None = None
        self._cut = cut
        self._server = server
        self._load_fd: int | None = None
        self._timer = threading.Timer(after_s, self._kill)
        self._timer.daemon = True

    def on_event(self, event: Event) -> None:
        """Take note of dynoload's process, and of its first op."""
        if isinstance(event, Hello) and self._load_fd is None:
            # While dynoload's output is being read it isn't reaped, so the pid is still its own.
            self._load_fd = os.pidfd_open(event.pid)
        elif isinstance(event, PhaseMark) and (event.phase, event.state) == (PHASE, "begin"):
            self.begun_s = event.t_s
            self._timer.start()

    def _kill(self) -> None:
        if not self._server.is_alive() or self._load_fd is None:
            return
        try:
            self.cut_s = self._cut()
        except DynoError as error:  # It is raised where the load is waited for.
            self.error = error
        self._server.process.kill()
        self.killed = True
        try:
            signal.pidfd_send_signal(self._load_fd, signal.SIGTERM)
        except ProcessLookupError:  # It has given up already.
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        if self._timer.is_alive():
            self._timer.join()
        if self.killed or error is not None:
            self._server.kill()
        if self._load_fd is not None:
            os.close(self._load_fd)
