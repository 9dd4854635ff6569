"""A load host that is lost and comes back. Its engine is scripted: the order of answers that
never come is the point.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dyno.errors import HostLostError, LoadError
from dyno.hosts import remote
from dyno.hosts.echo import EchoAddress
from dyno.hosts.generator import WrittenPlan
from dyno.hosts.remote import RemoteHost
from dyno.spec.load_plan import LoadPlan

PLAN = LoadPlan.model_validate(
    {
        "schema": 2,
        "seed": 1,
        "target": {"noop": True},
        "connections": 1,
        "phases": [{"name": "measure", "ops": 1}],
        "workload": {"kind": "oltp", "script": "oltp_point_select"},
    }
)


class Pending:
    """An answer: what a function gives, or the error that it raises."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self._answer = answer

    def result(self, timeout: float) -> Any:
        return self._answer()


class ScriptedAgent:
    """Its renewals take until they are let go; lost, it answers nothing."""

    def __init__(self) -> None:
        self.is_lost = False
        self.asked, self.let_go = threading.Event(), threading.Event()
        self.renewers: set[threading.Thread] = set()

    def renew(self) -> Pending:
        def answer() -> bool:
            self.renewers.add(threading.current_thread())
            self.asked.set()
            self.let_go.wait()
            if self.is_lost:
                raise TimeoutError
            return True

        return Pending(answer)

    def begin(self, plan: WrittenPlan, password: str | None) -> Pending:
        def answer() -> int:
            if self.is_lost:
                raise OSError("Unable to contact Actor's worker")
            return 1

        return Pending(answer)


class ScriptedClient:
    """Gives these agents one after the other, all on a host that is always up."""

    status = "running"

    def __init__(self, *agents: ScriptedAgent) -> None:
        self._agents = iter(agents)

    def scheduler_info(self, **_: Any) -> dict[str, Any]:
        return {"workers": {"tcp://127.0.0.2:1": {"name": "load1"}}}

    def submit(self, *_: Any, **__: Any) -> Pending:
        return Pending(lambda: next(self._agents))


def test_what_comes_late_of_a_lost_agent_does_not_end_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote, "RENEW_S", 0.01)
    first, second = ScriptedAgent(), ScriptedAgent()
    second.let_go.set()
    client: Any = ScriptedClient(first, second)
    host = RemoteHost(client, "load1", EchoAddress("127.0.0.1", 1, b""))
    assert first.asked.wait(10)
    first.is_lost = True
    with pytest.raises(HostLostError, match="load1 is lost: Unable to contact"):
        host.begin(PLAN, None)
    host.begin(PLAN, None)
    first.let_go.set()
    (late,) = first.renewers
    late.join(10)
    assert not late.is_alive()
    host.begin(PLAN, None)


def test_the_authorities_of_a_plan_go_to_its_host(tmp_path: Path) -> None:
    file = tmp_path / "db.pem"
    file.write_text("those who are trusted\n")
    target = {"host": "10.0.0.2", "port": 3306, "tls": "verify", "ca_file": str(file)}
    plan = LoadPlan.model_validate(PLAN.model_dump(by_alias=True) | {"target": target})
    there = tmp_path / "there"
    there.mkdir()
    written = WrittenPlan.sent(plan).write(there)
    own = Path(json.loads(written.read_text())["target"]["ca_file"])
    assert own.parent == there
    assert own.read_text() == file.read_text()
    # This host's own load reads the file where it is.
    assert json.loads(WrittenPlan.of(plan).write(there).read_text())["target"]["ca_file"] == str(
        file
    )
    file.unlink()
    with pytest.raises(LoadError, match=r"db\.pem can't be read"):
        WrittenPlan.sent(plan)
