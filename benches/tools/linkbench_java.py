"""LinkBench itself (Facebook's, in Java): load and requests. Not part of Dyno.

A checkout in which its jar was built is found by DYNO_LINKBENCH; Connector/J 5.1.49 lies beside
the jar, and stands before it on the class path, for the jar's own is too old for today's servers:

    mvn package -DskipTests
    mvn dependency:copy -Dartifact=mysql:mysql-connector-java:5.1.49 -DoutputDirectory=target

It knows no Unix socket: whoever is put beside it takes TCP on loopback, too.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from benches.child import Cost, Line, run, server_cpu_between
from benches.stand import LOADING_SCHEMA, Sample, Stand, Tool
from dyno.errors import LoadError

NAME = "linkbench"
VARIABLE = "DYNO_LINKBENCH"
JAR = "target/FacebookLinkBench.jar"
CONNECTOR = "target/mysql-connector-java-5.1.49.jar"
WORKLOAD = "config/FBWorkload.properties"
DISTRIBUTION = "config/Distribution.dat"
# As its own script starts it; its log goes to standard error, and the process stays the same.
JAVA = ("sh", "-c", 'exec java -Xmx1000m "$@" 2>&1', "sh")
DRIVER = "com.facebook.LinkBench.LinkBenchDriver"
STORE = "com.facebook.LinkBench.LinkStoreMysql"
TABLES = (
    "CREATE TABLE linktable (id1 BIGINT UNSIGNED NOT NULL DEFAULT 0, id2 BIGINT UNSIGNED NOT NULL"
    " DEFAULT 0, link_type BIGINT UNSIGNED NOT NULL DEFAULT 0, visibility TINYINT NOT NULL DEFAULT"
    " 0, data VARCHAR(255) NOT NULL DEFAULT '', time BIGINT UNSIGNED NOT NULL DEFAULT 0,"
    " version INT UNSIGNED NOT NULL DEFAULT 0, PRIMARY KEY (link_type, id1, id2),"
    " KEY id1_type (id1, link_type, visibility, time, id2, version, data))"
    " ENGINE=InnoDB DEFAULT CHARSET=latin1 PARTITION BY KEY(id1) PARTITIONS 16",
    "CREATE TABLE counttable (id BIGINT UNSIGNED NOT NULL DEFAULT 0, link_type BIGINT UNSIGNED NOT"
    " NULL DEFAULT 0, count INT UNSIGNED NOT NULL DEFAULT 0, time BIGINT UNSIGNED NOT NULL DEFAULT"
    " 0, version BIGINT UNSIGNED NOT NULL DEFAULT 0, PRIMARY KEY (id, link_type))"
    " ENGINE=InnoDB DEFAULT CHARSET=latin1",
    "CREATE TABLE nodetable (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, type INT"
    " UNSIGNED NOT NULL, version BIGINT UNSIGNED NOT NULL, time INT UNSIGNED NOT NULL,"
    " data MEDIUMTEXT NOT NULL) ENGINE=InnoDB DEFAULT CHARSET=latin1",
)
# Each thread sleeps 0.1 to 1.1 s before each of its two connections; a requester counts its time
# from then on, so that one may measure so long before the last one does.
SLEEP_S_MOST = 2.2
APART_S = 2
REQUESTS_ENOUGH = 100_000_000
PROGRESS_OPS = 1000

WARM = re.compile(r".*Requester #\d+ warmup finished ")
OVER = re.compile(r".*Requester #\d+: time limit of ")
PROGRESS = re.compile(r".*: (\d+)/\d+ requests finished: ")
OF_OP = re.compile(r".*: ([A-Z_]+) count = (\d+) .* mean = ([\d.]+)ms$")
# A requester's own figures; the number of rows of its lists stands where times stand.
LISTS = re.compile(
    r".*: ThreadID = \d+ RANGE_SIZE totalOps = (\d+) .* samples = (\d+) mean = (\S+)"
)
REQUESTER = re.compile(r".*: ThreadID = \d+ total requests = .* history queries = (\d+)/")
LOADED = re.compile(
    r".*LOAD PHASE COMPLETED\. +Loaded (\d+) nodes \(Expected (\d+)\)\. Loaded (\d+) "
)
NODE_LOADER = re.compile(r".*: Starting loader thread +#\d+ loading nodes")
LINK_LOADER = re.compile(r".*: Starting loader thread +#\d+ loading links")


@dataclass(frozen=True)
class Done:
    """What all requesters did in all: requests by op, rows of lists, lists read on."""

    ops: Mapping[str, int]
    list_rows: float
    history_lists: int


def lacks() -> str | None:
    """Why it can't be run here; None if it can."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return f"{VARIABLE} isn't set: it names the folder of a build of facebookarchive/linkbench"
    missing = [
        name for name in (JAR, CONNECTOR, WORKLOAD, DISTRIBUTION) if not in_folder(name).is_file()
    ]
    if missing:
        return f"{VARIABLE}={folder} has no file {missing[0]}"
    return None if shutil.which("java") else "there is no program java"


