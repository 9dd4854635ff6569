"""Reads what sysbench prints in a run, and accepts nothing else.

Each line has a form: text with fields of Python's format syntax. A line is read by its form, and
written from the values; it must come out as it was. So widths, decimals, blanks and the order
of lines are held, not only the words. What scripts print themselves is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from string import Formatter

Value = int | float | str
Values = dict[str, Value]
NUMBER = r"\s*-?\d+(?:\.\d+)?\s*"

BANNER = "sysbench 1.0.20 ({build})"
MODE = "Running the test with following options:"
# In this order, each at most once; those marked are followed by an empty line.
SETTINGS = [
    ("Number of threads: {threads:d}", False),
    ("Warmup time: {warmup_s:d}s", False),
    ("Target transaction rate: {rate:d}/sec", False),
    ("Report intermediate results every {report_interval_s:d} second(s)", False),
    ("Report checkpoint(s) at {checkpoints} seconds", False),
    ("Debug mode enabled.", True),
    ("Validation checks: on.", True),
]
SEEDS = [
    "Initializing random number generator from current time",
    "Initializing random number generator from seed ({seed:d}).",
]
FORCED = "Forcing shutdown in {forced_shutdown_s:d} seconds"
STARTING, STARTED = "Initializing worker threads...", "Threads started!"
WARMING = "Warming up for {warmup_s:d} seconds..."

INTERVAL = (
    "[ {time_s:.0f}s ] thds: {threads:d} tps: {tps:.2f} qps: {qps:.2f} "
    "(r/w/o: {reads:.2f}/{writes:.2f}/{other:.2f}) lat (ms,{percentile:d}%): {latency_ms:.2f} "
    "err/s: {errors:.2f} reconn/s: {reconnects:.2f}"
)
INTERVAL_WITHOUT_SQL = (
    "[ {time_s:.0f}s ] thds: {threads:d} eps: {eps:.2f} lat (ms,{percentile:d}%): {latency_ms:.2f}"
)
QUEUE = "[ {time_s:.0f}s ] queue length: {queue_length:d}, concurrency: {concurrency:d}"
QUEUE_WITHOUT_SQL = "[ {time_s:.0f}s ] queue length: {queue_length:d} concurrency: {concurrency:d}"
CHECKPOINT = "[ {time_s:.0f}s ] Checkpoint report:"

HISTOGRAM = [
    "Latency histogram (values are in milliseconds)",
    "       value  ------------- distribution ------------- count",
]
BUCKET = "{value:12.3f} |{stars:<40s} {count:d}"

SQL = [
    "SQL statistics:",
    "    queries performed:",
    "        read:                            {reads:d}",
    "        write:                           {writes:d}",
    "        other:                           {other:d}",
    "        total:                           {total:d}",
    "    transactions:                        {transactions:<6d} ({tps:.2f} per sec.)",
    "    queries:                             {queries:<6d} ({qps:.2f} per sec.)",
    "    ignored errors:                      {errors:<6d} ({errors_per_s:.2f} per sec.)",
    "    reconnects:                          {reconnects:<6d} ({reconnects_per_s:.2f} per sec.)",
    "",
]
GENERAL = [
    "General statistics:",
    "    total time:                          {total_time_s:.4f}s",
    "    total number of events:              {events:d}",
    "",
    "Latency (ms):",
    "         min:{min_ms:40.2f}",
    "         avg:{avg_ms:40.2f}",
    "         max:{max_ms:40.2f}",
]
PERCENTILE = "        {percentile:3d}th percentile:{percentile_ms:28.2f}"
NO_PERCENTILE = "         percentile stats:               disabled"
FAIRNESS = [
    "         sum:{sum_ms:40.2f}",
    "",
    "Threads fairness:",
    "    events (avg/stddev):           {events_avg:.4f}/{events_stddev:.2f}",
    "    execution time (avg/stddev):   {execution_avg_s:.4f}/{execution_stddev_s:.2f}",
    "",
]


class ReportError(AssertionError):
    """A line that sysbench doesn't print, or not there."""


@dataclass
class Report:
    """A full report: the one at the end, or a checkpoint's."""

    values: Values
    histogram: list[tuple[float, int]] = field(default_factory=list)

    def __getitem__(self, name: str) -> float:
        value = self.values[name]
        assert not isinstance(value, str)
        return value


@dataclass
class Run:
    """All that a run prints."""

    settings: Values
    intervals: list[Values]
    queues: list[Values]
    checkpoints: list[Report]
    final: Report


