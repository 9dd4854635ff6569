"""Reads sysbench's output: 1.0, 1.1 and the older 0.4 and 0.5; any number of runs in one log.

A run begins at the program's first line. Where that is missing (lines picked with grep), it begins
where the clock of the interval lines goes back. What single lines mean is in sysbench_lines.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dyno.graph import sysbench_lines as lines
from dyno.graph.model import Checkpoint, Figure, Found, Interval, Latency, Run, Unit
from dyno.graph.quantiles import quantiles_of
from dyno.graph.sysbench_lines import EXPECTED
from dyno.graph.text import Format, Text, number, parse_count


@dataclass
class _Report:
    """One block of cumulative figures: the last one of a run, or one at a checkpoint."""

    end_s: float | None = None
    transactions: int | None = None
    events: int | None = None
    per_s: float | None = None
    elapsed_s: float | None = None
    ms: dict[str, float | None] = field(default_factory=dict)
    quantile: tuple[float, float] | None = None

    @property
    def has_begun(self) -> bool:
        """Whether the block has begun."""
        return self.events is not None or self.per_s is not None

    @property
    def throughput_per_s(self) -> float | None:
        """As written, or events over time if only these are given."""
        if self.per_s is not None:
            return self.per_s
        if self.events is None or not self.elapsed_s or self.end_s is not None:
            return None
        return self.events / self.elapsed_s

    def latency(self, histogram: dict[float, int]) -> Latency:
        """What the block says of latency, and what its histogram adds."""
        found = dict(quantiles_of(histogram))
        if self.quantile is not None:
            found[self.quantile[0]] = self.quantile[1]
        return Latency(
            self.ms.get("min"),
            self.ms.get("avg"),
            None,
            self.ms.get("max"),
            tuple(sorted(found.items())),
        )


@dataclass
class _Run:
    """A run while it is being read."""

    line: int
    threads: int | None = None
    rate_per_s: float | None = None
    unit: Unit = "events"
    intervals: list[Interval] = field(default_factory=list)
    reports: list[tuple[_Report, dict[float, int]]] = field(default_factory=list)
    report: _Report = field(default_factory=_Report)
    histogram: dict[float, int] = field(default_factory=dict)
    checkpoint_s: float | None = None
    fatal: str = ""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.intervals and not self.reports and not self.report.has_begun

    def close_report(self) -> None:
        """End the block, if there is one."""
        if self.report.has_begun:
            self.report.end_s = self.checkpoint_s
            self.reports.append((self.report, self.histogram))
            self.histogram = {}
        self.report, self.checkpoint_s = _Report(), None


class _Reader:
    """Goes through the lines of one text."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.runs: list[_Run] = []
        self.other: list[int] = []

    def read(self) -> Found:
        for place, line in self.text.numbered():
            if not self._line(place, line):
                self.other.append(place)
        for run in self.runs:
            run.close_report()
        kept = [run for run in self.runs if not run.empty]
        runs = tuple(_finished(run) for run in kept)
        return Found(runs, tuple(self.other), tuple(self._notes(kept)))

    def _line(self, place: int, line: str) -> bool:
        """Take in a line; False if it isn't part of a log."""
        if lines.BANNER.match(line):
            self.runs.append(_Run(place))
            return True
        if line.startswith(lines.FATAL):
            run = self._run(place)
            run.fatal = run.fatal or f"line {place}: {line.strip()}"
            return True
        if match := lines.HEAD.match(line):
            return self._head(place, match.lastgroup or "", match[match.lastgroup or 0])
        if line.lstrip().startswith("["):
            return self._clocked(place, line)
        return self._in_report(place, line) or lines.KNOWN.match(line) is not None

    def _run(self, place: int) -> _Run:
        if not self.runs:
            self.runs.append(_Run(place))
        return self.runs[-1]

    def _head(self, place: int, kind: str, value: str) -> bool:
        run = self._run(place)
        if not run.empty or (kind == "threads" and run.threads is not None):
            run = _Run(place)
            self.runs.append(run)
        if kind == "threads":
            run.threads = parse_count(value)
        else:
            run.rate_per_s = number(value)
        return True

    def _clocked(self, place: int, line: str) -> bool:
        """A line that begins with the time: an interval, a queue length, a checkpoint."""
        if match := lines.CHECKPOINT.match(line):
            run = self._run(place)
            run.close_report()
            run.checkpoint_s = number(match["end"])
        elif match := lines.QUEUE.match(line):
            found = self._run(place).intervals
            if found and found[-1].end_s == number(match["end"]):
                found[-1] = replace(
                    found[-1], queue=parse_count(match["queue"]), busy=parse_count(match["busy"])
                )
        elif match := lines.interval_match(line):
            self._interval(place, match.groupdict())
        elif lines.MEANT.match(line):
            raise self.text.broken(place, "not an interval line of sysbench", EXPECTED)
        else:
            return False
        return True

    def _interval(self, place: int, found: dict[str, str | None]) -> None:
        end_s = number(found["end"] or "nan")
        if end_s is None:
            raise self.text.broken(place, "an interval without a time", EXPECTED)
        run = self._run(place)
        last_s = run.intervals[-1].end_s if run.intervals else 0.0
        if end_s <= last_s:
            run = _Run(place)
            self.runs.append(run)
        threads = parse_count(found["threads"] or "0")
        run.threads = run.threads or threads or None
        run.unit = "events" if found.get("what") == "eps" else "transactions"
        percent, ms = number(found["percent"] or "nan"), number(found["ms"] or "nan")
        known = ms is not None and percent is not None and 0 < percent <= 100
        at = ((percent / 100, ms),) if known and percent and ms is not None else ()
        per_s = number(found["per_s"] or "nan")
        run.intervals.append(Interval(end_s, per_s, Latency(quantiles=at)))

    def _in_report(self, place: int, line: str) -> bool:
        """A line of a block of cumulative figures, or of a histogram."""
        if lines.LAST.match(line):
            if self.runs:
                self.runs[-1].close_report()
            return True
        run = self.runs[-1] if self.runs else _Run(place)
        if lines.TRANSACTIONS.match(line) and run.report.transactions is not None:
            run = _Run(place)
        if _take(run, line):
            if not self.runs or run is not self.runs[-1]:
                self.runs.append(run)
            return True
        if lines.MEANT_REPORT.match(line):
            raise self.text.broken(place, "a line of sysbench's report that is cut", EXPECTED)
        return False

    def _notes(self, kept: list[_Run]) -> Iterator[str]:
        gone = [run for run in self.runs if run.empty]
        why = next((run.fatal for run in gone if run.fatal), "")
        if gone:
            said = f"; {why}" if why else f"; the first begins in line {gone[0].line}"
            yield f"{len(gone)} of {len(self.runs)} runs have no figures{said}"
        unfinished = [run for run in kept if not run.reports]
        if unfinished:
            yield (
                f"{len(unfinished)} of {len(kept)} runs have no final report: drawn over time only"
            )
        fatal = [run for run in kept if run.fatal]
        if fatal:
            yield f"{len(fatal)} of {len(kept)} runs had a fatal error; {fatal[0].fatal}"
        if any(len(run.reports) > 1 for run in kept):
            yield (
                "of runs with checkpoints each report covers the time since the one before; their "
                "percentiles can't be added up"
            )