def in_folder(name: str) -> Path:
    """A file of the checkout that the environment names; of no file where it names none."""
    return Path(os.environ.get(VARIABLE, "")).absolute() / name


def linkbench(*, ids: int, requesters: int, warmup_s: int, schema: str) -> Tool:
    """A closed load on tables that are filled."""

    def tool(stand: Stand) -> Sample:
        asked = {
            "requesters": requesters,
            "requests": REQUESTS_ENOUGH,
            "warmup_time": warmup_s,
            "maxtime": stand.seconds + APART_S,
        }
        cost, lines = _start(stand, "-r", ids, schema, asked)
        return read_requests(lines, cost, requesters)

    return tool


def requests(stand: Stand, *, ids: int, requesters: int, each: int, schema: str) -> Done:
    """N requests by each requester, and their results, every list counted."""
    asked = {"requesters": requesters, "requests": each, "maxtime": 100_000, "maxsamples": each}
    _, lines = _start(stand, "-r", ids, schema, asked)
    return read_done(lines, requesters)


def linkbench_loading(*, ids: int, loaders: int) -> Tool:
    """Tables made and filled in a new schema; an op is a link. Its sleep is in its time."""

    def tool(stand: Stand) -> Sample:
        stand.make_schema(LOADING_SCHEMA)
        stand.settle()
        return fill(stand, ids=ids, loaders=loaders, schema=LOADING_SCHEMA)

    return tool


def fill(stand: Stand, *, ids: int, loaders: int, schema: str) -> Sample:
    """Make and fill the tables in a schema that is there, with one loader more for nodes."""
    stand.execute(f"USE {schema}", *TABLES)
    cost, lines = _start(stand, "-l", ids, schema, {"loaders": loaders})
    return read_load(lines, cost)


def read_requests(lines: Sequence[Line], cost: Cost, requesters: int) -> Sample:
    """The sample of the time in which every requester measured; each has its own beginning.

    From one message of progress to another, for those say how many requests are done, up to 250 a
    requester before. The mean latency is of all that were measured.
    """
    warm = [line.t_s for line in lines if WARM.match(line.text)]
    over = [line.t_s for line in lines if OVER.match(line.text)]
    if len(warm) != requesters or len(over) != requesters:
        raise _unread(lines, "not every requester measured to its end")
    found = [(line, match) for line in lines if (match := PROGRESS.match(line.text))]
    within = [one for one in found if max(warm) <= one[0].t_s <= min(over)]
    if len(within) < 2:
        raise _unread(lines, "the time in which all measured has no two messages of progress")
    (begin, before), (end, after) = within[0], within[-1]
    ops = [(int(match[2]), float(match[3])) for match in _of_ops(lines)]
    count = sum(n for n, _ in ops)
    return Sample(
        cost,
        ops=int(after[1]) - int(before[1]),
        elapsed_s=end.t_s - begin.t_s,
        cpu_s=end.cpu_s - begin.cpu_s,
        server_cpu_s=server_cpu_between(begin, end),
        latency_us_mean=1e3 * sum(n * mean_ms for n, mean_ms in ops) / count if count else None,
        failed=_errors(lines),
    )


