"""Does a trial's tasks: named pieces of maintenance, alone or beside the load, timed and watched.

A task that fails is a finding, stored with the server's message; only a server that dies, or that
doesn't come back, fails the trial.
"""

from __future__ import annotations

from dyno.runner.tasks.do import Workplace, do_alone
from dyno.runner.tasks.split import Split, split
from dyno.runner.tasks.thread import TaskThread

__all__ = ["Split", "TaskThread", "Workplace", "do_alone", "split"]
