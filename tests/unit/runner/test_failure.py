"""What makes a trial a failed one, and what ends a run in its first block."""

from __future__ import annotations

from typing import Any

import pytest

from dyno.runner.failure import SERVER_DIED, hopeless, lost_load, lost_statement
from dyno.spec.events import (
    Client,
    EventLog,
    LoadFault,
    OpError,
    PhaseSummary,
    StatementRun,
    Summary,
)
from dyno.store.trial import Trial


def summary(
    *, ok: int = 0, failed: dict[str, int] | None = None, unfinished: int = 0, name: str = "measure"
) -> Summary:
    failures = failed or {}
    phase = PhaseSummary(
        phase=name,
        elapsed_s=10.0,
        scheduled=ok + sum(failures.values()) + unfinished,
        ok=ok,
        failed=failures,
        skipped=0,
        unfinished=unfinished,
        ops=[],
    )
    client = Client(cpu_user_s=1, cpu_system_s=1, max_rss_bytes=1, bytes_sent=1, bytes_received=1)
    return Summary(event="summary", complete=True, phases=[phase], client=client)


def fault(message: str, *, scope: str = "op", fatal: bool = False, hint: str = "") -> LoadFault:
    return LoadFault(event="error", scope=scope, message=message, hint=hint, fatal=fatal)


def failed_trial(failure: str, **parts: Any) -> Trial:
    return Trial(
        number=1,
        arm="A",
        block=0,
        position=0,
        status="failed",
        failure=failure,
        started_unix_ms=0,
        duration_s=1.0,
        **parts,
    )


@pytest.mark.parametrize(
    ("ok", "failed", "lost"),
    [
        (100, {}, False),
        (100, {"1205": 40, "1213": 60}, False),  # half of them: overload is a result
        (99, {"1205": 100}, True),
        (0, {"1146": 3}, True),
    ],
)
def test_a_load_is_lost_when_more_than_half_of_its_ops_failed(
    ok: int, failed: dict[str, int], lost: bool
) -> None:
    said = lost_load(EventLog(summary=summary(ok=ok, failed=failed)))
    assert (said is not None) == lost


def test_a_lost_load_says_what_the_server_said() -> None:
    log = EventLog(
        summary=summary(ok=10, failed={"1205": 3, "1146": 700}),
        faults=[
            fault("an op failed: 1205 (HY000): Lock wait timeout exceeded"),
            fault("an op failed: 1146 (42S02): Table 'x.sbtest1' doesn't exist"),
        ],
    )
    said = lost_load(log)
    assert said is not None
    assert said.startswith("703 of 713 ops failed, most with error 1146 (")
    assert "Table 'x.sbtest1' doesn't exist" in said


def test_a_load_that_measured_nothing_is_lost() -> None:
    assert lost_load(EventLog()) is not None
    assert lost_load(EventLog(summary=summary(ok=5, name="warmup"))) is not None
    none_ended = lost_load(EventLog(summary=summary(unfinished=8)))
    assert none_ended == "none of 8 ops ended in the measured phase"


def test_ops_that_were_skipped_or_unfinished_lose_no_load() -> None:
    assert lost_load(EventLog(summary=summary(ok=1, unfinished=1000))) is None


def run(outcome: str, error: OpError | None = None) -> StatementRun:
    return StatementRun.model_validate(
        {
            "event": "statement",
            "phase": "measure",
            "round": 0,
            "connection": 0,
            "statement": "Q1",
            "t_s": 0.0,
            "elapsed_ns": 1,
            "outcome": outcome,
            "error": error.model_dump() if error else None,
        }
    )


def test_one_failed_statement_loses_a_trial_of_statements() -> None:
    error = OpError(code=1305, sqlstate="42000", message="FUNCTION lenght does not exist")
    log = EventLog(statements=[run("ok"), run("failed", error)])
    assert lost_statement(log) == "statement Q1 failed: 1305 FUNCTION lenght does not exist"
    assert lost_statement(EventLog(statements=[run("ok")])) is None


def test_a_refused_statement_is_hopeless_and_a_lost_connection_is_not() -> None:
    refused = OpError(code=1305, sqlstate="42000", message="no such function")
    lost = OpError(code=2013, sqlstate="HY000", message="Lost connection")
    error = hopeless(failed_trial("…", statements=[run("failed", refused)]), refused=False)
    assert error is not None
    assert "error 1305 (42000): no such function" in error.message
    assert hopeless(failed_trial("…", statements=[run("failed", lost)]), refused=False) is None


@pytest.mark.parametrize(("code", "ends"), [("1146", True), ("1062", True), ("1205", False)])
def test_a_hard_error_of_most_ops_is_hopeless_and_a_passing_one_is_not(
    code: str, ends: bool
) -> None:
    trial = failed_trial(f"most with error {code}", summary=summary(ok=1, failed={code: 100}))
    error = hopeless(trial, refused=False)
    assert (error is not None) == ends


def test_what_is_refused_before_anything_was_measured_is_hopeless() -> None:
    words = "preparing `SELECT c` failed: 1461 (42000): Can't create more than 16382 statements"
    trial = failed_trial(words, faults=[fault(words, scope="session", fatal=True, hint="h")])
    error = hopeless(trial, refused=True)
    assert error is not None
    assert "1461" in error.message
    assert error.hint is not None
    assert "max_prepared_stmt_count" in error.hint
    assert hopeless(trial, refused=False) is None


def test_the_generators_own_hint_is_passed_on() -> None:
    trial = failed_trial("no login", faults=[fault("no", scope="connect", fatal=True, hint="log")])
    error = hopeless(trial, refused=True)
    assert error is not None
    assert error.hint == "log"


def test_a_dead_server_or_a_good_trial_is_not_hopeless() -> None:
    hard = summary(failed={"1146": 10})
    assert hopeless(failed_trial(f"{SERVER_DIED}: signal 11", summary=hard), refused=True) is None
    good = failed_trial("x", summary=hard).model_copy(update={"status": "ok", "failure": None})
    assert hopeless(good, refused=True) is None
