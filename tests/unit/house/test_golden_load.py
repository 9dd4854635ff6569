"""The golden files of the load plan and its events, read by Python as they are by Rust."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from pydantic import ValidationError

from dyno.errors import LoadError
from dyno.spec.events import EventLog, Interval, OpSummary, parse_event, read_events
from dyno.spec.experiment import Generator
from dyno.spec.load_plan import LoadPlan
from dyno.spec.statements import LoadStatements

GOLDEN = Path(__file__).parents[2] / "golden" / "load"
PLANS = sorted(GOLDEN.glob("plans/*.checked.json"))
# Runs of schema 2, which Rust reads too, and one of schema 1, as older run folders hold them.
STATEMENTS = GOLDEN / "events-statements.ndjson"
FIRST_SCHEMA = GOLDEN / "events-schema-1.ndjson"
OLTP = GOLDEN / "events-oltp.ndjson"
# HDR buckets of three significant digits are up to 0.1 % wide, on each side of the comparison.
TOLERANCE = 0.002


def lines_of(path: Path) -> list[str]:
    """The first run in a file: from its `hello` to its `summary`."""
    lines = path.read_text("utf-8").splitlines()
    end = next(n for n, line in enumerate(lines) if line.startswith('{"event":"summary"'))
    return lines[: end + 1]


@pytest.fixture(scope="module", params=[STATEMENTS, FIRST_SCHEMA, OLTP], ids=lambda p: p.stem)
def path(request: pytest.FixtureRequest) -> Path:
    assert isinstance(request.param, Path)
    return request.param


@pytest.fixture(scope="module")
def log(path: Path) -> EventLog:
    return read_events(lines_of(path))


def decoded(text: str) -> Any:
    histogram = HdrHistogram.decode(text.encode())
    assert histogram is not None
    return histogram


def sequences(workload: LoadStatements) -> list[Generator]:
    described = [t.columns for t in workload.tables if not isinstance(t.columns, str)]
    return [c for columns in described for c in columns if c.generate == "sequence"]


def test_there_are_golden_plans() -> None:
    assert len(PLANS) >= 4


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.name)
def test_a_plan_with_its_defaults_is_the_same_in_python(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    assert json.loads(LoadPlan.model_validate(document).to_json()) == document


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.name)
def test_python_fills_in_the_same_defaults(path: Path) -> None:
    written = json.loads(path.with_name(path.name.replace(".checked", "")).read_text("utf-8"))
    checked = LoadPlan.model_validate_json(path.read_text("utf-8"))
    plan = LoadPlan.model_validate(written)
    target = plan.target
    if target.host is not None and target.port is None:  # dynoload's own default, 3306.
        plan = plan.model_copy(update={"target": target.model_copy(update={"port": 3306})})
    apart = {"workload", "load_schema"}  # A plan of schema 1 is written back as one of schema 2.
    assert checked.load_schema == 2
    assert plan.model_dump(exclude=apart) == checked.model_dump(exclude=apart)
    if not isinstance(checked.workload, LoadStatements) or not isinstance(
        plan.workload, LoadStatements
    ):
        assert plan.workload == checked.workload
        return
    columns = sequences(checked.workload)
    ours = sequences(plan.workload)
    assert [c.start for c in columns] == [1 if c.start is None else c.start for c in ours]
    assert plan.workload.statements == checked.workload.statements


def test_python_refuses_an_unknown_key() -> None:
    document = json.loads((GOLDEN / "bad" / "unknown-key.json").read_text("utf-8"))
    with pytest.raises(ValidationError, match="not permitted"):
        LoadPlan.model_validate(document)


def test_the_events_are_read_whole(path: Path, log: EventLog) -> None:
    lines = [json.loads(line) for line in lines_of(path)]
    assert lines[0]["event"] == "hello"
    assert lines[-1]["event"] == "summary"
    assert log.hello is not None
    assert (log.settings is None) == (path == OLTP)
    assert bool(log.status) == (path == OLTP)
    count = {
        kind: sum(line["event"] == kind for line in lines) for kind in ("statement", "interval")
    }
    assert len(log.statements) == count["statement"]
    assert bool(log.statements) == (path != OLTP)
    assert len(log.intervals) == count["interval"] > 0


def test_every_op_is_accounted_for(log: EventLog) -> None:
    assert log.summary is not None
    for phase in log.summary.phases:
        failed = sum(phase.failed.values())
        assert phase.scheduled == phase.ok + failed + phase.skipped + phase.unfinished
        runs = [run.outcome for run in log.statements if run.phase == phase.phase]
        if runs:
            assert (runs.count("ok"), runs.count("failed")) == (phase.ok, failed)
    assert sum(phase.scheduled for phase in log.summary.phases) > 0


def test_an_account_that_does_not_add_up_is_refused() -> None:
    summary = json.loads(lines_of(STATEMENTS)[-1])
    summary["phases"][-1]["scheduled"] += 1
    with pytest.raises(LoadError, match="accounted for"):
        parse_event(json.dumps(summary))


def test_histograms_decode_and_agree_with_the_summary(log: EventLog) -> None:
    assert log.summary is not None
    ops = [(phase.phase, op) for phase in log.summary.phases for op in phase.ops]
    assert any(op.count == 1 or op.count >= 1000 for _, op in ops)
    for _, op in ops:
        histogram = decoded(op.histogram)
        assert histogram.get_total_count() == op.count
        # Of a few values the two libraries round the rank differently.
        few = 1 < op.count < 1000
        for percentile, stored_ns in () if few else ((50, op.p50_ns), (99, op.p99_ns)):
            found = histogram.get_value_at_percentile(percentile)
            assert found == pytest.approx(stored_ns, rel=TOLERANCE)
        assert histogram.get_max_value() == pytest.approx(op.max_ns, rel=TOLERANCE)


def test_intervals_add_up_to_the_summary(log: EventLog) -> None:
    assert log.summary is not None
    for phase in log.summary.phases:
        for op in phase.ops:
            parts = matching(log.intervals, phase.phase, op)
            assert sum(count for count, _ in parts) == op.count
            assert sum(decoded(text).get_total_count() for _, text in parts) == op.count


def matching(intervals: list[Interval], phase: str, op: OpSummary) -> list[tuple[int, str]]:
    return [
        (part.count, part.histogram)
        for interval in intervals
        if interval.phase == phase
        for part in interval.ops
        if (part.op, part.outcome) == (op.op, op.outcome)
    ]


def test_a_search_is_read_whole() -> None:
    lines = OLTP.read_text("utf-8").splitlines()
    log = read_events(lines[len(lines_of(OLTP)) :])
    assert log.search_result is not None
    assert log.search_result.rate_per_s in [step.rate_per_s for step in log.search_steps]
