"""Random values, histograms and reporters of scripts: what is drawn and printed by each program."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from itertools import accumulate

import numpy as np
import pytest
from numpy.typing import NDArray
from programs import API_SCRIPTS, PROGRAMS, Stand, run
from report_parser import INTERVAL, read_form, read_run

pytestmark = pytest.mark.parametrize("program", PROGRAMS)

VALUES, DRAWS = 1000, 100_000
Draws = NDArray[np.int64]


def uniform(u: Callable[[], NDArray[np.float64]]) -> Draws:
    return 1 + np.floor(u() * VALUES).astype(np.int64)


def gaussian(u: Callable[[], NDArray[np.float64]]) -> Draws:
    mean: NDArray[np.float64] = np.mean([u() for _ in range(12)], axis=0)
    return 1 + np.floor(mean * VALUES).astype(np.int64)


def special(u: Callable[[], NDArray[np.float64]]) -> Draws:
    """A quarter around the middle, and the rest in a hot zone there, of which the upper part."""
    t, first = VALUES - 1, u()
    mean = np.mean([u() for _ in range(12)], axis=0)
    hot = 1 + np.floor(first * (t * 0.01 + 1) + t / 2 - t * 0.01 / 2)
    return np.where(first * t * 100 / 25 < t, np.floor(1 + t * mean), hot).astype(np.int64)


def pareto(u: Callable[[], NDArray[np.float64]]) -> Draws:
    exponent = math.log(0.2) / math.log(1 - 0.2)
    return 1 + np.floor(VALUES * u() ** exponent).astype(np.int64)


@pytest.mark.parametrize("formula", [uniform, gaussian, special, pareto])
def test_values_are_distributed_by_the_formula(
    stand: Stand, program: str, formula: Callable[[Callable[[], NDArray[np.float64]]], Draws]
) -> None:
    """Kolmogorov and Smirnov for two samples; 1.95 * sqrt(2 / n) is the bound of 1 in 1,000."""
    options = [f"--distribution={formula.__name__}", f"--values={VALUES}", f"--draws={DRAWS}"]
    ran = run(program, "distribution.lua", *options, "--rand-seed=11", "run", folder=API_SCRIPTS)
    theirs = np.zeros(VALUES + 1)
    for line in ran.said:
        value, count = map(int, line.split())
        theirs[value] = count
    assert theirs.sum() == DRAWS
    generator = np.random.default_rng(5)
    expected = np.bincount(formula(lambda: generator.random(DRAWS)), minlength=VALUES + 1)
    assert len(expected) == VALUES + 1
    sums = zip(accumulate(theirs), accumulate(expected), strict=True)
    assert max(abs(a - b) for a, b in sums) / DRAWS < 1.95 * (2 / DRAWS) ** 0.5


def test_a_histogram_of_a_script(stand: Stand, program: str) -> None:
    ran = run(program, "histogram.lua", "run", folder=stand.folder)
    assert ran.code == 1, "it isn't found in a folder without it"
    text = run(program, "histogram.lua", "run", folder=API_SCRIPTS).stdout
    head = "       value  ------------- distribution ------------- count\n"
    assert text.count(head) == 2
    assert "> empty\n> end\n" in text
    for line in (
        "       0.100 |*************                            1\n",
        "       1.002 |**************************************** 3\n",
        "      10.046 |***************************              2\n",
        "      99.540 |*************                            1\n",
        "   10000.000 |*************                            1\n",
        "       4.000 |********************                     3\n",
        "       8.000 |**************************************** 6\n",
        "      16.000 |*********************************        5\n",
    ):
        assert line in text


def test_counters_of_a_script_are_in_the_report(stand: Stand, program: str) -> None:
    ran = run(program, "counters.lua", "--events=10", "run", folder=API_SCRIPTS)
    silent = "".join(
        line for line in ran.stdout.splitlines(keepends=True) if not line.startswith("> ")
    )
    final = read_run(silent).final
    assert [final[k] for k in ("reads", "writes", "other", "total")] == [20, 30, 40, 90]
    assert (final["transactions"], final["errors"], final["reconnects"]) == (10, 50, 10)


def reported(stand: Stand, program: str, reporter: str) -> str:
    """What the reports of intervals and of the whole run print."""
    options = [f"--reporter={reporter}", "--report-interval=1", "--time=3", "--threads=2"]
    ran = stand.run(program, "hooks.lua", *options, "run", folder=API_SCRIPTS)
    assert ran.code == 0, ran.stdout + ran.stderr
    return ran.stdout.split("Threads started!\n\n")[1]


def intervals(stand: Stand, program: str, reporter: str) -> str:
    """What a ready-made reporter prints of intervals. The reporter may still print its last when
    the whole run is reported, so that a line holds both.
    """
    return reported(stand, program, reporter).partition("> cumulative")[0]


def times_are_seconds(lines: list[tuple[float, int]]) -> None:
    """Times and running threads of the lines of 3 s, the last of which may come after the end.

    A busy host makes a line late, so that it says 4 or what the next one says, or leaves it out.
    At the third second threads may be done already.
    """
    times = [time for time, _ in lines]
    assert times
    assert times == sorted(times)
    assert all(time >= 1 and time == int(time) for time in times)
    assert all(threads == 2 or (time >= 3 and threads < 2) for time, threads in lines)


def test_the_hooks_of_reports_get_these_figures(stand: Stand, program: str) -> None:
    # As in `intervals`: a line may hold both.
    lines = reported(stand, program, "own").replace("> ", "\n> ").split("\n")
    common = {"errors", "events", "latency_pct", "other", "reads", "reconnects"}
    common |= {"threads_running", "time_interval", "time_total", "writes"}
    seen: dict[str, set[str]] = {}
    found = []
    for line in filter(None, lines):
        _, kind, *fields = line.split()
        if kind in ("intermediate", "cumulative"):
            assert all(field.endswith("=number") for field in fields)
            seen[kind] = {field.removesuffix("=number") for field in fields}
        else:
            found.append(line)
    # An interval that a busy host cut short may hold no event.
    right = "> events true reads true interval true latency true"
    assert found[0] == found[-1] == right
    assert seen["intermediate"] >= common | {"queue_length", "concurrency"}
    latencies = {f"latency_{kind}" for kind in ("min", "max", "avg", "sum")}
    assert seen["cumulative"] >= common | latencies


def test_the_csv_reporter(stand: Stand, program: str) -> None:
    lines = intervals(stand, program, "csv").splitlines()
    assert not [line for line in lines if not re.fullmatch(r"\d+,[012](,\d+\.\d\d){8}", line)]
    rows = [[float(field) for field in line.split(",")] for line in lines]
    times_are_seconds([(time, int(threads)) for time, threads, *_ in rows])
    for _, _, _, qps, reads, writes, other, latency_ms, errors, reconnects in rows:
        assert qps == reads
        assert [writes, other, errors, reconnects] == [0] * 4
        assert latency_ms >= 20 or qps == 0
    # Two threads that sleep 20 ms an event; an interval may hold the ends of one more each. Where
    # the host made a line late, the next interval is short, and its rate may be any.
    rates = [row[2] for row in rows]
    assert max(rates) > 0
    assert min(rates) <= 110
    assert min(row[7] for row in rows) < 2000


def test_the_json_reporter(stand: Stand, program: str) -> None:
    text = intervals(stand, program, "json").strip()
    if program == "dyno":
        assert text.endswith("]")
    # On a busy host sysbench ends its array after the rest, or in the middle.
    found = json.loads(text.rstrip("],\n") + "]")
    times_are_seconds([(one["time"], one["threads"]) for one in found])
    for one in found:
        assert one.keys() == {"time", "threads", "tps", "qps", "latency", "errors", "reconnects"}
        assert one["qps"]["total"] == one["qps"]["reads"]
    assert any(one["qps"]["total"] > 0 for one in found)


def test_the_default_reporter(stand: Stand, program: str) -> None:
    # From a script, "err/s" has no colon.
    form = INTERVAL.replace("err/s:", "err/s")
    lines = intervals(stand, program, "default").splitlines()
    read = [read_form(form, line) for line in lines]
    assert None not in read, lines
    times_are_seconds([(float(one["time_s"]), int(one["threads"])) for one in read if one])
