"""Reads pgbench's output: the summary, and the progress lines (-P) before it.

Its logs (-l with --aggregate-interval) are read in pgbench_log.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dyno.graph import pgbench_log
from dyno.graph.model import Figure, Found, Interval, Latency, Run
from dyno.graph.text import COUNT, NUMBER, Format, Text, number, parse_count

N = NUMBER
BEGIN = re.compile(r"pgbench \(|starting vacuum")
PROGRESS = re.compile(
    rf"progress: (?P<end>{N}) s, (?P<per_s>{N}) tps, lat (?P<mean>{N}) ms "
    rf"stddev (?P<stddev>{N})(?:, .*)?\s*$"
)
SUMMARY = {
    "kind": re.compile(r"transaction type: (.+?)\s*$"),
    "clients": re.compile(rf"number of clients: ({COUNT})\s*$"),
    "mean": re.compile(rf"latency average(?: =|:) ({N}) ms"),
    "stddev": re.compile(rf"latency stddev(?: =|:) ({N}) ms"),
}
# 14 and newer write one figure; older ones two, of which the one without connecting counts.
TPS = re.compile(rf"tps = ({N}) \((?:without initial connection|excluding connections)")
TPS_WITH_CONNECTING = re.compile(rf"tps = ({N}) \(including connections")
MEANT = re.compile(r"progress: |tps = |number of clients:")
EXPECTED = (
    "progress: 1.0 s, 1414.5 tps, lat 0.702 ms stddev 3.495, …; number of clients: 2; "
    "tps = 1202.749657 (without initial connection time)"
)
KNOWN = re.compile(
    r"scaling factor:|query mode:|partition|number of (?:threads|transactions|failed|serial|dead)"
    r"|maximum number of tries:|duration:|rate limit schedule lag:|(?:initial|average) connection"
    r"|(?:total )?number of (?:retries|transactions retried)|SQL script \d| - |latency average"
    r"|(?:script |statement )(?:statistics|latencies)|\s+-?\d+\.\d{3}\s"
)


@dataclass
class _Run:
    """A run while it is being read."""

    line: int
    said: dict[str, str] = field(default_factory=dict)
    per_s: float | None = None
    intervals: list[Interval] = field(default_factory=list)

    @property
    def has_throughput(self) -> bool:
        """Whether its throughput has been written."""
        return self.per_s is not None


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
        runs = [run for run in self.runs if run.intervals or run.has_throughput]
        notes = []
        unfinished = sum(not run.has_throughput for run in runs)
        if unfinished:
            notes.append(f"{unfinished} of {len(runs)} runs have no summary: drawn over time only")
        several = len({run.said.get("kind") for run in runs}) > 1
        return Found(
            tuple(_finished(run, several) for run in runs), tuple(self.other), tuple(notes)
        )

    def _line(self, place: int, line: str) -> bool:
        if BEGIN.match(line):
            if not self.runs or self.runs[-1].said or self.runs[-1].intervals:
                self.runs.append(_Run(place))
        elif match := PROGRESS.match(line):
            self._progress(place, match)
        elif named := self._named(line):
            run = self._run(place, again=named[0] == "kind")
            # The lines of single scripts repeat some of these after the throughput.
            if not run.has_throughput:
                run.said.setdefault(*named)
        elif match := TPS.match(line):
            self._run(place).per_s = number(match[1])
        elif MEANT.match(line) and not TPS_WITH_CONNECTING.match(line):
            raise self.text.broken(place, "not a line of pgbench", EXPECTED)
        else:
            return KNOWN.match(line) is not None or TPS_WITH_CONNECTING.match(line) is not None
        return True

    def _named(self, line: str) -> tuple[str, str] | None:
        found = ((name, pattern.match(line)) for name, pattern in SUMMARY.items())
        return next(((name, match[1]) for name, match in found if match), None)

    def _run(self, place: int, *, again: bool = False) -> _Run:
        """The run that a line belongs to; `again` if the line begins another summary."""
        if not self.runs or (again and self.runs[-1].said):
            self.runs.append(_Run(place))
        return self.runs[-1]

    def _progress(self, place: int, match: re.Match[str]) -> None:
        end_s = number(match["end"])
        if end_s is None:
            raise self.text.broken(place, "a progress line without a time", EXPECTED)
        run = self._run(place)
        back = bool(run.intervals) and end_s <= run.intervals[-1].end_s
        if run.has_throughput or run.said or back:
            run = _Run(place)
            self.runs.append(run)
        per_s = number(match["per_s"])
        latency = Latency(mean_ms=number(match["mean"]), stddev_ms=number(match["stddev"]))
        run.intervals.append(Interval(end_s, per_s, latency if per_s else Latency()))


def _finished(run: _Run, several: bool) -> Run:
    clients = run.said.get("clients")
    mean, stddev = run.said.get("mean"), run.said.get("stddev")
    return Run(
        line=run.line,
        unit="transactions",
        arm=run.said.get("kind", "") if several else "",
        connections=parse_count(clients) if clients else None,
        throughput_per_s=None if run.per_s is None else Figure(run.per_s),
        latency=Latency(
            mean_ms=number(mean) if mean else None, stddev_ms=number(stddev) if stddev else None
        ),
        intervals=_from_zero(run.intervals),
    )


def _from_zero(intervals: list[Interval]) -> tuple[Interval, ...]:
    """--progress-timestamp gives times of day; the run's own clock begins one step before them."""
    if not intervals or intervals[0].end_s < pgbench_log.EPOCH_LEAST_S:
        return tuple(intervals)
    if len(intervals) < 2:
        return ()
    begin_s = 2 * intervals[0].end_s - intervals[1].end_s
    return tuple(
        Interval(round(each.end_s - begin_s, 3), each.throughput_per_s, each.latency)
        for each in intervals
    )


def _read(text: Text) -> Found:
    return pgbench_log.read(text) if pgbench_log.is_log(text) else _Reader(text).read()


FORMAT = Format(
    name="pgbench",
    expects="what pgbench prints, or its log of --aggregate-interval",
    mark=re.compile(
        r"^pgbench \(|^progress: \S+ s, |^number of clients: \d|^tps = \d|" + pgbench_log.MARK
    ),
    read=_read,
)
