"""Several load generators as one: a plan that is split, begun at one instant, and merged."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil
import pytest
from noop_plans import noop_plan

from dyno.errors import HostLostError, LoadError, StoreError
from dyno.hosts.generator import Generator, WrittenPlan
from dyno.hosts.group import Group
from dyno.hosts.result import LoadResult
from dyno.hosts.split import split
from dyno.spec.events import Event, Interval, PhaseMark
from dyno.spec.load_plan import LoadPlan
from dyno.spec.summary import Summary

OPS = 60_000
NAMES = ["load1", "load2", "load3"]
STATES = ["begin", "end"]


def plan_of(*phases: dict[str, object]) -> LoadPlan:
    return noop_plan(*phases, connections=12)


class Several:
    """A group on this host, and all that it says."""

    def __init__(self, plan: LoadPlan, path: Path) -> None:
        self.path = path
        self.begun: list[Generator] = []
        self.kinds = dict.fromkeys(NAMES, Generator)
        plans = dict(zip(NAMES, split(plan, [3, 2, 1]), strict=True))
        self.group = Group(plans, {name: partial(self.begin, name) for name in NAMES})
        self.events: list[Event] = []

    def begin(self, name: str, plan: LoadPlan, password: str | None) -> Generator:
        folder = self.path / name
        folder.mkdir()
        self.begun.append(self.kinds[name](WrittenPlan.of(plan), folder, password=password))
        return self.begun[-1]

    def run(
        self, on_event: Callable[[Event], None] = lambda _: None, look: Callable[[], None] = int
    ) -> LoadResult:
        def hear(event: Event) -> None:
            self.events.append(event)
            on_event(event)

        return self.group.run(password=None, on_event=hear, look=look)

    def left(self) -> list[int]:
        """The processes that still run."""
        assert len(self.begun) == len(NAMES)
        return [running.pid for running in self.begun if psutil.pid_exists(running.pid)]


def test_three_programs_do_the_ops_of_one_and_are_heard_as_one(tmp_path: Path) -> None:
    plan = plan_of({"name": "warmup", "ops": 1200}, {"name": "measure", "ops": OPS})
    several = Several(plan, tmp_path)
    result = several.run()
    assert result.failure is None
    assert result.log.summary is not None
    measured = result.log.summary.phase("measure")
    assert measured is not None
    assert (measured.scheduled, measured.ok, measured.connections) == (OPS, OPS, 12)
    assert measured.statements is not None
    # 14 reads, 4 writes and 2 others: without a server all of them are answered alike.
    assert measured.statements.total == 20 * OPS
    counted = sum(op.count for i in result.log.intervals if i.phase == "measure" for op in i.ops)
    assert counted == OPS
    marks = [event for event in several.events if isinstance(event, PhaseMark)]
    timed = [mark for mark in marks if mark.phase != "connect"]
    assert [(mark.phase, mark.state, mark.late_ns is not None) for mark in timed] == [
        (phase, state, state == "begin") for phase in ("warmup", "measure") for state in STATES
    ]
    assert [e for e in several.events if isinstance(e, Summary)] == [result.log.summary]
    assert several.left() == []


def test_enough_ends_a_phase_everywhere(tmp_path: Path) -> None:
    several = Several(plan_of({"name": "measure", "duration_s": 600, "until": "signal"}), tmp_path)

    def hear(event: Event) -> None:
        if isinstance(event, Interval):
            several.group.enough()

    result = several.run(hear)
    assert result.failure is None
    assert several.left() == []


def test_a_host_that_is_lost_ends_the_load_by_its_name(tmp_path: Path) -> None:
    several = Several(plan_of({"name": "measure", "duration_s": 600}), tmp_path)

    def hear(event: Event) -> None:
        if isinstance(event, PhaseMark) and event.state == "begin" and event.phase == "measure":
            os.kill(several.begun[1].pid, signal.SIGKILL)

    result = several.run(hear)
    assert result.failure == "load2: dynoload ended with exit code -9"
    assert several.left() == []


def test_an_error_of_the_driver_leaves_none_running(tmp_path: Path) -> None:
    several = Several(plan_of({"name": "measure", "duration_s": 600}), tmp_path)

    def look() -> None:
        if any(isinstance(event, Interval) for event in several.events):
            raise StoreError("the disk is full")

    with pytest.raises(StoreError, match="the disk is full"):
        several.run(look=look)
    assert several.left() == []


class Unreachable(Generator):
    """As what reaches another host, whose link is cut."""

    def hear(self, wait_s: float) -> list[bytes] | None:
        raise HostLostError("load3 is lost: no answer")


def test_a_host_that_does_not_answer_ends_the_load(tmp_path: Path) -> None:
    several = Several(plan_of({"name": "measure", "duration_s": 600}), tmp_path)
    several.kinds["load3"] = Unreachable
    result = several.run()
    assert result.failure == "load3 is lost: no answer"
    assert several.left() == []


def test_a_plan_that_dynoload_refuses_is_an_error(tmp_path: Path) -> None:
    plan = plan_of({"name": "measure", "ops": 10})
    several = Several(plan.model_copy(update={"seed": -1}), tmp_path)
    with pytest.raises(LoadError, match="dynoload refused its plan"):
        several.run()
    assert several.left() == []
