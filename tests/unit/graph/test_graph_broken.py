"""Broken, mixed and foreign files: one line with file and line, and what was expected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from graph_samples import GOLDEN

from dyno.errors import SpecError
from dyno.graph import Wanted, read

SLAP = "innodb,mixed,0.012,0.012,0.013,2,50\n"
BANNER = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\nNumber of threads: 2\n"
SECOND = (
    "[ 1s ] thds: 2 tps: 888.77 qps: 1.00 (r/w/o: 1.00/0.00/0.00) lat (ms,95%): 3.55 "
    "err/s: 0.00 reconn/s: 0.00\n"
)
SERIES = "Time (seconds),Throughput (requests/second)\n0,100.0\n5,110.0\n"
PROGRESS = "progress: 1.0 s, 1414.5 tps, lat 0.702 ms stddev 3.495, 0 failed\n"
BROKEN = {
    "cut CSV": (SLAP + "myisam,mixed,0.012,0.0", "x:2: not a line of mysqlslap's CSV"),
    "word in CSV": (SLAP + "myisam,mixed,0.0x2,0.01,0.01,2,5", "x:2: not a line of mysqlslap"),
    "no clients": (SLAP + "myisam,mixed,0.012,0.012,0.013,0,5", "x:2: a run of no clients"),
    "cut block": (
        "Benchmark\n\tAverage number of seconds to run all queries: 0.192 seconds\n",
        "x:1: a block of mysqlslap that lacks its clients, high, low, queries",
    ),
    "cut interval": (BANNER + SECOND[:40], "x:3: not an interval line of sysbench"),
    "cut report": (BANNER + SECOND + "    total time:    3.0", "x:4: a line of sysbench's report"),
    "no figures": (BANNER + "Threads started!\n", "x: no run of sysbench in it: 1 of 1 runs have"),
    "mixed": (
        BANNER + SECOND + SLAP,
        "x:4: a line of mysqlslap in output of sysbench, which begins in line 1",
    ),
    "cut JSON": ('{\n "Throughput (requests/second)": 12.', "x:2: not JSON"),
    "half JSON": ('{"Throughput (requests/second)": 12.5}', 'x:1: no "Latency Distribution"'),
    "cut series": (SERIES + "10,\n", "x:4: '' is not a number"),
    "short series": (SERIES + "10\n", "x:4: 1 values for 2 columns"),
    "series back": (SERIES + "0,3\n", "x:4: a time that doesn't go on"),
    "raw": ("Transaction Type Index,Transaction Name\n1,NewOrder\n", "x:1: single requests"),
    "cut progress": (PROGRESS + PROGRESS[:20], "x:2: not a line of pgbench"),
    "single": ("0 1 44856 0 1795288381 595818\n", "x:1: a log of single transactions"),
    "cut log": (
        "1400000002 5000 1500000 480000000 61 2573\n1400000004 70\n",
        "x:2: not a line of pgbench's log",
    ),
    "unknown": ("hello\nworld\n", "x:1: no known format: 'hello'"),
    "empty": ("\n\n", "x: it is empty"),
    "binary": ("a\0b", "x: not a text file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, message = BROKEN[name]
    monkeypatch.chdir(tmp_path)
    Path("x").write_text(content, encoding="utf-8")
    with pytest.raises(SpecError) as raised:
        read([Wanted("x")])
    assert raised.value.message.startswith(message), raised.value.message
    assert "\n" not in raised.value.message
    assert raised.value.hint
    assert raised.value.exit_code == 2


def test_a_wanted_format_reads_its_part_of_a_mixed_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x").write_text(BANNER + SECOND + SLAP)
    (reading,) = read([Wanted("x", format="mysqlslap")]).readings
    assert (len(reading.found.runs), reading.found.other_lines) == (1, (1, 2, 3))
    with pytest.raises(SpecError, match="no run of pgbench"):
        read([Wanted("x", format="pgbench")])


def test_files_that_are_not_there_or_twice(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="can't be read: No such file"):
        read([Wanted(str(tmp_path / "no"))])
    sample = str(GOLDEN / "slap-engines.csv")
    with pytest.raises(SpecError, match="given twice"):
        read([Wanted(sample), Wanted(sample, "again")])
    with pytest.raises(SpecError, match=r"plan\.json"):
        read([Wanted(str(tmp_path))])
    with pytest.raises(SpecError, match="a folder"):
        read([Wanted(str(tmp_path), format="sysbench")])


@pytest.mark.parametrize("name", ["sysbench-loop.log", "slap-engines.csv", "pgbench-loop.txt"])
def test_a_file_that_is_cut_anywhere_reads_or_says_where(name: str, tmp_path: Path) -> None:
    """A disk that filled up, a tool that was killed: no other exception, whatever the byte."""
    whole = (GOLDEN / name).read_bytes()[:2500]
    path = tmp_path / "cut"
    ended = []
    for end in range(0, len(whole), 7):
        path.write_bytes(whole[:end])
        said = ""
        try:
            ended.append(len(read([Wanted(str(path))]).runs))
        except SpecError as error:
            said = error.message
        assert not said or re.match(rf"{re.escape(str(path))}(?::\d+)?: ", said), said
    assert len(ended) > 10
    assert ended == sorted(ended)


def test_windows_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_bytes(b"\xef\xbb\xbf" + SLAP.replace("\n", "\r\n").encode())
    assert len(read([Wanted(str(path))]).runs) == 1
