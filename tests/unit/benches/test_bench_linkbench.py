"""The rows beside LinkBench: what its log says, what it is asked, what counts as agreement."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from bench_samples import sample
from benches import linkbench_agrees as agrees
from benches.child import Cost, Line
from benches.rows import linkbench
from benches.rows.row import TIME, TIME_AWAKE
from benches.stand import Sample, Stand
from benches.tools import linkbench_java

from dyno.errors import LoadError

COST = Cost(9.5, 14.0, 2**28)
AT = "INFO 2026-01-01 00:00:00,123"
REQUESTS = f"""\
{AT} [main]: Config file: /tmp/linkbench.properties
{AT} [Thread-0]: Requester thread #0 started: will do 100000000 ops after 5 second warmup
{AT} [Thread-0]: Requester #0 warmup finished  after 4517 warmup requests.  0/1000000 requests done
{AT} [Thread-0]: 1000/200000000 requests finished: 0.0% complete at 643.9 ops/sec 1.6/12 secs
{AT} [Thread-1]: Requester #1 warmup finished  after 3983 warmup requests.  0/1000000 requests done
{AT} [Thread-1]: 2000/200000000 requests finished: 0.0% complete at 700.0 ops/sec 2.6/12 secs
WARN 2026-01-01 00:00:00,123 [Thread-1]: SQLException thrown by MySQL driver during execution
{AT} [Thread-0]: 5000/200000000 requests finished: 0.0% complete at 800.1 ops/sec 4.6/12 secs
{AT} [Thread-1]: 9000/200000000 requests finished: 0.0% complete at 900.1 ops/sec 6.6/12 secs
{AT} [Thread-0]: Requester #0: time limit of 12s elapsed, shutting down.
{AT} [Thread-0]: ThreadID = 0 RANGE_SIZE totalOps = 5378 totalErrors = 0 ops = 5378 \
sampleDuration = 12000ms samples = 5378 mean = 30.79 min = 0 25% = 0 50% = 1 75% = 1 90% = 3 \
95% = 6 99% = 17 max = 10000
{AT} [Thread-0]: ThreadID = 0 total requests = 10665 requests/second = 888 found = 41 \
not found = 121 history queries = 15/5378
{AT} [Thread-1]: 9800/200000000 requests finished: 0.0% complete at 900.1 ops/sec 6.6/12 secs
{AT} [Thread-1]: Requester #1: time limit of 12s elapsed, shutting down.
{AT} [Thread-1]: ThreadID = 1 RANGE_SIZE totalOps = 100 totalErrors = 0 ops = 100 \
sampleDuration = 12022ms samples = 100 mean = 1.5 min = 0 25% = 0 50% = 1 75% = 1 90% = 3 \
95% = 6 99% = 16 max = 40
{AT} [Thread-1]: ThreadID = 1 total requests = 200 requests/second = 20 found = 1 \
not found = 2 history queries = 0/100
{AT} [main]: GET_NODE count = 3000  p25 = [0.2,0.3]ms  p50 = [0.4,0.5]ms  p75 = [0.8,0.9]ms  \
p95 = [1,2]ms  p99 = [5,6]ms  max = 61.037ms  mean = 0.5ms
{AT} [main]: GET_LINKS_LIST count = 1000  p25 = [0.2,0.3]ms  p50 = [0.4,0.5]ms  \
p75 = [0.8,0.9]ms  p95 = [1,2]ms  p99 = [5,6]ms  max = 61.037ms  mean = 1.5ms
{AT} [main]: REQUEST PHASE COMPLETED. 10865 requests done in 12 seconds. Requests/second = 905
"""
LOAD = f"""\
{AT} [main]: Starting loaders 2
{AT} [Thread-2]: Starting loader thread  #2 loading nodes
{AT} [Thread-0]: Starting loader thread  #0 loading links
{AT} [Thread-1]: Starting loader thread  #1 loading links
{AT} [Thread-1]: 999/1000 id1s loaded (99.9% complete) at 70.2 id1s/sec avg.
{AT} [main]: LOAD PHASE COMPLETED.  Loaded 1000 nodes (Expected 1000). Loaded 13689 links \
(13.69 links per node).  Took 12.2 seconds.  Links/second = 1122
"""


def timed(text: str) -> list[Line]:
    """Lines, each 1 s behind the one before, with 0.1 s of CPU and 0.3 s of the server's."""
    return [Line(line, 1.0 * n, 0.1 * n, 0.3 * n) for n, line in enumerate(text.splitlines())]


