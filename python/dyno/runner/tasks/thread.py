"""The tasks beside a load: done by their own thread while the load is measured. It then ends the
load.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from dyno.runner.load import Enough
from dyno.runner.tasks.do import Workplace, do_task
from dyno.runner.tasks.done import Cancel
from dyno.spec.events import Event, Hello, PhaseMark
from dyno.spec.task import Task, gap_s

MEASURE = "measure"


class LoadClock:
    """The load's clock as this process sees it: every event arrives a little after it happened, so
    the event with the smallest delay is the best estimate.
    """

    def __init__(self) -> None:
        self._apart_s: float | None = None

    def hear(self, event: Event) -> None:
        """Update the estimate from an event."""
        if isinstance(event, Hello | PhaseMark):
            t_s = event.t_s if isinstance(event, PhaseMark) else 0.0
            apart_s = time.monotonic() - t_s
            if self._apart_s is None or apart_s < self._apart_s:
                self._apart_s = apart_s

    def t_s(self, monotonic_s: float) -> float:
        """A time of this process as the load's `t_s`."""
        return monotonic_s - (self._apart_s or 0.0)


class TaskThread:
    """The tasks beside one load. A context manager around that load: leaving it ends them.

    `hear` gets the load's events. Tasks that were not started when the load ended are noted as not
    run; one that was in progress then is killed.
    """

    def __init__(self, place: Workplace, tasks: list[Task], enough: Enough) -> None:
        self.place = place
        self.tasks = tasks
        self.enough = enough
        self.clock = LoadClock()
        self._measured = threading.Event()
        self._measured_s = 0.0
        self._cancel = Cancel()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="tasks", daemon=True)

    def hear(self, event: Event) -> None:
        """Take an event of the load."""
        self.clock.hear(event)
        if isinstance(event, PhaseMark) and (event.phase, event.state) == (MEASURE, "begin"):
            self._measured_s = time.monotonic()
            self._measured.set()

    def __enter__(self) -> Self:
        """Wait, in a thread, for the measured phase."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """The load is over, for whatever reason."""
        self._cancel.say("the load beside it ended", in_a_hurry=error is not None)
        self._measured.set()
        self._thread.join()
        if error is None and self._error is not None:
            raise self._error

    def _run(self) -> None:
        left = list(self.tasks)
        try:
            self._measured.wait()
            self._all(left)
        except BaseException as error:  # Re-raised for whoever runs the load.
            self._error = error
        finally:
            for task in left:
                if task.is_for(self.place.bench.arm.name):
                    self.place.skip(task, self._cancel.reason or "the server was dead")
            self.enough.say()

    def _all(self, left: list[Task]) -> None:
        """Take the tasks from the front of `left`, each after its undisturbed time."""
        wait_s = self.tasks[0].before + self._measured_s - time.monotonic()
        while left:
            if self._cancel.wait(wait_s) or not self.place.bench.is_alive:
                return
            task = left.pop(0)
            if task.is_for(self.place.bench.arm.name):
                do_task(self.place, task, self._cancel, load_t_s=self.clock.t_s)
            wait_s = gap_s(task, left[0]) if left else task.after
        self._cancel.wait(wait_s)