def read_done(lines: Sequence[Line], requesters: int) -> Done:
    """All that was done; refused where something failed or lists were counted by a sample."""
    lists = [match for line in lines if (match := LISTS.match(line.text))]
    ends = [match for line in lines if (match := REQUESTER.match(line.text))]
    if len(lists) != requesters or len(ends) != requesters:
        raise _unread(lines, "not every requester tells what it did")
    if _errors(lines) or any(match[1] != match[2] for match in lists):
        raise _unread(lines, "requests failed, or not every list is in the mean")
    return Done(
        {match[1].lower(): int(match[2]) for match in _of_ops(lines)},
        sum(int(match[1]) * float(match[3]) for match in lists),
        sum(int(match[1]) for match in ends),
    )


def read_load(lines: Sequence[Line], cost: Cost) -> Sample:
    """The sample of a load; `slept_s` is what its link loaders waited, on average, at first.

    They sleep before they connect, the loader of nodes says so before it sleeps. Connecting is in
    it, too, up to the longest that they can sleep.
    """
    ended = next((match for line in lines if (match := LOADED.match(line.text))), None)
    begun = next((line.t_s for line in lines if NODE_LOADER.match(line.text)), None)
    connected = [line.t_s for line in lines if LINK_LOADER.match(line.text)]
    if ended is None or begun is None or not connected:
        raise _unread(lines, "the load has no beginning or no end")
    if ended[1] != ended[2] or _errors(lines):
        raise _unread(lines, "something wasn't loaded")
    sample = Sample(cost, ops=int(ended[3]), elapsed_s=cost.wall_s, cpu_s=cost.cpu_s)
    return replace(sample, slept_s=fmean(min(at - begun, SLEEP_S_MOST) for at in connected))


def configuration(stand: Stand, ids: int, schema: str, asked: Mapping[str, object]) -> str:
    """A file of properties: the workload as it is delivered, on the stand's server."""
    given: dict[str, object] = {
        "workload_file": in_folder(WORKLOAD),
        "data_file": in_folder(DISTRIBUTION),
        "linkstore": STORE,
        "nodestore": STORE,
        "host": "127.0.0.1",
        "port": stand.server.port,
        "user": "root",
        "password": "",
        "dbid": schema,
        **{name: name for name in ("linktable", "counttable", "nodetable")},
        "startid1": 1,
        "maxid1": 1 + ids,
        "debuglevel": "INFO",
        "progressfreq": 300,
        "displayfreq": 1800,
        "maxsamples": 10_000,
        "load_progress_interval": 50_000,
        "req_progress_interval": PROGRESS_OPS,
        "generate_nodes": "true",
        "requestrate": 0,
        **asked,
    }
    return "".join(f"{key} = {value}\n" for key, value in given.items())


def _start(
    stand: Stand, phase: str, ids: int, schema: str, asked: Mapping[str, object]
) -> tuple[Cost, list[Line]]:
    file = stand.folder / "linkbench.properties"
    file.write_text(configuration(stand, ids, schema, asked))
    path = f"{in_folder(CONNECTOR)}:{in_folder(JAR)}"
    argv = [*JAVA, "-classpath", path, DRIVER, "-c", str(file), phase]
    return run(argv, stand.folder, stand.server.pid)


def _of_ops(lines: Iterable[Line]) -> list[re.Match[str]]:
    return [match for line in lines if (match := OF_OP.match(line.text))]


def _errors(lines: Iterable[Line]) -> int:
    """How many errors it logged; what it tries again is a warning."""
    return sum(line.text.startswith("ERROR ") for line in lines)


def _unread(lines: Sequence[Line], why: str) -> LoadError:
    errors = [line.text for line in lines if line.text.startswith("ERROR ")]
    words = " / ".join(errors[:3] or [line.text for line in lines if line.text.strip()][-3:])
    return LoadError(f"LinkBench's output can't be read, {why}: {words}")
