"""sysbench's command line, of sysbench 1.0 or of dynoload: closed load, and tables filled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benches.child import Cost, Line, run, server_cpu_between
from benches.stand import LOADING_SCHEMA, SCHEMA, Over, Sample, Stand, Tool
from dyno.errors import LoadError
from dyno.program import find_dynoload

THEIRS = ("sysbench",)


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
    The mean latency is of the whole run. It is the sum over the events: "avg" has two decimals of
    a millisecond, and the buckets of the histogram are 2 % wide.
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
    return Sample(
        cost,
        ops=round(events - warmup_ops),
        elapsed_s=elapsed_s - warmup_s,
        cpu_s=end.cpu_s - begin.cpu_s,
        server_cpu_s=server_cpu_between(begin, end),
        latency_us_mean=1e3 * latency_ms / events if events else None,
    )


def _command(stand: Stand, script: str, schema: str, over: Over) -> list[str]:
    where = [f"--mysql-socket={stand.server.socket}"]
    if over == "tcp":
        where = ["--mysql-host=127.0.0.1", f"--mysql-port={stand.server.port}"]
    who = ["--mysql-user=root", f"--mysql-db={schema}"]
    return [script, "--db-driver=mysql", "--db-ps-mode=auto", *where, *who]
