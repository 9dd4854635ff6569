"""What runs on a load host: dynoload, for as long as the driver renews the lease."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

import psutil
import pytest
from noop_plans import noop_plan
from waiting import wait_until

from dyno.errors import LoadError, RunFailedError
from dyno.hosts import alone
from dyno.hosts.agent import Agent
from dyno.hosts.echo import EchoAddress
from dyno.hosts.generator import WrittenPlan
from dyno.hosts.here import read_host
from dyno.spec.events import EventLog, parse_event

T = TypeVar("T")
LEASE_S = 600.0
# Nobody asks for an echo: no load here begins with others.
ECHO = EchoAddress("127.0.0.1", 1, b"")


def plan(**phase: object) -> WrittenPlan:
    return WrittenPlan.of(noop_plan({"name": "measure", **phase}, connections=6))


def done(coroutine: Awaitable[T]) -> T:
    """What a method gives, as the engine would wait for it."""

    async def waited() -> T:
        return await coroutine

    return asyncio.run(waited())


def heard(agent: Agent) -> EventLog:
    """All that its load says."""
    log = EventLog()
    while (lines := done(agent.hear(1.0))) is not None:
        for line in lines:
            log.add(parse_event(line.decode()))
    assert done(agent.ended()) == (0, "")
    return log


def test_loads_are_heard_to_their_end_one_after_the_other_and_leave_nothing() -> None:
    agent = Agent(ECHO, lease_s=LEASE_S)
    for _ in range(2):
        done(agent.begin(plan(ops=1000), None))
        log = heard(agent)
        assert log.summary is not None
        assert log.summary.complete
        assert done(agent.watched()).series.overhead.samples >= 2
        done(agent.end())
    assert done(agent.renew())
    done(agent.leave())
    assert not agent.folder.exists()


def test_without_its_driver_a_load_ends() -> None:
    agent = Agent(ECHO, lease_s=1.0)
    pid = done(agent.begin(plan(duration_s=600), None))
    wait_until(lambda: not psutil.pid_exists(pid))
    wait_until(lambda: not agent.folder.exists())
    assert not done(agent.renew())
    with pytest.raises(LoadError, match="the lease ended"):
        done(agent.begin(plan(duration_s=600), None))


def test_a_driver_that_leaves_it_needs_no_lease() -> None:
    agent = Agent(ECHO, lease_s=LEASE_S)
    pid = done(agent.begin(plan(duration_s=600), None))
    done(agent.leave())
    assert not psutil.pid_exists(pid)
    assert not done(agent.renew())


def test_a_host_is_held_by_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNO_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(alone, "NAME", f"\0dyno-measuring-test-{os.getpid()}")
    first, second = Agent(ECHO, lease_s=LEASE_S), Agent(ECHO, lease_s=LEASE_S)
    done(first.hold())
    with pytest.raises(RunFailedError, match="another dyno run is measuring on this host"):
        done(second.hold())
    done(first.leave())
    done(second.hold())
    done(second.leave())


def test_a_host_says_what_it_is() -> None:
    agent = Agent(ECHO, lease_s=LEASE_S)
    found = done(agent.read())
    done(agent.leave())
    assert found.facts["cores_logical"] == os.cpu_count()
    assert found.dyno == read_host().dyno
