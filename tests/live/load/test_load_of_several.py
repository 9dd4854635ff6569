"""Several load generators as one: a plan that is split, begun at one instant, and merged."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from dyno.hosts import merged, split
from dyno.program import find_dynoload
from dyno.spec.events import EventLog, PhaseMark, parse_event
from dyno.spec.load_plan import LoadPlan

OPS = 60_000
PLAN = LoadPlan.model_validate(
    {
        "schema": 2,
        "seed": 5,
        "target": {"noop": True},
        "connections": 12,
        "phases": [{"name": "warmup", "ops": 1200}, {"name": "measure", "ops": OPS}],
        "workload": {"kind": "oltp", "script": "oltp_read_write"},
    }
)


class Host:
    """A load generator of its own, which waits before each phase."""

    def __init__(self, plan: LoadPlan, file: Path) -> None:
        file.write_text(plan.to_json())
        self.log = EventLog()
        self.process = subprocess.Popen(
            [find_dynoload(), "run", file],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait_until(self, state: str) -> PhaseMark:
        """Read events until a phase says so."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event = parse_event(line)
            self.log.add(event)
            if isinstance(event, PhaseMark) and event.state == state:
                return event
        raise AssertionError(f"it ended before a phase was {state}")

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def finish(self) -> EventLog:
        rest, _ = self.process.communicate(timeout=60)
        for line in rest.splitlines():
            self.log.add(parse_event(line))
        assert self.process.returncode == 0
        return self.log


def test_three_programs_do_the_ops_of_one_from_one_instant_on(tmp_path: Path) -> None:
    plans = split(PLAN, [3, 2, 1])
    hosts = [Host(plan, tmp_path / f"{n}.json") for n, plan in enumerate(plans)]
    for phase in ("warmup", "measure"):
        assert {host.wait_until("ready").phase for host in hosts} == {phase}
        at_ns = time.monotonic_ns() + 100_000_000
        for host in hosts:
            host.say(f"go {at_ns}")
        assert all(host.wait_until("begin").late_ns is not None for host in hosts)
    log = merged([host.finish() for host in hosts])
    assert log.summary is not None
    assert log.summary.complete
    measured = log.summary.phase("measure")
    assert measured is not None
    assert (measured.scheduled, measured.ok, measured.connections) == (OPS, OPS, 12)
    assert measured.statements is not None
    # 14 reads, 4 writes and 2 others: without a server all of them are answered alike.
    assert measured.statements.total == 20 * OPS
    counted = sum(op.count for i in log.intervals if i.phase == "measure" for op in i.ops)
    assert counted == OPS
