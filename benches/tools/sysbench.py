"""sysbench's command line, of sysbench 1.0 or of dynoload: closed load, and tables filled."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from benches.child import Cost, Line, run, server_cpu_between
from benches.stand import LOADING_SCHEMA, SCHEMA, Over, Sample, Stand, Tool
from dyno.errors import LoadError
from dyno.program import find_dynoload

THEIRS = ("sysbench",)
# Of the histogram that both print: 1,024 buckets from 1 us to 100 s, each named by its middle.
LEAST_MS = 1e-3
BUCKET = math.log(1e5 / LEAST_MS) / 1023


def ours() -> tuple[str, str]:
    """The same command line in dynoload."""
    return str(find_dynoload()), "sysbench"


def sysbench(
    script: str,
    *options: str,
    threads: int,
    warmup_s: int,
    over: Over = "socket",
    program: Callable[[], Sequence[str]] = lambda: THEIRS,
    schema: str = SCHEMA,
) -> Tool:
    """A closed load; statements are prepared, as far as the script does."""

    def tool(stand: Stand) -> Sample:
        argv = [*program(), *_command(stand, script, schema, over)]
        argv += [*options, f"--threads={threads}"]
        argv += ["--events=0", f"--time={warmup_s + stand.seconds}"]
        argv += [f"--report-interval={warmup_s}", "run"]
        cost, lines = run(argv, stand.folder, stand.server.pid)
        return read_report(lines, cost)

    return tool


def sysbench_loading(
    script: str,
    *options: str,
    threads: int,
    rows: int,
    program: Callable[[], Sequence[str]] = lambda: THEIRS,
) -> Tool:
    """Tables made and filled in a new schema; an op is a row."""

    def tool(stand: Stand) -> Sample:
        stand.make_schema(LOADING_SCHEMA)
        stand.settle()
        cost = prepare(stand, script, *options, f"--threads={threads}", program=program)
        return Sample(cost, ops=rows, elapsed_s=cost.wall_s, cpu_s=cost.cpu_s)

    return tool


def prepare(
    stand: Stand,
    script: str,
    *options: str,
    program: Callable[[], Sequence[str]] = lambda: THEIRS,
    schema: str = LOADING_SCHEMA,
) -> Cost:
    """Make and fill a script's tables in a schema that is there."""
    argv = [*program(), *_command(stand, script, schema, "socket"), *options, "prepare"]
    cost, _ = run(argv, stand.folder)
    return cost


def read_report(lines: Sequence[Line], cost: Cost) -> Sample:
    """The sample of a report, without what was before its first interim report.

    That comes late on a busy host, and says when only to a second; so it is timed by its line.
    Latencies are of the whole run, percentiles where a histogram was printed. The mean is the sum
    over the events: "avg" has two decimals of a millisecond, and buckets are 2 % wide.
    """
    parts = (line.text.partition(":") for line in lines)
    said = {key.strip(): value.split()[0] for key, _, value in parts if value.strip()}
    try:
        start = next(line for line in lines if line.text.startswith("Threads started!"))
        begin = next(line for line in lines if line.text.startswith("[ "))
        end = next(line for line in lines if line.text.startswith("SQL statistics"))
        warmup_s = begin.t_s - start.t_s
        warmup_ops = warmup_s * float(begin.text.partition("tps:")[2].split()[0])
        events = int(said["total number of events"])
        elapsed_s = float(said["total time"].removesuffix("s"))
        latency_ms = float(said["sum"])
    except (KeyError, IndexError, ValueError, StopIteration) as error:
        words = " / ".join(line.text for line in lines if line.text)
        raise LoadError(
            f"sysbench's report can't be read ({error!r}): {words}",
            hint="1.0 is known; see sysbench --version",
        ) from error
    histogram = _histogram(lines)
    return Sample(
        cost,
        ops=round(events - warmup_ops),
        elapsed_s=elapsed_s - warmup_s,
        cpu_s=end.cpu_s - begin.cpu_s,
        server_cpu_s=server_cpu_between(begin, end),
        latency_us_mean=1e3 * latency_ms / events if events else None,
        latency_us_p50=_percentile_us(histogram, 0.50),
        latency_us_p99=_percentile_us(histogram, 0.99),
    )


def _histogram(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """Buckets with their counts, as both programs print them; none without --histogram."""
    begin = next((i for i, line in enumerate(lines) if line.text.startswith("Latency hist")), None)
    if begin is None:
        return []
    found: dict[int, int] = {}
    for line in lines[begin + 2 :]:
        words = line.text.replace("|", " ").split()
        if len(words) < 2 or not words[-1].isdigit():
            break
        bucket = round(math.log(max(float(words[0]), LEAST_MS) / LEAST_MS) / BUCKET)
        found[bucket] = found.get(bucket, 0) + int(words[-1])
    return sorted(found.items())


def _percentile_us(histogram: Sequence[tuple[int, int]], share: float) -> float | None:
    """A percentile, between the edges of its bucket as far as the bucket's ops reach."""
    wanted, seen = share * sum(count for _, count in histogram), 0
    for bucket, count in histogram:
        if seen + count >= wanted:
            place = bucket - 0.5 + (wanted - seen) / count
            return 1e3 * LEAST_MS * math.exp(place * BUCKET)
        seen += count
    return None


def _command(stand: Stand, script: str, schema: str, over: Over) -> list[str]:
    where = [f"--mysql-socket={stand.server.socket}"]
    if over == "tcp":
        where = ["--mysql-host=127.0.0.1", f"--mysql-port={stand.server.port}"]
    who = ["--mysql-user=root", f"--mysql-db={schema}"]
    return [script, "--db-driver=mysql", "--db-ps-mode=auto", *where, *who]