def test_requests_are_read_while_all_measured() -> None:
    found = linkbench_java.read_requests(timed(REQUESTS), COST, 2)
    assert found.ops == 9000 - 2000, "neither the first one's alone, nor the last one's"
    assert (found.elapsed_s, found.cpu_s) == (pytest.approx(3), pytest.approx(0.3))
    assert found.server_cpu_s == pytest.approx(0.9)
    assert found.latency_us_mean == pytest.approx(750), "of all ops, by their number"
    assert found.failed == 0, "a retry isn't a failure"
    assert found.cost == COST


def test_failed_requests_are_counted() -> None:
    text = REQUESTS.replace("WARN 2026", "ERROR 2026")
    assert linkbench_java.read_requests(timed(text), COST, 2).failed == 1


@pytest.mark.parametrize(
    ("lacks", "says"),
    [
        ("Requester #1 warmup finished", "not every requester"),
        ("Requester #0: time limit", "not every requester"),
        ("9000/200000000 requests finished", None),
        ("requests finished", "no two messages of progress"),
    ],
)
def test_other_requests_are_refused(lacks: str, says: str | None) -> None:
    lines = timed(REQUESTS.replace(lacks, ""))
    if says is None:
        assert linkbench_java.read_requests(lines, COST, 2).ops == 5000 - 2000
        return
    with pytest.raises(LoadError, match=says):
        linkbench_java.read_requests(lines, COST, 2)


def test_all_that_was_done_is_read() -> None:
    found = linkbench_java.read_done(timed(REQUESTS), 2)
    assert found.ops == {"get_node": 3000, "get_links_list": 1000}
    assert found.list_rows == pytest.approx(5378 * 30.79 + 150)
    assert found.history_lists == 15


@pytest.mark.parametrize(
    ("was", "now"),
    [("samples = 5378", "samples = 5000"), ("WARN 2026", "ERROR 2026"), ("RANGE_SIZE", "OTHER")],
)
def test_what_is_only_a_part_is_refused(was: str, now: str) -> None:
    with pytest.raises(LoadError, match="can't be read"):
        linkbench_java.read_done(timed(REQUESTS.replace(was, now)), 2)


def test_a_load_is_read_with_what_it_slept() -> None:
    found = linkbench_java.read_load(timed(LOAD), COST)
    assert (found.ops, found.cpu_s, found.elapsed_s) == (13689, 9.5, 14)
    assert (TIME.read(found), TIME_AWAKE.read(found)) == (14, pytest.approx(12.5))
    late = [replace(one, t_s=3 * one.t_s) for one in timed(LOAD)]
    assert linkbench_java.read_load(late, COST).slept_s == pytest.approx(2.2), "never longer"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("Expected 1000", "Expected 1001"),
        ("LOAD PHASE COMPLETED", ""),
        ("loading nodes", ""),
        ("loading links", ""),
        (f"{AT} [Thread-1]: 999", "ERROR 2026-01-01 00:00:00,123 [Thread-1]: 999"),
    ],
)
def test_a_load_that_isnt_whole_is_refused(was: str, now: str) -> None:
    with pytest.raises(LoadError, match="can't be read"):
        linkbench_java.read_load(timed(LOAD.replace(was, now)), COST)


def test_it_is_asked_for_the_ids_and_the_workload_of_its_checkout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Near:
        port = 4321

    monkeypatch.setenv(linkbench_java.VARIABLE, "/some/linkbench")
    stand = Stand(cast(Any, Near()), Path(), 1, Path())
    text = linkbench_java.configuration(stand, 1000, "one", {"requesters": 2, "requestrate": 5})
    said = dict(line.split(" = ") for line in text.splitlines())
    assert (said["startid1"], said["maxid1"]) == ("1", "1001"), "the last one isn't among them"
    assert (said["port"], said["dbid"], said["password"]) == ("4321", "one", "")
    assert said["data_file"] == "/some/linkbench/config/Distribution.dat"
    assert said["data_file"] == linkbench.workload()["distribution"], "both have the same"
    assert (said["requesters"], said["requestrate"]) == ("2", "5")