def _take(run: _Run, line: str) -> bool:
    """Note what a line of a report says; False if it says nothing."""
    report = run.report
    if match := lines.HISTOGRAM.match(line):
        value = number(match["ms"])
        if value is not None:
            run.histogram[value] = run.histogram.get(value, 0) + parse_count(match["count"])
    elif match := lines.TRANSACTIONS.match(line):
        report.transactions, report.per_s = parse_count(match[1]), number(match[2])
        run.unit = "transactions"
    elif match := lines.EVENTS_PER_S.match(line):
        # 1.1 also gives it for SQL, after transactions have been counted.
        report.per_s = report.per_s if report.transactions is not None else number(match[1])
    elif match := lines.ELAPSED.match(line):
        report.elapsed_s = number(match[1])
    elif match := lines.EVENTS.match(line):
        report.events = parse_count(match[1])
    elif match := lines.LATENCY.match(line) or lines.PERCENTILE.match(line):
        _take_latency(report, match)
    else:
        return False
    return True


def _take_latency(report: _Report, match: re.Match[str]) -> None:
    """0.4 may give seconds, all others give milliseconds."""
    found = match.groupdict()
    value = number(match["value"])
    ms = None if value is None else round(value * (1000.0 if match["unit"] == "s" else 1.0), 6)
    if "name" in found:
        report.ms[match["name"]] = ms
        return
    percent = number(match["percent"])
    if percent is not None and ms is not None and 0 < percent <= 100:
        report.quantile = (percent / 100, ms)


def _finished(run: _Run) -> Run:
    reports = run.reports
    done = Run(
        line=run.line,
        unit=run.unit,
        connections=run.threads,
        rate_per_s=run.rate_per_s,
        intervals=tuple(run.intervals),
    )
    if not reports:
        return done
    last, histogram = reports[-1]
    if len(reports) == 1 and last.end_s is None:
        per_s = last.throughput_per_s
        figure = None if per_s is None else Figure(per_s)
        return replace(done, throughput_per_s=figure, latency=last.latency(histogram))
    return _with_checkpoints(done, reports)


def _with_checkpoints(done: Run, reports: list[tuple[_Report, dict[float, int]]]) -> Run:
    """A run with its checkpoints, and the sums over them where possible."""
    checkpoints = []
    for report, histogram in reports:
        end_s = report.end_s if report.end_s is not None else report.elapsed_s
        if end_s is not None:
            checkpoints.append(
                Checkpoint(end_s, report.throughput_per_s, report.latency(histogram))
            )
    whole_run = replace(done, checkpoints=tuple(checkpoints))
    last = reports[-1][0]
    events = [report.events for report, _ in reports]
    if last.end_s is not None or not last.elapsed_s or None in events:
        return whole_run
    total = sum(count or 0 for count in events)
    lows = [r.ms.get("min") for r, _ in reports]
    highs = [r.ms.get("max") for r, _ in reports]
    sums = [(r.ms.get("avg"), r.events or 0) for r, _ in reports]
    mean = None
    if total and all(avg is not None for avg, _ in sums):
        mean = round(sum((avg or 0) * count for avg, count in sums) / total, 4)
    return replace(
        whole_run,
        throughput_per_s=Figure(round(total / last.elapsed_s, 2)),
        latency=Latency(
            min((low for low in lows if low is not None), default=None),
            mean,
            None,
            max((high for high in highs if high is not None), default=None),
        ),
    )


FORMAT = Format(
    name="sysbench",
    expects="what sysbench run prints, one run or several",
    mark=lines.MARK,
    read=lambda text: _Reader(text).read(),
)
