"""sysbench 1.0, the peer for its own OLTP scripts: closed load, and tables filled."""

from __future__ import annotations

from benches.child import Cost, run
from benches.stand import LOADING_SCHEMA, SCHEMA, Over, Sample, Stand, Tool
from dyno.errors import LoadError


def sysbench(script: str, *options: str, threads: int, over: Over = "socket") -> Tool:
    """A closed load; statements are prepared, as far as the script does."""

    def tool(stand: Stand) -> Sample:
        argv = [*_command(stand, script, SCHEMA, over), *options]
        argv += [f"--threads={threads}", "--events=0", f"--time={stand.seconds}", "run"]
        cost, text = run(argv, stand.folder)
        return read_report(text, cost)

    return tool


def sysbench_loading(script: str, *options: str, threads: int, rows: int) -> Tool:
    """Tables made and filled in a new schema; an op is a row."""

    def tool(stand: Stand) -> Sample:
        stand.make_schema(LOADING_SCHEMA)
        stand.settle()
        argv = [*_command(stand, script, LOADING_SCHEMA, "socket"), *options]
        cost, _ = run([*argv, f"--threads={threads}", "prepare"], stand.folder)
        return Sample(cost, ops=rows, elapsed_s=cost.wall_s)

    return tool


def read_report(text: str, cost: Cost) -> Sample:
    """The sample of a report.

    The mean latency is the sum over the events: "avg" has two decimals of a millisecond, and the
    buckets of the histogram are 2 % wide.
    """
    parts = (line.partition(":") for line in text.splitlines())
    said = {key.strip(): value.split()[0] for key, _, value in parts if value.strip()}
    try:
        events = int(said["total number of events"])
        elapsed_s = float(said["total time"].removesuffix("s"))
        latency_ms = float(said["sum"])
    except (KeyError, ValueError) as error:
        raise LoadError(
            f"sysbench's report can't be read: {error}", hint="1.0 is known; see sysbench --version"
        ) from error
    mean_us = 1e3 * latency_ms / events if events else None
    return Sample(cost, ops=events, elapsed_s=elapsed_s, latency_us_mean=mean_us)


def _command(stand: Stand, script: str, schema: str, over: Over) -> list[str]:
    where = [f"--mysql-socket={stand.server.socket}"]
    if over == "tcp":
        where = ["--mysql-host=127.0.0.1", f"--mysql-port={stand.server.port}"]
    who = ["--mysql-user=root", f"--mysql-db={schema}"]
    return ["sysbench", script, "--db-driver=mysql", "--db-ps-mode=auto", *where, *who]
