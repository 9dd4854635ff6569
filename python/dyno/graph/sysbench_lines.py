"""The lines of sysbench's output, as patterns. 1.0 and 1.1, and the older 0.4 and 0.5."""

from __future__ import annotations

import re

from dyno.graph.text import COUNT, NUMBER

N = NUMBER
BANNER = re.compile(r"sysbench \d\S*")
FATAL = "FATAL:"
HEAD = re.compile(
    rf"Number of threads: (?P<threads>{COUNT})\s*$"
    rf"|Target transaction rate: (?P<rate>{N})/sec\s*$"
)
_TIME = rf"\[ *(?P<end>{N})s *\] "
_INTERVALS = (
    # 1.0 and 1.1; a script that installs its own reporter may leave out the qps.
    re.compile(
        rf"{_TIME}thds: (?P<threads>{COUNT}) (?P<what>tps|eps): (?P<per_s>{N}) "
        rf"(?:qps: .*)?lat \(ms, ?(?P<percent>{N})%\): (?P<ms>{N})(?: err/s:? {N}.*)?\s*$"
    ),
    # 0.5
    re.compile(
        rf"{_TIME}threads: (?P<threads>{COUNT}), tps: (?P<per_s>{N}), .*"
        rf"response time: (?P<ms>{N})ms \((?P<percent>{N})%\)"
    ),
)
MEANT = re.compile(r"\[ *\S+ *\] (?:thds|threads):")
QUEUE = re.compile(rf"{_TIME}queue length: (?P<queue>{COUNT}),? concurrency: (?P<busy>{COUNT})")
CHECKPOINT = re.compile(rf"{_TIME}Checkpoint report:")
HISTOGRAM = re.compile(rf" *(?P<ms>{N}) \|\**\s+(?P<count>{COUNT})\s*$")
TRANSACTIONS = re.compile(rf"    transactions: +({COUNT}) +\(({N}) per sec\.\)\s*$")
EVENTS_PER_S = re.compile(rf"    (?:events per second|events/s \(eps\)): +({N})\s*$")
ELAPSED = re.compile(rf"    (?:total time|time elapsed): +({N})s\s*$")
EVENTS = re.compile(rf"    total number of events: +({COUNT})\s*$")
LATENCY = re.compile(rf" {{8,}}(?P<name>min|avg|max): +(?P<value>{N})(?P<unit>ms|s|)\s*$")
PERCENTILE = re.compile(
    rf" {{8,}}(?:approx\. +)?(?P<percent>{N})(?:th)? percentile: +"
    rf"(?P<value>{N})(?P<unit>ms|s|)\s*$"
)
LAST = re.compile(r"    execution time \(avg/stddev\):")
# The same lines with an unreadable value, as a full disk or a kill leaves them.
MEANT_REPORT = re.compile(
    r"    (?:transactions|total time|time elapsed|total number of events|events per second):"
    r"| {8,}(?:min|avg|max): "
)
EXPECTED = (
    "sysbench's own lines, such as [ 1s ] thds: 2 tps: 888.77 qps: … (r/w/o: …) lat (ms,95%): 3.55 "
    "err/s: 0.00 reconn/s: 0.00"
)
# Lines of a log with nothing to draw.
KNOWN = re.compile(
    "|".join(
        (
            r"Running the test with following options",
            r"(?:Additional request validation|Validation checks|Debug mode|Extra file)",
            r"Report (?:intermediate results|checkpoint)",
            r"Initializing (?:random|worker)|Random number generator|Forcing shutdown",
            r"Warmup time|Warming up|Threads started|WARNING: --num-threads",
            r"(?:Time|Event) limit exceeded|Done\.|\(last message repeated|Doing \w+ test",
            r"Running \w+ OLTP|Using (?:\w+ distribution|\"BEGIN)",
            r"Using auto_inc|Maximum (?:number of|time for)",
            r"(?:SQL|OLTP test|General|Test execution) (?:statistics|summary):|Throughput:",
            r"Latency \(ms\):|Latency histogram|Threads fairness:|CPU speed:|Prime numbers limit",
            r"\s+value +-+ distribution",
            r"    (?:queries performed|transactions|queries|deadlocks|read/write requests):",
            r"    (?:other operations|ignored errors|reconnects|total time taken by event)",
            r"    (?:response time|per-request statistics):|    events \(avg/stddev\):",
            r"        (?:read|write|other|total): ",
            r"\s+sum: |\s+percentile stats: ",
        )
    )
)
MARK = re.compile(
    r"^sysbench \d|^Number of threads: \d|^\[ *\d+s *\] (?:thds|threads): "
    r"|^(?:OLTP test statistics|SQL statistics|Threads fairness):"
)


def interval_match(line: str) -> re.Match[str] | None:
    """The parts of an interval line of any version."""
    return next((m for pattern in _INTERVALS if (m := pattern.match(line))), None)
