"""Events of both schemas: what the older one lacks is None or empty, and kinds are filed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dyno.errors import LoadError
from dyno.spec.events import (
    Bin,
    Hello,
    Interval,
    PhaseMark,
    PhaseStatus,
    SearchResult,
    SearchStep,
    Summary,
    parse_event,
    read_events,
)

HELLO = {"event": "hello", "dynoload": "0.2", "build": "release", "pid": 1, "unix_ms": 2}
PHASE = {
    "phase": "measure",
    "elapsed_s": 20.0,
    "scheduled": 12,
    "ok": 7,
    "failed": {"1213": 2},
    "skipped": 2,
    "unfinished": 1,
    "ops": [],
}
LOAD_PHASE = PHASE | {
    "model": "open",
    "connections": 8,
    "retries": {"1213": 3},
    "reconnects": 0,
    "statements": {"read": 14, "write": 4, "other": 2},
    "send_lag": {"count": 12, "p50_ns": 10, "p99_ns": 20, "max_ns": 30},
    "backlog_max": 5,
    "drain_s": 0.1,
    "client": {"cpu_user_s": 0.25, "cpu_system_s": 0.5},
}
CLIENT = {
    "cpu_user_s": 1.0,
    "cpu_system_s": 1.0,
    "max_rss_bytes": 1,
    "bytes_sent": 1,
    "bytes_received": 1,
}
INTERVAL = {
    "event": "interval",
    "phase": "measure",
    "index": 0,
    "t_s": 1.0,
    "duration_s": 1.0,
    "ops": [],
}
STATUS = {"event": "status", "phase": "measure", "global_status": {"Com_commit": 5, "X": -1}}
STEP = {
    "event": "search_step",
    "rate_per_s": 100.0,
    "achieved_per_s": 99.0,
    "quantile_ms": 4.0,
    "error_share": 0.0,
    "backlog_end": 0,
    "held": True,
    "confirming": False,
}


def parsed(document: dict[str, Any]) -> Any:
    return parse_event(json.dumps(document))


def summary(phase: dict[str, Any]) -> Summary:
    found = parsed({"event": "summary", "complete": True, "phases": [phase], "client": CLIENT})
    assert isinstance(found, Summary)
    return found


@pytest.mark.parametrize("schema", [1, 2])
def test_both_schemas_are_read(schema: int) -> None:
    assert isinstance(parsed(HELLO | {"schema": schema}), Hello)


@pytest.mark.parametrize("schema", [0, 3])
def test_other_schemas_are_refused(schema: int) -> None:
    with pytest.raises(LoadError, match=f"schema {schema}") as caught:
        parsed(HELLO | {"schema": schema})
    assert "install" in (caught.value.hint or "")


def test_what_schema_1_did_not_tell_is_not_there() -> None:
    phase = summary(PHASE).phases[0]
    assert phase.model == "closed"
    assert phase.retries == {}
    optional = (phase.statements, phase.send_lag, phase.client, phase.connections, phase.reconnects)
    assert optional == (None,) * 5
    interval = parsed(INTERVAL)
    assert (interval.bins, interval.backlog) == ([], None)


def test_a_load_phase_is_read_whole() -> None:
    read = summary(LOAD_PHASE)
    phase = read.phase("measure")
    assert read.phase("warmup") is None
    assert phase is not None
    assert phase.statements is not None
    assert phase.statements.total == 20
    assert phase.send_lag is not None
    assert phase.send_lag.p99_ns == 20
    assert phase.client is not None
    assert phase.client.cpu_s == 0.75


def test_retries_are_not_part_of_the_account() -> None:
    with pytest.raises(LoadError, match="13 accounted for"):
        summary(LOAD_PHASE | {"unfinished": 2})


def test_an_interval_has_bins() -> None:
    read = parsed(INTERVAL | {"bins": [{"ended": 3, "heartbeat_late_ms": 0.5}], "backlog": 4})
    assert isinstance(read, Interval)
    assert read.bins == [Bin(ended=3, heartbeat_late_ms=0.5)]
    assert (read.backlog, read.retries) == (4, 0)


def test_connecting_is_a_phase_too() -> None:
    mark = parsed({"event": "phase", "phase": "connect", "state": "end", "t_s": 0.5})
    assert isinstance(mark, PhaseMark)


def test_every_kind_is_filed() -> None:
    result = {"event": "search_result", "rate_per_s": None, "limited_by": "rate_min"}
    log = read_events(
        json.dumps(line) for line in (HELLO | {"schema": 2}, STATUS, INTERVAL, STEP, STEP, result)
    )
    assert log.status == {"measure": {"Com_commit": 5, "X": -1}}
    assert all(isinstance(event, PhaseStatus) for event in log.statuses)
    assert [type(step) for step in log.search_steps] == [SearchStep, SearchStep]
    assert log.search_result == SearchResult(
        event="search_result", rate_per_s=None, limited_by="rate_min"
    )
    assert len(log.intervals) == 1


def test_an_unknown_limit_is_refused() -> None:
    with pytest.raises(LoadError, match="wrong search_result event"):
        parsed({"event": "search_result", "rate_per_s": 1.0, "limited_by": "mood"})
