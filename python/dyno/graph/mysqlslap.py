"""Reads mysqlslap's CSV (--csv) and its text. One line, or one block, is a run.

Its times cover all queries of all clients together, in whole milliseconds. The number of
iterations that they average isn't written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dyno.graph.model import Figure, Found, Run
from dyno.graph.text import COUNT, Format, Text

SECONDS = r"\d{1,12}\.\d{3}"
LINE = re.compile(
    rf"(?P<engine>[^,]*),(?P<type>[a-z-]+),(?P<mean>{SECONDS}),(?P<low>{SECONDS}),"
    rf"(?P<high>{SECONDS}),(?P<clients>{COUNT}),(?P<queries>{COUNT})"
)
# A line that was meant to be one: an optional name, a load type, and the beginning of a figure.
MEANT = re.compile(r"[\w: =-]*,[a-z-]+,[-.\d]")
EXPECTED = (
    "engine,load type,average s,minimum s,maximum s,clients,queries per client, such as "
    "innodb,mixed,0.012,0.012,0.013,2,50"
)
BLOCK = "Benchmark"
IN_BLOCK = {
    "engine": re.compile(r"\tRunning for engine (.+)"),
    "mean": re.compile(rf"\tAverage number of seconds to run all queries: ({SECONDS}) seconds"),
    "low": re.compile(rf"\tMinimum number of seconds to run all queries: ({SECONDS}) seconds"),
    "high": re.compile(rf"\tMaximum number of seconds to run all queries: ({SECONDS}) seconds"),
    "clients": re.compile(rf"\tNumber of clients running queries: ({COUNT})"),
    "queries": re.compile(rf"\tAverage number of queries per client: ({COUNT})"),
}
NEEDED = set(IN_BLOCK) - {"engine"}


@dataclass
class _Rows:
    """What has been read of a text so far."""

    rows: list[tuple[int, dict[str, str]]]
    other: list[int]


def _read(text: Text) -> Found:
    seen = _Rows([], [])
    block: dict[str, str] | None = None
    begin = 0
    for number, line in text.numbered():
        if line.strip() == BLOCK:
            _close(text, begin, block)
            block, begin = {}, number
            seen.rows.append((number, block))
        elif block is not None and (found := _in_block(line)):
            block |= found
        elif match := LINE.fullmatch(line.strip()):
            seen.rows.append((number, match.groupdict()))
        elif MEANT.match(line.strip()):
            raise text.broken(number, "not a line of mysqlslap's CSV", EXPECTED)
        else:
            seen.other.append(number)
    _close(text, begin, block)
    return _as_found(text, seen)


def _in_block(line: str) -> dict[str, str]:
    for name, pattern in IN_BLOCK.items():
        if match := pattern.fullmatch(line):
            return {name: match.group(1)}
    return {}


def _close(text: Text, begin: int, block: dict[str, str] | None) -> None:
    """A block must be whole; a truncated one raises."""
    if block is None or block.keys() >= NEEDED:
        return
    missing = ", ".join(sorted(NEEDED - block.keys()))
    raise text.broken(begin, f"a block of mysqlslap that lacks its {missing}", "a whole block")


def _as_found(text: Text, seen: _Rows) -> Found:
    several = len({row.get("type", "") for _, row in seen.rows}) > 1
    runs = []
    for number, row in seen.rows:
        names = [row.get("engine", ""), row.get("type", "") if several else ""]
        run = replace(_run(number, row), arm=", ".join(name for name in names if name))
        if run.connections == 0:
            raise text.broken(number, "a run of no clients", EXPECTED)
        runs.append(run)
    return Found(tuple(runs), tuple(seen.other), tuple(_too_short(runs)))


def _run(number: int, row: dict[str, str]) -> Run:
    mean, low, high = (float(row[name]) for name in ("mean", "low", "high"))
    queries = int(row["clients"]) * int(row["queries"])
    rate = None
    if mean > 0 and queries:
        rate = Figure(
            queries / mean,
            queries / high if high > 0 else None,
            queries / low if low > 0 else None,
        )
    return Run(
        line=number,
        unit="queries",
        connections=int(row["clients"]),
        throughput_per_s=rate,
        seconds=Figure(mean, low, high),
    )


def _too_short(runs: list[Run]) -> Iterator[str]:
    none = sum(run.throughput_per_s is None for run in runs)
    if none:
        yield f"{none} of {len(runs)} runs took less than half a millisecond: no queries/s"
    brief = sum(run.seconds is not None and 0 < run.seconds.value < 0.02 for run in runs)
    if brief:
        yield (
            f"{brief} of {len(runs)} runs took less than 20 ms; mysqlslap writes whole "
            "milliseconds, so their queries/s are 5 % uncertain or worse"
        )


FORMAT = Format(
    name="mysqlslap",
    expects="lines of mysqlslap --csv, or its text",
    mark=re.compile(
        rf"^[^,]*,[a-z-]+,{SECONDS},{SECONDS},{SECONDS},{COUNT},{COUNT}\s*$"
        r"|^\tAverage number of seconds to run all queries:"
    ),
    read=_read,
)
