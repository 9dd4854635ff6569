"""What runs on a load host: dynoload, for as long as the driver renews the lease."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

import psutil
from noop_plans import noop_plan
from waiting import wait_until

from dyno.hosts.agent import Agent
from dyno.spec.events import EventLog, parse_event

T = TypeVar("T")
LEASE_S = 600.0


def plan(**phase: object) -> str:
    return noop_plan({"name": "measure", **phase}, connections=6).to_json()


def done(coroutine: Awaitable[T]) -> T:
    """What a method gives, as the engine would wait for it."""

    async def waited() -> T:
        return await coroutine

    return asyncio.run(waited())


def test_a_load_is_heard_to_its_end_and_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    agent = Agent(folder, lease_s=LEASE_S)
    done(agent.begin(plan(ops=1000), None))
    log = EventLog()
    while (lines := done(agent.hear(1.0))) is not None:
        for line in lines:
            log.add(parse_event(line.decode()))
    assert done(agent.ended()) == (0, "")
    assert log.summary is not None
    assert log.summary.complete
    assert done(agent.renew())
    done(agent.end())
    assert not folder.exists()


def test_without_its_driver_a_load_ends(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    agent = Agent(folder, lease_s=1.0)
    pid = done(agent.begin(plan(duration_s=600), None))
    wait_until(lambda: not psutil.pid_exists(pid))
    wait_until(lambda: not folder.exists())
    assert not done(agent.renew())


def test_a_driver_that_ends_it_needs_no_lease(tmp_path: Path) -> None:
    agent = Agent(tmp_path / "agent", lease_s=LEASE_S)
    pid = done(agent.begin(plan(duration_s=600), None))
    done(agent.end())
    assert not psutil.pid_exists(pid)
    assert not done(agent.renew())
