"""What hand-made findings of loads are put together from: blocks, figures, series, costs.

Throughput follows the Universal Scalability Law with a little noise, which comes from a hash, so
that everything is the same with every version of every library.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from report_parts import noise

from dyno.analysis.costs.model import Counters, PerOp
from dyno.analysis.load.model import (
    Figure,
    GeneratorRead,
    LatencyRead,
    PointRead,
    ScalingRead,
    SeriesRead,
    StabilityRead,
    Usl,
)
from dyno.analysis.part import BlockValue
from dyno.analysis.verdicts.model import Compared
from dyno.spec.metrics import MetricKey
from dyno.stats import Estimate

QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)
# How far above the median a quantile lies, for a server whose tail is 1.
TAIL = {0.5: 1.0, 0.75: 1.3, 0.9: 1.7, 0.95: 2.1, 0.99: 3.4, 0.999: 7.5, 0.9999: 19.0, 1.0: 60.0}
QUANTILE_OF: dict[MetricKey, float] = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}


@dataclass(frozen=True)
class Server:
    """An arm's behaviour: the law's coefficients, how long its tail is, and what an op costs."""

    name: str
    key: int
    per_connection: float
    sigma: float
    kappa: float
    tail: float = 1.0
    cpu_us: float = 200.0

    def ops_per_s(self, point: PointRead) -> float:
        """Typical throughput at a point; an open load gets what it asks for, up to the peak."""
        n = 64 if point.rate_per_s else point.connections
        most = self.per_connection * n / (1 + self.sigma * (n - 1) + self.kappa * n * (n - 1))
        return min(most, point.rate_per_s) if point.rate_per_s else most

    def latency_ms(self, point: PointRead, quantile: float) -> float:
        if point.rate_per_s:
            busy = min(point.rate_per_s / (self.ops_per_s(point) * 1.35), 0.985)
            middle = 0.9 / (1 - busy)
        else:
            middle = 1000 * point.connections / self.ops_per_s(point) * 0.82
        return middle * TAIL[quantile] ** self.tail


def points_of(connections: list[int], rates: list[float] | None = None) -> list[PointRead]:
    if rates:
        return [
            PointRead(index=i, label=f"{r:,g} ops/s", connections=64, rate_per_s=r)
            for i, r in enumerate(rates)
        ]
    return [
        PointRead(index=i, label=f"{n:,} connection{'s' * (n > 1)}", connections=n)
        for i, n in enumerate(connections)
    ]


def block_values(server: Server, point: PointRead, metric: MetricKey, blocks: int) -> list[float]:
    if metric == "throughput":
        typical, spread = server.ops_per_s(point), 0.05
    else:
        typical, spread = server.latency_ms(point, QUANTILE_OF[metric]), 0.15
    place = ["throughput", *QUANTILE_OF].index(metric)
    return [
        round(typical * (1 + spread * noise(server.key, point.index, place, b)), 4)
        for b in range(blocks)
    ]


def figure_of(server: Server, op: str, point: PointRead, metric: MetricKey, blocks: int) -> Figure:
    values = block_values(server, point, metric, blocks)
    half = (max(values) - min(values)) / math.sqrt(blocks)
    with_interval = blocks >= 3
    return Figure(
        arm=server.name,
        op=op,
        point=point.index,
        metric=metric,
        unit="ops/s" if metric == "throughput" else "ms",
        n=blocks,
        median=Estimate(
            median(values),
            (median(values) - half, median(values) + half) if with_interval else None,
        ),
        min=min(values),
        max=max(values),
        blocks=[BlockValue(block=b, value=v) for b, v in enumerate(values)],
    )


def compared_at(over: Figure, under: Figure, point: PointRead, *, primary: bool) -> Compared:
    values = [a.value / b.value for a, b in zip(over.blocks, under.blocks, strict=True)]
    ratio = median(values)
    known = len(values) >= 5
    half = 1.2 * (max(values) - min(values)) / math.sqrt(len(values)) / ratio
    low, high = ratio * (1 - half), ratio * (1 + half)
    different = known and not low <= 1 <= high
    more = over.metric == "throughput"
    noun = "more throughput" if (ratio > 1) else "less throughput"
    if not more:
        noun = "a longer p95 latency" if ratio > 1 else "a shorter p95 latency"
    return Compared(
        numerator_arm=over.arm,
        numerator_op=over.op,
        denominator_arm=under.arm,
        denominator_op=under.op,
        metric=over.metric,
        point=point.index,
        point_label=point.label,
        primary=primary,
        n=len(values),
        ratio=Estimate(ratio, (low, high) if known else None),
        mean=Estimate(ratio * 1.001, (low, high) if known else None),
        tail_driven=False,
        p=0.0039 if different else 0.4,
        holm_p=0.02 if different else 0.9,
        mde=half * 1.3 if known else None,
        state="different" if different else "undecided",
        sentence=f"{over.arm} has {abs(1 - ratio) * 100:.2g} % {noun} than {under.arm} at "
        f"{point.label}, {len(values)} blocks",
        blocks=[BlockValue(block=i, value=round(v, 6)) for i, v in enumerate(values)],
    )


def series_of(server: Server, point: PointRead, block: int, seconds: int) -> SeriesRead:
    """A rise over three seconds, noise, a checkpoint's dent, and a stall in one block."""
    typical = server.ops_per_s(point)
    found = []
    for t in range(seconds):
        value = typical * (1 + 0.05 * noise(server.key, point.index, block, t))
        value *= min(1.0, 0.55 + 0.15 * t)
        if t % 17 == 11 + server.key % 3:
            value *= 0.7
        if (block, t) == (2, seconds // 2) and server.key % 2:
            value = 0.0
        found.append(round(value, 1))
    p95 = server.latency_ms(point, 0.95)
    return SeriesRead(
        arm=server.name,
        point=point.index,
        block=block,
        t_s=[float(t + 1) for t in range(seconds)],
        ops_per_s=found,
        p95_ms=[p95 if value else None for value in found],
        cut_s=3.0,
    )


def latency_of(server: Server, op: str, point: PointRead, seconds: float) -> LatencyRead:
    count = int(server.ops_per_s(point) * seconds)
    carried = [q for q in QUANTILES if count >= 100 / (1 - q)]
    return LatencyRead(
        arm=server.name,
        op=op,
        point=point.index,
        count=count,
        points=[(q, round(server.latency_ms(point, q), 4)) for q in [*carried, 1.0]],
    )


def stability_of(server: Server, point: PointRead, trials: int) -> StabilityRead:
    stalled = server.key % 2 * (point.index % 3 == 2)
    return StabilityRead(
        arm=server.name,
        point=point.index,
        trials=trials,
        not_steady=int(point.index == 8 and server.key == 3),
        cv=0.04 + 0.01 * abs(noise(server.key, point.index)),
        worst_second_share=0.0 if stalled else 0.68,
        p1_second_share=0.7,
        stalls=stalled,
        stalled_share=0.008 * stalled,
        longest_stall_s=1.1 if stalled else None,
        slowdowns=2 * (point.index == 6 and server.key == 4),
        environment_stalls=int(point.index == 4 and server.key == 2),
    )


def scaling_of(server: Server, op: str, points: list[PointRead], *, fits: bool) -> ScalingRead:
    peak = max(points, key=server.ops_per_s)
    enough = 0.95 * server.ops_per_s(peak)
    n95 = next(p.connections for p in points if server.ops_per_s(p) >= enough)
    n_star = math.sqrt((1 - server.sigma) / server.kappa)
    shows_peak = points[-1].connections > 1.3 * n_star
    law = Usl(
        lambda_ops_per_s=server.per_connection,
        sigma=server.sigma,
        kappa=Estimate(server.kappa, (server.kappa * 0.8, server.kappa * 1.2)),
        n_star=n_star if shows_peak else None,
        residual_max=0.021,
    )
    falls = f", the law's own peak is at {n_star:.0f}" if shows_peak else ""
    says = f"95 % of the peak at {n95} connections, the peak at {peak.connections}{falls}."
    return ScalingRead(
        arm=server.name,
        op=op,
        peak_connections=peak.connections,
        peak_ops_per_s=server.ops_per_s(peak),
        n95=n95,
        usl=law if fits else None,
        says=says if fits else "The law does not fit: a point lies 23 % off the curve.",
    )


def per_op_of(server: Server, point: PointRead) -> PerOp:
    crowd = 1 + 0.04 * point.index
    return PerOp(
        arm=server.name,
        point=point.index,
        figures={
            "server_cpu_us_per_op": server.cpu_us * crowd,
            "client_cpu_us_per_op": 31.2 * crowd,
            "context_switches_per_op": 41.3 * crowd,
            "read_kb_per_op": 0.0 if server.key % 2 else None,
            "written_kb_per_op": 18.4 + server.key,
            "fsyncs_per_op": 1.02 / crowd,
            "statements_per_op": 20.0,
            "bytes_sent_per_op": 41_230.0,
            "rows_read_per_op": 502.0,
            "retries_per_1000_ops": 0.13 * point.index,
        },
    )


def counters_of(server: Server, op: str, point: PointRead) -> Counters:
    status = {
        "Handler_read_key": 17.4,
        "Handler_update": 2.0,
        "Innodb_buffer_pool_read_requests": 410.0 - 31 * server.key,
        "Innodb_log_writes": 1.04 / server.key,
        "Bytes_sent": 41_230.0,
        "Threads_created": 0.0,
    }
    if server.key > 1:
        status["Binlog_commits"] = 1.0
    host = {"server_cpu_pct": 131.0 + server.key, "context_switches_per_s": None}
    return Counters(arm=server.name, op=op, point=point.index, status=status, host=host)


def generator_of(server: Server, point: PointRead, *, is_open: bool) -> GeneratorRead:
    share = 6.0 + 2.1 * point.index + server.key
    return GeneratorRead(
        arm=server.name,
        point=point.index,
        cpu_share_pct=share,
        send_lag_p99_ms=0.08 * (1 + point.index) if is_open else None,
        headroom=50.0 / share,
        void_trials=int(is_open and point.index == 7 and server.key == 1),
    )
