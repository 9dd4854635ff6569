"""Run folders with known truth, for the explain side: times are given, nothing is measured."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spec_samples import GOOD

from dyno.spec.events import OpError, StatementRun
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.read import parse_experiment
from dyno.store.files import write_json
from dyno.store.run import RunFolder, RunState
from dyno.store.trial import ServerRead, Trial

Seconds = Callable[[str, int], float]

SETTINGS = {
    "key_buffer_size": "8388608",
    "innodb_flush_log_at_trx_commit": "1",
    "tmp_table_size": "16777216",
    "socket": "/tmp/x",
}


def plan_of(text: str = GOOD, **options: Any) -> Plan:
    """The plan of an experiment, without a control arm unless one is asked for."""
    experiment = parse_experiment(tomllib.loads(text), source="x.toml")
    chosen = Options.model_validate({"control": False} | options)
    return make_plan(experiment, chosen, name="x")


def run_of(arm: str, seconds: float, **more: Any) -> StatementRun:
    return StatementRun(
        **{
            "event": "statement",
            "phase": "measure",
            "round": 0,
            "connection": 0,
            "statement": "q",
            "t_s": 0.1,
            "elapsed_ns": round(seconds * 1e9),
            "outcome": "ok",
            "rows": 10,
            "checksum": "00000000000000aa",
            "session_status": {"Handler_write": 1000 if arm == "a" else 10},
        }
        | more
    )


def stored_run(
    path: Path,
    seconds: Seconds,
    *,
    blocks: int,
    plan: Plan | None = None,
    state: str = "complete",
    change: Callable[[Trial], Trial] = lambda trial: trial,
    settings: Callable[[str], dict[str, str]] = lambda arm: SETTINGS,
    host: dict[str, Any] | None = None,
) -> RunFolder:
    """A folder whose trials took `seconds(arm, block)`; `change` may spoil each trial."""
    plan = plan or plan_of()
    folder = RunFolder.create(
        path / "run",
        plan=plan,
        host=host or {},
        state=RunState(state=state, started_unix_ms=0, blocks_done=blocks),
    )
    for block in range(blocks):
        for position, turn in enumerate(plan.orders[block]):
            arm = turn.arm
            number = plan.trial_number(block=block, position=position)
            partial = folder.begin_trial(number)
            read = settings(arm)
            write_json(partial / "settings.json", {"session": read, "global": read}, schema=1)
            trial = Trial(
                number=number,
                arm=arm,
                block=block,
                position=position,
                status="ok",
                started_unix_ms=0,
                duration_s=1,
                server=ServerRead(name="s", product="mysql", version="5.6.24", fingerprint="f"),
                statements=[run_of(arm, seconds(arm, block))],
            )
            folder.commit_trial(change(trial))
    return folder


def failed(trial: Trial, why: str) -> Trial:
    error = OpError(code=2013, message=why)
    run = run_of(trial.arm, 1, outcome="failed", error=error, checksum=None)
    return trial.model_copy(update={"status": "failed", "failure": why, "statements": [run]})
