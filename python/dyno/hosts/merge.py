"""The events of several load hosts as those of one.

Counts are added, histograms bucket by bucket, so that every percentile is that of all ops.
Intervals belong together by their index, since the phases begin at one instant. What can't be added
is the worst of the hosts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from hdrh.histogram import HdrHistogram

from dyno.errors import LoadError
from dyno.spec.events import Bin, EventLog, Interval, IntervalOp
from dyno.spec.summary import (
    Client,
    OpSummary,
    PhaseClient,
    PhaseSummary,
    SendLag,
    StatementCounts,
    Summary,
)

_T = TypeVar("_T")
_Op = TypeVar("_Op", IntervalOp, OpSummary)
_Sums = TypeVar("_Sums", Client, PhaseClient, StatementCounts)


def merged(logs: Sequence[EventLog]) -> EventLog:
    """All logs as one; what only the first host observes is its own. One log stays as it is.

    Raises LoadError if a host has no summary, or did other phases.
    """
    first = logs[0]
    summaries = [log.summary for log in logs]
    known = [summary for summary in summaries if summary is not None]
    if len(known) < len(logs):
        raise LoadError(f"{len(logs) - len(known)} of {len(logs)} load hosts have no summary")
    if len(logs) == 1:
        return first
    return EventLog(
        hello=first.hello,
        settings=first.settings,
        explains=first.explains,
        statuses=first.statuses,
        intervals=_intervals(logs),
        faults=[fault for log in logs for fault in log.faults],
        summary=_summary(known),
    )


def _intervals(logs: Sequence[EventLog]) -> list[Interval]:
    together: dict[tuple[str, int], list[Interval]] = {}
    for log in logs:
        for interval in log.intervals:
            together.setdefault((interval.phase, interval.index), []).append(interval)
    return [merged_interval(found) for found in together.values()]


def merged_interval(found: Sequence[Interval]) -> Interval:
    """The same interval of all hosts as one."""
    first = found[0]
    longest = max(len(each.bins) for each in found)
    return Interval(
        event="interval",
        phase=first.phase,
        index=first.index,
        t_s=first.t_s,
        duration_s=max(each.duration_s for each in found),
        ops=[_interval_op(ops) for ops in _by_op(op for each in found for op in each.ops)],
        bins=[_bin([e.bins[at] for e in found if at < len(e.bins)]) for at in range(longest)],
        retries=sum(each.retries for each in found),
        backlog=_known(sum, [each.backlog for each in found]),
    )


def _bin(found: Sequence[Bin]) -> Bin:
    return Bin(
        ended=sum(each.ended for each in found),
        heartbeat_late_ms=max(each.heartbeat_late_ms for each in found),
    )


def _by_op(ops: Iterable[_Op]) -> list[list[_Op]]:
    """Those of one op and outcome together."""
    found: dict[tuple[str, str], list[_Op]] = {}
    for op in ops:
        found.setdefault((op.op, op.outcome), []).append(op)
    return list(found.values())


def _interval_op(found: Sequence[IntervalOp]) -> IntervalOp:
    histogram = _added(each.histogram for each in found)
    return IntervalOp(
        op=found[0].op,
        outcome=found[0].outcome,
        count=sum(each.count for each in found),
        histogram=histogram.encode().decode(),
    )


def _added(texts: Iterable[str]) -> HdrHistogram:
    whole, *others = map(HdrHistogram.decode, texts)
    for other in others:
        whole.add(other)
    return whole


def _summary(found: Sequence[Summary]) -> Summary:
    names = [[phase.phase for phase in summary.phases] for summary in found]
    if any(each != names[0] for each in names):
        raise LoadError(f"the load hosts did different phases: {names}")
    return Summary(
        event="summary",
        complete=all(summary.complete for summary in found),
        phases=[_phase(phases) for phases in zip(*(s.phases for s in found), strict=True)],
        client=_sums([summary.client for summary in found]),
    )


def _phase(found: Sequence[PhaseSummary]) -> PhaseSummary:
    """The account of all hosts, which is checked once more as it is made."""
    first = found[0]
    return PhaseSummary(
        phase=first.phase,
        elapsed_s=max(each.elapsed_s for each in found),
        scheduled=sum(each.scheduled for each in found),
        ok=sum(each.ok for each in found),
        failed=_counted(each.failed for each in found),
        skipped=sum(each.skipped for each in found),
        unfinished=sum(each.unfinished for each in found),
        ops=[_op(ops) for ops in _by_op(op for each in found for op in each.ops)],
        model=first.model,
        connections=_known(sum, [each.connections for each in found]),
        retries=_counted(each.retries for each in found),
        counters=_counted(each.counters for each in found),
        reconnects=_known(sum, [each.reconnects for each in found]),
        statements=_known(_sums, [each.statements for each in found]),
        send_lag=_known(_send_lag, [each.send_lag for each in found]),
        backlog_max=_known(sum, [each.backlog_max for each in found]),
        drain_s=_known(max, [each.drain_s for each in found]),
        client=_known(_sums, [each.client for each in found]),
    )


def _op(found: Sequence[OpSummary]) -> OpSummary:
    histogram = _added(each.histogram for each in found)
    count, max_ns = sum(each.count for each in found), max(each.max_ns for each in found)

    def quantile_ns(percent: float) -> int:
        return min(int(histogram.get_value_at_percentile(percent)), max_ns)

    return OpSummary(
        op=found[0].op,
        outcome=found[0].outcome,
        count=count,
        min_ns=min(each.min_ns for each in found),
        max_ns=max_ns,
        mean_ns=sum(each.mean_ns * each.count for each in found) / count,
        p50_ns=quantile_ns(50),
        p95_ns=quantile_ns(95),
        p99_ns=quantile_ns(99),
        p999_ns=quantile_ns(99.9),
        histogram=histogram.encode().decode(),
    )


def _send_lag(found: Sequence[SendLag]) -> SendLag:
    """The worst host's: a generator that is late is late on its own."""
    return SendLag(
        count=sum(each.count for each in found),
        p50_ns=max(each.p50_ns for each in found),
        p99_ns=max(each.p99_ns for each in found),
        max_ns=max(each.max_ns for each in found),
    )


def _sums(found: Sequence[_Sums]) -> _Sums:
    """Of figures that all add up."""
    names = type(found[0]).model_fields
    return type(found[0])(**{name: sum(getattr(each, name) for each in found) for name in names})


def _counted(found: Iterable[Mapping[str, int]]) -> dict[str, int]:
    whole: Counter[str] = Counter()
    for each in found:
        whole.update(each)
    return dict(whole)


def _known(together: Callable[[list[_T]], _T], found: Sequence[_T | None]) -> _T | None:
    """None if any host doesn't know it."""
    known = [each for each in found if each is not None]
    return together(known) if len(known) == len(found) else None
