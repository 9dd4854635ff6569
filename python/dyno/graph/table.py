"""The tables of the page: the files, each run's figures, and what the charts can't show."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.graph.charts.points import ordinal
from dyno.graph.model import Figure, Graph, Reading, Run
from dyno.report import numbers
from dyno.report.charts.chart import Chart
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing
from dyno.spec.units import plural

NOT_IN_FILE = "not in the file"
QUANTILES_MOST = 6


def files_sheet(graph: Graph) -> Sheet:
    """What was read from each file, and what was skipped."""
    columns = [Column("Format"), Column("Runs"), Column("Other lines")]
    rows = [Row(reading.label, _file(reading), reading.file) for reading in graph.readings]
    return Sheet("Files", "File", columns, [Group("", rows)])


def _file(reading: Reading) -> list[Cell]:
    other = reading.found.other_lines
    below = f"from line {other[0]:,} on" if other else ""
    return [
        given(reading.format),
        given(f"{len(reading.found.runs):,}"),
        given(f"{len(other):,}", below),
    ]


def runs_sheet(graph: Graph) -> Sheet:
    """A row per run."""
    found = {q for run in graph.runs for q, _ in run.latency.quantiles if 0 < q < 1}
    quantiles = sorted(found)[-QUANTILES_MOST:]
    timed = any(run.seconds is not None for run in graph.runs)
    columns = [
        Column("Connections"),
        Column("Throughput, per second", "higher is better"),
        *([Column("Time", "lower is better")] if timed else []),
        Column("Mean latency"),
        *(Column(f"{ordinal(q)} latency") for q in quantiles),
        Column("Slowest"),
        Column("Intervals"),
    ]
    rows = [Row(arm, _run(run, quantiles, timed=timed)) for arm, run in graph.named]
    return Sheet("Runs", "Arm", columns, [Group("", rows)])


def _run(run: Run, quantiles: list[float], *, timed: bool) -> list[Cell]:
    offered = f"{run.rate_per_s:g}/s offered" if run.rate_per_s is not None else ""
    connections = given(f"{run.connections:,}", offered) if run.connections else None
    return [
        connections or missing(NOT_IN_FILE),
        _figure(run.throughput_per_s, run.unit),
        *([_seconds(run.seconds)] if timed else []),
        _ms(run.latency.mean_ms),
        *(_ms(run.latency.at(quantile)) for quantile in quantiles),
        _ms(run.latency.max_ms),
        given(f"{len(run.intervals):,}"),
    ]


def _figure(figure: Figure | None, unit: str) -> Cell:
    if figure is None:
        return missing(NOT_IN_FILE)
    ends = ""
    if figure.low is not None and figure.high is not None:
        ends = f"{numbers.rate(figure.low)} to {numbers.rate(figure.high)} "
    return given(numbers.rate(figure.value), f"{ends}{unit}")


def _seconds(figure: Figure | None) -> Cell:
    if figure is None:
        return missing(NOT_IN_FILE)
    if figure.low is None or figure.high is None:
        return given(numbers.seconds(figure.value))
    return given(
        numbers.seconds(figure.value),
        f"{numbers.seconds(figure.low)} to {numbers.seconds(figure.high)}",
    )


def _ms(value: float | None) -> Cell:
    return missing(NOT_IN_FILE) if value is None else given(numbers.milliseconds(value))


def limits(graph: Graph, charts: list[Chart]) -> list[str]:
    """What a reader must not conclude from the charts, and what isn't in them."""
    return [*_always(graph), *_absent(graph, charts), *_notes(graph)]


def _always(graph: Graph) -> Iterator[str]:
    if {reading.format for reading in graph.readings} != {"dyno"}:
        yield (
            "These runs came one after another, in an unknown order: a change on the host between "
            "them looks like a difference between arms. So there is no interval and no "
            "verdict here; dyno run measures arms in turn and gives both."
        )
    if len({reading.format for reading in graph.readings}) > 1:
        yield "Different tools count different work: compare arms of one tool only."


def _absent(graph: Graph, charts: list[Chart]) -> Iterator[str]:
    drawn = {chart.name for chart in charts}
    if "percentiles" not in drawn:
        yield "No run holds two percentiles, so latency isn't drawn by percentile."
    if "throughput-over-time" not in drawn:
        yield "No run has interval lines, so nothing is drawn over time."
    if not any(run.connections for run in graph.runs):
        yield "No file says how many connections there were."
    elif len({run.connections for run in graph.runs}) == 1:
        yield "All runs have the same number of connections, so there is nothing to draw over."


def _notes(graph: Graph) -> Iterator[str]:
    for reading in graph.readings:
        for note in reading.found.notes:
            yield f"{reading.label}: {note}."
        other = len(reading.found.other_lines)
        if other:
            yield (
                f"{reading.label}: skipped {plural(other, 'line')} of {reading.file}, "
                f"not output of {reading.format}; the first is line "
                f"{reading.found.other_lines[0]:,}."
            )
