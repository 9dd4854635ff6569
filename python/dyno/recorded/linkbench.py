"""The requests of a LinkBench command line as one trial of a load: one arm, one point, one block.

dynoload reads the command line and its files, and returns the load plan that they amount to.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from dyno.errors import SpecError
from dyno.passwords import command_handed_down
from dyno.program import find_dynoload
from dyno.recorded.made import Made
from dyno.recorded.typed import Typed
from dyno.spec.events import EventLog, read_events
from dyno.spec.experiment import Arm, Blocks, Protocol
from dyno.spec.linkbench import LinkbenchWorkload
from dyno.spec.load_plan import LoadPlan
from dyno.spec.plan import Options, Plan, Point, Turn
from dyno.spec.server_ref import NamedServer
from dyno.store.trial import Trial

MEASURE = "measure"


def options(raw: Path, typed: Typed) -> list[str]:
    """The options that make the program record. Raises SpecError if there are no requests."""
    if not {"-r", "--r"} & set(typed.rest):
        raise SpecError("--out records requests", hint="add -r, or leave --out out")
    return [f"--dyno-events={raw.absolute()}"]


def file(typed: Typed, lines: Sequence[str], begun_ms: int) -> Made:
    """The plan and the trial. Raises ValueError for lines that aren't events."""
    log = read_events(lines)
    asked = _read_load_plan(typed)
    summary = log.summary
    measured = summary.phase(MEASURE) if summary is not None else None
    seen_s = sum(interval.duration_s for interval in log.intervals)
    elapsed_s = measured.elapsed_s if measured is not None else seen_s
    whole = summary is not None and summary.complete
    plan = _plan(asked, elapsed_s)
    trial = Trial(
        number=1,
        arm=plan.arms[0].name,
        block=0,
        position=0,
        status="ok" if whole else "failed",
        failure=None if whole else "the run was broken off",
        started_unix_ms=begun_ms,
        duration_s=round(elapsed_s, 3),
        faults=log.faults,
        summary=summary,
        load_unix_ms=_load_began_unix_ms(log),
        dynoload=log.hello.dynoload if log.hello else None,
    )
    return Made(plan, [trial], log.intervals)


def _load_began_unix_ms(log: EventLog) -> int | None:
    return log.hello.unix_ms if log.hello else None


def _read_load_plan(typed: Typed) -> LoadPlan:
    """The load plan of the requests. Raises ValueError if there is none."""
    argv = [str(find_dynoload()), "linkbench", *typed.rest, "--dyno-plan"]
    with command_handed_down(argv) as (shown, environment, words):
        done = subprocess.run(
            shown, env=environment, pass_fds=[words], capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise ValueError(f"dynoload gives no plan: {done.stderr.strip()}")
    return LoadPlan.model_validate_json(done.stdout)


def _plan(asked: LoadPlan, elapsed_s: float) -> Plan:
    target = asked.target
    phases = {str(phase.name): phase for phase in asked.phases}
    arm = (str(target.socket) if target.socket else f"{target.host}:{target.port}")[-80:]
    warmup, arrivals = phases.get("warmup"), phases[MEASURE].arrivals
    rate = arrivals.steps[0].rate_per_s if arrivals else None
    warmup_s = warmup.length_s if warmup else None
    return Plan(
        name="linkbench",
        title="LinkBench",
        question="What did this command line do?",
        published=None,
        options=Options(),
        scale=1.0,
        arms=[Arm(name=arm, server=NamedServer(arm), baseline=True)],
        points=[Point(connections=asked.connections, rate_per_s=rate)],
        workload=LinkbenchWorkload.model_validate(
            {**asked.workload.model_dump(exclude={"success_file"}), "check_data": "never"}
        ),
        protocol=Protocol(
            blocks=Blocks(first=1, last=1),
            restart="never",
            connections=asked.connections,
            warmup=warmup_s or 0.0,
            duration=max(1.0, elapsed_s),
            rate=rate,
        ),
        looks=[1],
        comparisons=[],
        claims=[],
        left_out_claims=[],
        orders=[[Turn(arm=arm)]],
    )
