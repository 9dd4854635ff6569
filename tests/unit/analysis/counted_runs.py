"""Run folders of workloads with counters, with known truth: ops of each kind a second."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from load_runs import BEGIN_S, SPREAD, histogram, load_run

from dyno.spec.events import Bin, Interval, IntervalOp
from dyno.spec.plan import Plan
from dyno.spec.summary import Client, OpSummary, PhaseSummary, Summary
from dyno.store.run import RunFolder
from dyno.store.trial import TableSize, Trial

SECONDS = 20

PerS = Callable[[str, int], dict[str, int]]


def counted_run(
    path: Path,
    plan: Plan,
    *,
    blocks: int,
    per_s: PerS,
    counters: Callable[[str], dict[str, int]],
    before: list[TableSize],
    after: list[TableSize],
    ms: dict[str, float] | None = None,
    change: Callable[[Trial], Trial] = lambda trial: trial,
) -> RunFolder:
    """A folder whose trials ended `per_s(arm, point)` ops in each second, around `ms` each."""
    medians = ms or {}

    def spoil(trial: Trial) -> Trial:
        found = per_s(trial.arm, trial.point)
        return change(
            trial.model_copy(
                update={
                    "summary": _summary(found, medians, counters(trial.arm)),
                    "sizes_before": before,
                    "sizes": after,
                }
            )
        )

    return load_run(
        path,
        lambda arm, point, block: [0] * 10,
        blocks=blocks,
        plan=plan,
        events=lambda arm, point: _intervals(per_s(arm, point), medians),
        change=spoil,
    )


def _intervals(per_s: dict[str, int], ms: dict[str, float]) -> list[Any]:
    return [
        Interval(
            event="interval",
            phase="measure",
            index=index,
            t_s=BEGIN_S + index,
            duration_s=1.0,
            ops=[
                IntervalOp(op=op, outcome="ok", count=n, histogram=histogram(n, ms.get(op, 4.0)))
                for op, n in per_s.items()
                if n
            ],
            bins=[Bin(ended=sum(per_s.values()) // 10, heartbeat_late_ms=0.02)] * 10,
        )
        for index in range(SECONDS)
    ]


def _summary(per_s: dict[str, int], ms: dict[str, float], counters: dict[str, int]) -> Summary:
    ops = [_op(op, n * SECONDS, ms.get(op, 4.0)) for op, n in per_s.items() if n]
    total = sum(op.count for op in ops)
    phase = PhaseSummary(
        phase="measure",
        elapsed_s=SECONDS,
        scheduled=total,
        ok=total,
        failed={},
        skipped=0,
        unfinished=0,
        ops=ops,
        retries={"1213": 2},
        counters=counters,
    )
    client = Client(cpu_user_s=2, cpu_system_s=1, max_rss_bytes=1, bytes_sent=1, bytes_received=1)
    return Summary(event="summary", complete=True, phases=[phase], client=client)


def _op(op: str, count: int, ms: float) -> OpSummary:
    return OpSummary(
        op=op,
        outcome="ok",
        count=count,
        min_ns=1,
        max_ns=round(SPREAD[-1] * ms * 1e6),
        mean_ns=ms * 1e6,
        p50_ns=round(ms * 1e6),
        p95_ns=round(2 * ms * 1e6),
        p99_ns=round(2.4 * ms * 1e6),
        p999_ns=round(2.4 * ms * 1e6),
        histogram=histogram(count, ms),
    )