def pattern(form: str) -> re.Pattern[str]:
    """What a line of a form looks like, but for widths and decimals."""
    parts = []
    for text, name, spec, _ in Formatter().parse(form):
        parts.append(re.escape(text))
        if name is not None:
            kind = NUMBER if spec and spec[-1] in "df" else ".*"
            parts.append(f"(?P<{name}>{kind})")
    return re.compile("".join(parts))


def read_form(form: str, line: str) -> Values | None:
    """The values of a line, if it has that form exactly."""
    found = pattern(form).fullmatch(line)
    if found is None:
        return None
    values: Values = {}
    for _, name, spec, _ in Formatter().parse(form):
        if name is None:
            continue
        text = found[name]
        if spec and spec[-1] == "d":
            values[name] = int(text)
        elif spec and spec[-1] == "f":
            values[name] = float(text)
        else:
            values[name] = text.rstrip() if spec else text
    return values if form.format(**values) == line else None


class Lines:
    """The lines of an output, from the first to the last, each read once."""

    def __init__(self, text: str) -> None:
        if not text.endswith("\n"):
            raise ReportError(f"the output ends in the midst of a line: {text[-80:]!r}")
        self.lines = text.split("\n")[:-1]
        self.next = 0

    def take(self, form: str) -> Values | None:
        """Read the next line, if it has this form."""
        if self.next < len(self.lines):
            values = read_form(form, self.lines[self.next])
            if values is not None:
                self.next += 1
                return values
        return None

    def expect(self, *forms: str) -> Values:
        """Read a line of each form, in order."""
        values: Values = {}
        for form in forms:
            found = self.take(form)
            if found is None:
                raise ReportError(f"line {self.next + 1}: {self.here()} is not {form!r}")
            values |= found
        return values

    def here(self) -> str:
        return repr(self.lines[self.next]) if self.next < len(self.lines) else "the end"

    def end(self) -> None:
        if self.next < len(self.lines):
            raise ReportError(f"line {self.next + 1}: {self.here()} behind the end")


def read_run(text: str, *, sql: bool = True) -> Run:
    """Read the output of a `run` that finished; `sql`: whether it uses a driver."""
    lines = Lines(text)
    settings = read_settings(lines)
    run = Run(settings, [], [], [], Report({}))
    while True:
        if lines.take(CHECKPOINT):
            run.checkpoints.append(read_report(lines, sql=sql))
        elif values := lines.take(INTERVAL if sql else INTERVAL_WITHOUT_SQL):
            run.intervals.append(values)
            if "rate" in settings:
                queue = lines.take(QUEUE if sql else QUEUE_WITHOUT_SQL)
                if queue is None:
                    # The run's end may come between the two lines of the last interval.
                    break
                run.queues.append(queue)
        else:
            break
    run.final = read_report(lines, sql=sql)
    lines.end()
    return run


def read_settings(lines: Lines) -> Values:
    """The banner, down to the start of the threads."""
    settings = lines.expect(BANNER, "", MODE)
    for form, ends in SETTINGS:
        found = lines.take(form)
        if found is not None:
            settings |= found
            if ends:
                lines.expect("")
    if lines.take(SEEDS[0]) is None:
        settings |= lines.expect(SEEDS[1])
    lines.expect("")
    forced = lines.take(FORCED)
    settings |= forced or {}
    lines.expect("", STARTING, "", STARTED, "")
    if "warmup_s" in settings:
        lines.expect(WARMING, "")
    return settings


def read_report(lines: Lines, *, sql: bool) -> Report:
    """A full report."""
    histogram = list(read_histogram(lines))
    values = lines.expect(*(SQL if sql else [""]))
    values |= lines.expect(*GENERAL)
    if lines.take(NO_PERCENTILE) is None:
        values |= lines.expect(PERCENTILE)
    values |= lines.expect(*FAIRNESS)
    return Report(values, histogram)


def read_histogram(lines: Lines) -> Iterator[tuple[float, int]]:
    """The buckets, if there is a histogram."""
    if lines.take(HISTOGRAM[0]) is None:
        return
    lines.expect(HISTOGRAM[1])
    while (bucket := lines.take(BUCKET)) is not None:
        stars = str(bucket["stars"])
        assert stars == "*" * len(stars)
        yield float(bucket["value"]), int(bucket["count"])
    lines.expect(" ")
