"""Several load generators as one: a plan that is split, begun at one instant, and merged."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from dyno.errors import StoreError
from dyno.hosts import Group, LoadResult, LocalHost, split
from dyno.spec.events import Event, Interval, PhaseMark
from dyno.spec.load_plan import LoadPlan
from dyno.spec.summary import Summary

OPS = 60_000
NAMES = ["load1", "load2", "load3"]
STATES = ["begin", "end"]


def plan_of(*phases: dict[str, object]) -> LoadPlan:
    return LoadPlan.model_validate(
        {
            "schema": 2,
            "seed": 5,
            "target": {"noop": True},
            "connections": 12,
            "phases": phases,
            "workload": {"kind": "oltp", "script": "oltp_read_write"},
        }
    )


class Several:
    """A group on this host, and all that it says."""

    def __init__(self, plan: LoadPlan, path: Path) -> None:
        self.hosts = [LocalHost(name, path / name) for name in NAMES]
        plans = split(plan, [3, 2, 1])
        self.group = Group(dict(zip(NAMES, plans, strict=True)), self.hosts)
        self.events: list[Event] = []

    def run(
        self, on_event: Callable[[Event], None] = lambda _: None, look: Callable[[], None] = int
    ) -> LoadResult:
        def hear(event: Event) -> None:
            self.events.append(event)
            on_event(event)

        return self.group.run(password=None, on_event=hear, look=look)

    def left(self) -> list[int]:
        """The processes that still run."""
        return [host.generator.pid for host in self.hosts if psutil.pid_exists(host.generator.pid)]


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
    several = Several(plan_of({"name": "measure", "duration_s": 600, "until": "told"}), tmp_path)

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
            os.kill(several.hosts[1].generator.pid, signal.SIGKILL)

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
