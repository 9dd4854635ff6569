"""Run folders of loads with known truth: ops by tenth of a second are given, none is measured."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from hdrh.histogram import HdrHistogram
from spec_samples import LOAD
from stored_runs import SETTINGS, plan_of

from dyno.spec.events import Bin, Interval, IntervalOp
from dyno.spec.plan import Plan
from dyno.spec.summary import (
    Client,
    OpSummary,
    PhaseClient,
    PhaseSummary,
    StatementCounts,
    Summary,
)
from dyno.store.files import write_json
from dyno.store.run import RunFolder, RunState, store_intervals
from dyno.store.trial import PhaseCost, ServerRead, Trial

OP = "oltp_read_write"
BEGIN_S = 7.5
SECONDS = 20
# Latencies as shares of the median, each as often as the others.
SPREAD = np.exp(0.3 * np.linspace(-3, 3, 50))

Tenths = Callable[[str, int, int], list[int]]
Rate = Callable[[str, int], float]


def plan(text: str = LOAD, **options: Any) -> Plan:
    return plan_of(text, **options)


def at_rate(rate: Rate, *, noise: float = 0.002, seconds: int = SECONDS) -> Tenths:
    """Ops around `rate(arm, point)` a second, with a trial's own noise and that of its tenths."""

    def tenths(arm: str, point: int, block: int) -> list[int]:
        rng = np.random.default_rng(zlib.crc32(f"{arm}/{point}/{block}".encode()))
        level = rate(arm, point) / 10 * rng.uniform(1 - noise, 1 + noise)
        due = np.cumsum(level * rng.uniform(0.95, 1.05, seconds * 10))
        return [int(n) for n in np.diff(np.floor(due), prepend=0)]

    return tenths


@lru_cache(maxsize=4096)
def histogram(count: int, median_ms: float) -> str:
    """An encoded histogram of `count` latencies around a median."""
    made = HdrHistogram(1, 3_600_000_000_000, 3)
    each, rest = divmod(count, len(SPREAD))
    for place, share in enumerate(SPREAD):
        times = each + (place < rest)
        if times:
            made.record_value(round(share * median_ms * 1e6), times)
    text: bytes = made.encode()
    return text.decode()


def intervals(ended: list[int], *, ms: float, late_ms: dict[int, float] | None = None) -> list[Any]:
    """The measure phase's events from ops by tenth; the last may be a part of a second."""
    found = []
    for index in range(-(-len(ended) // 10)):
        part = ended[index * 10 : index * 10 + 10]
        count = sum(part)
        ops = [IntervalOp(op=OP, outcome="ok", count=count, histogram=histogram(count, ms))]
        late = late_ms or {}
        found.append(
            Interval(
                event="interval",
                phase="measure",
                index=index,
                t_s=BEGIN_S + index,
                duration_s=len(part) / 10,
                ops=ops if count else [],
                bins=[
                    Bin(ended=n, heartbeat_late_ms=late.get(index * 10 + i, 0.02))
                    for i, n in enumerate(part)
                ],
            )
        )
    return found


def summary(count: int, *, ms: float, elapsed_s: float = SECONDS, **more: Any) -> Summary:
    """The account of a measure phase in which every op ended well."""
    quantiles = {"p50_ns": 0.5, "p95_ns": 0.95, "p99_ns": 0.99, "p999_ns": 0.999}
    ns = {key: round(float(np.quantile(SPREAD, q)) * ms * 1e6) for key, q in quantiles.items()}
    op = OpSummary(
        op=OP,
        outcome="ok",
        count=count,
        min_ns=1,
        max_ns=round(SPREAD[-1] * ms * 1e6),
        mean_ns=ms * 1e6,
        histogram=histogram(count, ms),
        **ns,
    )
    phase: dict[str, Any] = {
        "phase": "measure",
        "elapsed_s": elapsed_s,
        "scheduled": count,
        "ok": count,
        "failed": {},
        "skipped": 0,
        "unfinished": 0,
        "ops": [op] if count else [],
        "statements": StatementCounts(read=14 * count, write=4 * count, other=2 * count),
        "client": PhaseClient(cpu_user_s=1.5, cpu_system_s=0.5),
    }
    return Summary(
        event="summary",
        complete=True,
        phases=[PhaseSummary.model_validate(phase | more)],
        client=Client(
            cpu_user_s=2, cpu_system_s=1, max_rss_bytes=1, bytes_sent=1, bytes_received=1
        ),
    )


def load_run(
    path: Path,
    tenths: Tenths,
    *,
    blocks: int,
    plan: Plan,
    state: str = "complete",
    ms: Callable[[str], float] = lambda arm: 4.0,
    late_ms: Callable[[str], dict[int, float]] = lambda arm: {},
    change: Callable[[Trial], Trial] = lambda trial: trial,
    settings: Callable[[str], dict[str, str]] = lambda arm: SETTINGS,
    host: dict[str, Any] | None = None,
    events: Callable[[str, int], list[Any]] | None = None,
) -> RunFolder:
    """A folder whose trials ended `tenths(arm, point, block)` ops; `change` may spoil each.

    `events(arm, point)`: a measure phase of other ops than one.
    """
    folder = RunFolder.create(
        path / "run",
        plan=plan,
        host={"cores_logical": 2} | (host or {}),
        state=RunState.model_validate(
            {"state": state, "started_unix_ms": 0, "blocks_done": blocks}
        ),
    )
    for block in range(blocks):
        for position, turn in enumerate(plan.orders[block]):
            ended = tenths(turn.arm, turn.point, block)
            count = sum(ended)
            number = plan.trial_number(block=block, position=position)
            partial = folder.begin_trial(number)
            read = settings(turn.arm)
            write_json(partial / "settings.json", {"session": read, "global": read}, schema=1)
            rows = intervals(ended, ms=ms(turn.arm), late_ms=late_ms(turn.arm))
            store_intervals(partial, events(turn.arm, turn.point) if events else rows)
            trial = Trial(
                number=number,
                arm=turn.arm,
                block=block,
                position=position,
                point=turn.point,
                status="ok",
                started_unix_ms=0,
                load_unix_ms=0,
                duration_s=30,
                server=ServerRead(name="s", product="mysql", version="5.6.24", fingerprint="f"),
                summary=summary(count, ms=ms(turn.arm)),
                phases={
                    "measure": PhaseCost(
                        cpu_user_s=8.0,
                        cpu_system_s=2.0,
                        read_bytes=0,
                        write_bytes=4000 * count,
                        context_switches=10 * count,
                    )
                },
                status_by_phase={
                    "measure": {"Innodb_data_fsyncs": count, "Bytes_sent": 9000 * count}
                },
            )
            folder.commit_trial(change(trial))
    return folder
