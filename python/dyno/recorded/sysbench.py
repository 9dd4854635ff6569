"""A run of a sysbench script as one trial of a load: one arm, one point, one block."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dyno.recorded.made import Made
from dyno.recorded.typed import Typed
from dyno.spec.command import CommandWorkload
from dyno.spec.events import EventLog, read_events
from dyno.spec.experiment import Arm, Blocks, Protocol
from dyno.spec.plan import Options, Plan, Point, Turn
from dyno.spec.server_ref import NamedServer
from dyno.store.trial import Trial

MEASURE = "measure"


def options(raw: Path, typed: Typed) -> list[str]:
    """The options that make the program record."""
    return [f"--dyno-events={raw}"]


def file(typed: Typed, lines: Sequence[str], begun_ms: int) -> Made:
    """The plan and the trial. Raises ValueError for lines that aren't events."""
    log = read_events(lines)
    summary = log.summary
    measured = summary.phase(MEASURE) if summary is not None else None
    op = measured.ops[0].op if measured is not None and measured.ops else "event"
    elapsed_s = measured.elapsed_s if measured is not None else _seen_s(log)
    connections = int(typed.value("--threads", "--num-threads", default="1"))
    rate = float(typed.value("--rate", "--tx-rate", default="0"))
    arm = _server(typed)
    protocol = Protocol(
        blocks=Blocks(first=1, last=1),
        restart="never",
        connections=connections,
        warmup=float(typed.value("--warmup-time", default="0")),
        duration=max(1.0, elapsed_s),
        rate=rate or None,
    )
    plan = Plan(
        name="sysbench",
        title=f"sysbench {op}",
        question="What did this command line do?",
        published=None,
        options=Options(),
        scale=1.0,
        arms=[Arm(name=arm, server=NamedServer(arm), baseline=True)],
        points=[Point(connections=connections, rate_per_s=rate or None)],
        workload=CommandWorkload(kind="command", program="sysbench", arguments=typed.shown, op=op),
        protocol=protocol,
        looks=[1],
        comparisons=[],
        claims=[],
        left_out_claims=[],
        orders=[[Turn(arm=arm)]],
    )
    whole = summary is not None and summary.complete
    trial = Trial(
        number=1,
        arm=arm,
        block=0,
        position=0,
        status="ok" if whole else "failed",
        failure=None if whole else "the run was broken off",
        started_unix_ms=begun_ms,
        duration_s=round(elapsed_s, 3),
        faults=log.faults,
        summary=summary,
        load_unix_ms=log.hello.unix_ms if log.hello else None,
        dynoload=log.hello.dynoload if log.hello else None,
    )
    return Made(plan, [trial], log.intervals)


def _seen_s(log: EventLog) -> float:
    """How far a run got that was interrupted."""
    return sum(interval.duration_s for interval in log.intervals)


def _server(typed: Typed) -> str:
    socket = typed.value("--mysql-socket")
    if socket:
        return socket[-80:]
    host = typed.value("--mysql-host", default="localhost")
    return f"{host}:{typed.value('--mysql-port', default='3306')}"[-80:]