def test_a_peer_that_isnt_here_is_unavailable_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there: list[str | None] = [None]
    monkeypatch.setattr(shutil, "which", lambda program: there[0])
    monkeypatch.delenv(linkbench_java.VARIABLE, raising=False)
    assert "DYNO_LINKBENCH isn't set" in (linkbench_java.lacks() or "")
    assert all(row.lacks for row in linkbench.ROWS), "no row of it is measured"
    monkeypatch.setenv(linkbench_java.VARIABLE, str(tmp_path))
    for name in ("JAR", "CONNECTOR", "WORKLOAD", "DISTRIBUTION"):
        path = tmp_path / getattr(linkbench_java, name)
        reason = f"DYNO_LINKBENCH={tmp_path} has no file {path.relative_to(tmp_path)}"
        assert linkbench_java.lacks() == reason
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert linkbench_java.lacks() == "there is no program java"
    there[0] = "/usr/bin/java"
    assert linkbench_java.lacks() is None


def test_tables_are_new_in_each_run() -> None:
    steps: list[str] = []

    class Noting(Stand):
        def make_schema(self, name: str) -> None:
            steps.append(f"make {name}")

        def settle(self) -> None:
            steps.append("settle")

    def tool(stand: Stand) -> Sample:
        steps.append("run")
        return sample()

    both = linkbench.on_new_tables(lambda stand: steps.append("fill"), tool)
    assert both(Noting(cast(Any, None), Path(), 2, Path())) == sample()
    assert steps == ["make bench_linkbench", "fill", "settle", "run"]


LOADED = {"links": 13689.0, "count rows": 772.0, "sum of counts": 13689.0}
LOADED |= {"greatest count": 4800.0, "nodes": 1000.0, "bytes a link": 13.17, "bytes a node": 211.0}


def rounds(seed: int, lists: int = 500, rows: float = 8.0) -> list[agrees.Round]:
    """Six rounds of 1,000 ops each, drawn again."""
    draw = random.Random(seed)

    def one() -> agrees.Round:
        n = sum(draw.random() < lists / 1000 for _ in range(1000))
        after = {name: draw.gauss(1000, 10) for name in agrees.COUNTING}
        ops = {"get_links_list": n, "get_node": 1000 - n}
        return agrees.Round(LOADED, after, ops, n * draw.gauss(rows, 0.5), 3)

    return [one() for _ in range(6)]


def differing(dyno: list[agrees.Round], theirs: list[agrees.Round]) -> list[str]:
    found = agrees.compare(dyno, theirs)
    return [one.name for one in found if not one.agrees(len(found))]


def test_what_chance_does_is_agreement() -> None:
    assert differing(rounds(1), rounds(2)) == []


def test_another_mix_is_none() -> None:
    assert differing(rounds(1, lists=600), rounds(2)) == ["get_links_list, %", "get_node, %"]


def test_longer_lists_are_none() -> None:
    assert differing(rounds(1, rows=11), rounds(2)) == ["RANGE_SIZE, rows a list"]


def test_loaded_rows_are_equal_or_differ() -> None:
    other = rounds(2)
    other[4] = replace(other[4], loaded=LOADED | {"links": 13690.0})
    assert differing(rounds(1), other) == ["loaded: links"], "in one round of six, by one"
    assert differing(other, rounds(1)) == ["loaded: links"]


def test_figures_without_spread_are_held_to_their_digits() -> None:
    assert agrees.of_means("one", [3.0, 3.0], [3.0, 3.0]).p == 1
    assert agrees.of_means("one", [3.0, 3.0], [3.0, 3.1]).p > 0.4
    assert agrees.of_means("one", [3.0, 3.0], [3.1, 3.1]).p == 0


def test_the_mean_of_rounds_is_by_welch() -> None:
    found = agrees.of_means("one", [1.0, 2.0, 3.0], [5.0, 6.0, 10.0])
    assert found.error == pytest.approx((1 / 3 + 7 / 3) ** 0.5)
    # scipy.stats.ttest_ind(…, equal_var=False)
    assert found.p == pytest.approx(0.0674749, abs=1e-6)


def test_the_table_tells_both_the_error_and_the_verdict() -> None:
    other = [replace(one, loaded=LOADED | {"nodes": 999.0}) for one in rounds(2)]
    lines = agrees.table(agrees.compare(rounds(1), other)).splitlines()
    words = {line[:28].strip(): line.split() for line in lines}
    assert words["figure"][-3:] == ["difference", "error", "p"]
    assert words["loaded: nodes"][2:] == ["1,000", "999", "1", "none", "DIFFERS"]
    assert words["loaded: links"][-1] == "equal"
    assert words["RANGE_SIZE, rows a list"][-1] == "agrees"
