"""Captions of the charts: what is drawn, of how many runs, with which spread, and what isn't."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dyno.graph.charts.points import Spot, point_of, points
from dyno.graph.model import Graph, Run
from dyno.spec.units import plural

ITERATIONS = (
    "average of the iterations, the bar their minimum to maximum (the file doesn't say how many "
    "they were)"
)


def spot(spot: Spot, noun: str, shown: Callable[[float], str]) -> str:
    """A point in words."""
    ends = ""
    if spot.low is not None and spot.high is not None:
        ends = f" ({shown(spot.low)} to {shown(spot.high)})"
    return f"{spot.arm}, {spot.point.label}: {noun} {shown(spot.value)}{ends}, {spot.says}"


def throughput(graph: Graph) -> str:
    """The caption of throughput."""

    def has(run: Run) -> bool:
        return run.throughput_per_s is not None

    said = [_figures(graph, has)]
    if any(run.seconds is not None for run in graph.runs):
        said.append(
            "Of mysqlslap it is computed: clients x queries per client / seconds, so the average "
            "is that of the times."
        )
    units = dict.fromkeys(run.unit for run in graph.runs if has(run))
    if len(units) > 1:
        said.append(f"{_listed(units)} are not the same work: compare within a panel only.")
    said.append("Higher is better; the axis starts at 0.")
    said += _missing(graph, has, "throughput")
    said += _unplaced(graph, has)
    return " ".join(said)


def seconds(graph: Graph) -> str:
    """The caption of mysqlslap's times."""

    def has(run: Run) -> bool:
        return run.seconds is not None

    return " ".join(
        [
            "As mysqlslap writes it: the time in which all clients together ran all queries.",
            _figures(graph, has),
            "Lower is better.",
            *_missing(graph, has, "such time"),
        ]
    )


def latency(graph: Graph, quantile: float | None) -> str:
    """The caption of latency over levels."""

    def has(run: Run) -> bool:
        return bool(run.latency.quantiles) or run.latency.mean_ms is not None

    said = [_figures(graph, has), "Lower is better."]
    if quantile is not None:
        lacking = _arms(graph, lambda run: has(run) and run.latency.at(quantile) is None)
        if lacking:
            said.append(f"No p{quantile * 100:g} is in the output of {_listed(lacking)}.")
    else:
        said.append("No file holds a percentile: the mean hides the slow ones.")
    said += _missing(graph, has, "latency")
    said += _unplaced(graph, has)
    return " ".join(said)


def percentiles(graph: Graph, drawn: int, there: int) -> str:
    """The caption of latency by percentile."""
    said = [
        "Each line is one run, with the percentiles that its output holds, or that the counts of "
        "its histogram carry (a hundred ops beyond each); max is the slowest op. The axis widens "
        "towards the slow ops. Lower is better; log axis."
    ]
    if there > drawn:
        said.append(f"{drawn} of {there} levels are drawn.")
    said += _missing(graph, lambda run: len(run.latency.quantiles) > 1, "second percentile")
    return " ".join(said)


def over_time(graph: Graph, what: str, has: Callable[[Run], bool]) -> str:
    """The caption of a picture over time."""
    runs = sum(has(run) for run in graph.runs)
    said = [
        f"Each line is one run, {what} in every interval of its report against the seconds since "
        f"the run began; {plural(runs, 'run')}. Nothing is cut off as warm-up. Every panel has its "
        "own vertical axis, from 0."
    ]
    units = dict.fromkeys(run.unit for run in graph.runs if has(run))
    if len(units) > 1:
        said.append(f"{_listed(units)} are not the same work.")
    said += _missing(graph, has, "such intervals")
    return " ".join(said)


def _figures(graph: Graph, has: Callable[[Run], bool]) -> str:
    """What a point is: one run, the median of several, or the average of iterations."""
    runs = [run for run in graph.runs if has(run) and _has_place(graph, run)]
    if all(run.seconds is not None for run in runs):
        return f"Each point is the {ITERATIONS}; {plural(len(runs), 'run')}."
    said = f"Each point is one run (n = 1), so it has no spread; {plural(len(runs), 'run')}."
    if _repeated(graph, has):
        said = (
            "Each point is one run, which has no spread, or the median of several of an arm at a "
            "level, with a bar from the least to the greatest; "
            f"{plural(len(runs), 'run')} in all."
        )
    if any(run.seconds is not None for run in runs):
        said += f" Of mysqlslap each point is the {ITERATIONS}."
    return said


def _repeated(graph: Graph, has: Callable[[Run], bool]) -> bool:
    spots = [(arm, run.connections, run.rate_per_s) for arm, run in graph.named if has(run)]
    return len(set(spots)) < len(spots)


def _missing(graph: Graph, has: Callable[[Run], bool], what: str) -> Iterator[str]:
    lacking = [run for run in graph.runs if not has(run)]
    if lacking:
        arms = _arms(graph, lambda run: not has(run))
        yield (
            f"Not drawn: {plural(len(lacking), 'run')} of {_listed(arms)}, whose output holds no "
            f"{what}."
        )


def _unplaced(graph: Graph, has: Callable[[Run], bool]) -> Iterator[str]:
    lost = [run for run in graph.runs if has(run) and not _has_place(graph, run)]
    if lost:
        arms = _arms(graph, lambda run: has(run) and not _has_place(graph, run))
        yield (
            f"Not drawn: {plural(len(lost), 'run')} of {_listed(arms)}, whose output doesn't say "
            "how many connections there were."
        )


def _has_place(graph: Graph, run: Run) -> bool:
    """Whether a run has a place on the axis; with a single level there is no axis."""
    there = points(graph)
    return len(there) < 2 or point_of(graph, run, there) is not None


def _arms(graph: Graph, chosen: Callable[[Run], bool]) -> dict[str, None]:
    return dict.fromkeys(arm for arm, run in graph.named if chosen(run))


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    shown = names[:4]
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(shown) + more
