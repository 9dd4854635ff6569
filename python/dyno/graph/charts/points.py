"""Runs as points: the level of each, and one figure for an arm's runs at a level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from dyno.analysis.load.model import PointRead
from dyno.graph.model import Figure, Graph, Latency, Run, over_rate
from dyno.report.charts.levels import Levels
from dyno.spec.units import plural

Take = Callable[[Run], Figure | None]
UNKNOWN = "connections not known"


@dataclass(frozen=True)
class Spot:
    """An arm at a level: the median of its runs there, and their ends.

    `of_iterations`: a single run whose ends are those of its own repetitions.
    """

    arm: str
    point: PointRead
    n: int
    value: float
    low: float | None
    high: float | None
    of_iterations: bool

    @property
    def says(self) -> str:
        """What the figure is."""
        if self.of_iterations:
            return "average, minimum to maximum of the iterations"
        return "one run" if self.n == 1 else f"median of {self.n} runs, least to greatest"


@dataclass(frozen=True)
class Panel:
    """What one panel draws; `shown` formats a figure with its unit."""

    title: str
    way: str
    noun: str
    spots: list[Spot]
    shown: Callable[[float], str]
    log: bool = False


def points(graph: Graph) -> list[PointRead]:
    """The levels in ascending order; runs with an unknown level have none."""
    if over_rate(graph.runs):
        rates = sorted({run.rate_per_s for run in graph.runs if run.rate_per_s is not None})
        connections = graph.runs[0].connections or 1
        return [
            PointRead(index=i, label=f"{rate:g}/s", connections=connections, rate_per_s=rate)
            for i, rate in enumerate(rates)
        ]
    levels = sorted({run.connections for run in graph.runs if run.connections})
    return [
        PointRead(index=i, label=plural(level, "connection"), connections=level)
        for i, level in enumerate(levels)
    ]


def levels_of(graph: Graph) -> Levels | None:
    """The horizontal axis; None if there is only one level."""
    found = points(graph)
    return Levels(found, over_rate(graph.runs)) if len(found) > 1 else None


def point_of(graph: Graph, run: Run, among: list[PointRead]) -> PointRead | None:
    """The level of a run."""
    if over_rate(graph.runs):
        return next((p for p in among if p.rate_per_s == run.rate_per_s), None)
    return next((p for p in among if p.connections == run.connections), None)


def spots(graph: Graph, take: Take) -> list[Spot]:
    """One figure per arm and level, in the order of arms and levels.

    Runs with an unknown level form a level of their own, the last.
    """
    there = points(graph)
    nowhere = PointRead(index=len(there), label=UNKNOWN, connections=0)
    found: dict[tuple[str, int], list[Figure]] = {}
    at: dict[int, PointRead] = {}
    for arm, run in graph.named:
        figure = take(run)
        if figure is not None:
            point = point_of(graph, run, there) or nowhere
            at[point.index] = point
            found.setdefault((arm, point.index), []).append(figure)
    ordered = sorted(found, key=lambda key: (graph.arms.index(key[0]), key[1]))
    return [_spot(arm, at[index], found[arm, index]) for arm, index in ordered]


def _spot(arm: str, point: PointRead, figures: list[Figure]) -> Spot:
    values = [figure.value for figure in figures]
    lows = [figure.value if figure.low is None else figure.low for figure in figures]
    highs = [figure.value if figure.high is None else figure.high for figure in figures]
    inside = any(f.low is not None or f.high is not None for f in figures)
    ends = inside or len(figures) > 1
    return Spot(
        arm=arm,
        point=point,
        n=len(figures),
        value=median(values),
        low=min(lows) if ends else None,
        high=max(highs) if ends else None,
        of_iterations=inside and len(figures) == 1,
    )


def usual_quantile(latencies: list[Latency]) -> float | None:
    """The quantile that most of them have, preferably 0.95; None if none has one below 1."""
    counts = Counter(q for latency in latencies for q, _ in latency.quantiles if 0 < q < 1)
    if not counts:
        return None
    return max(counts, key=lambda q: (counts[q], q == 0.95, q))


def ordinal(quantile: float) -> str:
    """0.95 -> "p95"."""
    return f"p{quantile * 100:g}"


def figure(value: float | None) -> Figure | None:
    """A figure without ends."""
    return None if value is None else Figure(value)
