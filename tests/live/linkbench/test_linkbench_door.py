"""LinkBench's command line: its files in, its log and CSV files out, and nobody's data lost."""

from __future__ import annotations

import csv
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from linkbenches import Bench
from processes import command_line

from dyno.spec.linkbench import LinkbenchWorkload
from dyno.spec.load_plan import LoadPlan
from dyno.store.run import RunFolder

GOLDEN = Path(__file__).parents[2] / "golden" / "linkbench"
ENTRY = re.compile(r"(?P<level>[A-Z]+) \d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} \[main\]: (?P<text>.*)")
FINAL = re.compile(
    r"(?P<op>[A-Z_]+) count = (?P<count>\d+) "
    + "".join(rf" p{p} = \[(?P<p{p}>[\d.]+,[\d.]+)\]ms " for p in (25, 50, 75, 95, 99))
    + r" max = (?P<max>[\d.]+)ms  mean = (?P<mean>[\d.]+)ms"
)
END = re.compile(
    r"REQUEST PHASE COMPLETED\. (\d+) requests done in (\d+) seconds\."
    r" Requests/second = (\d+)"
)
COUNTS_WRONG = """
SELECT COUNT(*) FROM
  (SELECT id1, link_type, COUNT(*) n FROM {0}.linktable WHERE visibility = 1
   GROUP BY id1, link_type) l
  LEFT JOIN {0}.counttable c ON c.id = l.id1 AND c.link_type = l.link_type
WHERE COALESCE(c.count, 0) <> n
"""
# Small and quick.
REQUEST = {"requesters": 4, "maxtime": 3, "displayfreq": 1, "req_progress_interval": 500}


def entries(text: str) -> list[str]:
    """The words of each entry; every line must be one."""
    found = [ENTRY.fullmatch(line) for line in text.splitlines()]
    assert all(found), text
    return [entry["text"] for entry in found if entry]


def test_a_load_is_reported_and_is_there(loaded: Bench) -> None:
    log = entries((loaded.home / "load.log").read_text(encoding="utf-8"))
    assert log[0] == f"Config file: {loaded.config}"
    assert log[1] == f"Workload config file: {loaded.home}/config/FBWorkload.properties"
    assert "Using configured random seed load_random_seed=7" in log
    end = re.fullmatch(
        r"LOAD PHASE COMPLETED\.  Loaded 2000 nodes \(Expected 2000\)\. Loaded (\d+) links"
        r" \(\d+\.\d\d links per node\)\.  Took \d+\.\d seconds\.  Links/second = \d+",
        log[-2],
    )
    assert end, log[-2]
    assert log[-1] == "Skipping request phase per the cmdline arg"
    links = loaded.number("SELECT COUNT(*) FROM linkdb.linktable")
    assert int(end[1]) == links
    theirs = re.search(r"Loaded (\d+) links", (GOLDEN / "load.log").read_text())
    assert theirs
    assert links == pytest.approx(int(theirs[1]), rel=0.001), "as many as LinkBench itself loaded"
    assert any(text.startswith("2000/2000 id1s loaded (100.0% complete)") for text in log)
    assert loaded.number("SELECT MAX(id) FROM linkdb.nodetable") == 2000
    assert loaded.columns("load.csv") == (GOLDEN / "stats.csv").read_text().splitlines()[:1]


@pytest.fixture(scope="module")
def requested(loaded: Bench) -> tuple[Bench, list[str]]:
    words = ["-r", "-csvstats", "r.csv", "--csvstream=rs.csv", "--dyno-events=r.ndjson"]
    done = loaded.run(*words, **REQUEST, requests=100_000_000)
    assert done.code == 0, done.err
    assert done.out == ""
    return loaded, entries(done.err)


def test_requests_are_reported_in_linkbenchs_words(
    requested: tuple[Bench, list[str]],
) -> None:
    _, log = requested
    end = END.fullmatch(log[-1])
    assert end, log[-1]
    finals = [found for line in log if (found := FINAL.fullmatch(line))]
    golden = [FINAL.search(line) for line in (GOLDEN / "request.log").read_text().splitlines()]
    assert [one["op"] for one in finals] == [one["op"] for one in golden if one]
    requests, seconds, per_second = map(int, end.groups())
    assert sum(int(one["count"]) for one in finals) == requests > 400
    assert 3 <= seconds < 30
    assert per_second <= requests / seconds
    share = {one["op"]: int(one["count"]) / requests for one in finals}
    assert share["GET_LINKS_LIST"] == pytest.approx(0.507, abs=0.08)
    for one in finals:
        bounds = [tuple(map(float, one[f"p{p}"].split(","))) for p in (25, 50, 75, 95, 99)]
        assert bounds == sorted(bounds)
        assert bounds[-1][0] <= float(one["max"])
        assert 0 < float(one["mean"]) <= float(one["max"])
    assert any("secs elapsed:" in line for line in log)
    assert any(line.startswith("ThreadID = 0 RANGE_SIZE totalOps = ") for line in log)


def test_files_of_figures_have_linkbench_s_columns(requested: tuple[Bench, list[str]]) -> None:
    bench, log = requested
    finals = {f["op"]: f for line in log if (f := FINAL.fullmatch(line))}
    rows = list(csv.DictReader(bench.columns("r.csv")))
    theirs = list(csv.DictReader((GOLDEN / "stats.csv").read_text().splitlines()))
    assert rows[0].keys() == theirs[0].keys()
    assert [row["op"] for row in rows] == [row["op"] for row in theirs]
    for row in rows:
        final = finals[row["op"]]
        assert row["count"] == final["count"]
        assert f"{row['p99_low']},{row['p99_high']}" == final["p99"]
        assert float(row["max"]) == pytest.approx(float(final["max"]), abs=0.0051)

    stream = list(csv.DictReader(bench.columns("rs.csv")))
    theirs = list(csv.DictReader((GOLDEN / "stream.csv").read_text().splitlines()))
    assert stream[0].keys() == theirs[0].keys()
    nodes = [row for row in stream if row["op"] == "GET_NODE"]
    assert 3 <= len(nodes) <= 5, "a row a second, and one for what is left"
    assert sum(int(row["ops"]) for row in nodes) == int(finals["GET_NODE"]["count"])
    assert nodes[-1]["totalops"] == finals["GET_NODE"]["count"]
    assert {row["threadID"] for row in stream} == {"0"}
    assert abs(int(nodes[-1]["timestamp"]) - time.time()) < 3600
    for row in nodes:
        if int(row["sampleOps"]) > 0:
            spread = [int(row[f"p{p}_us"]) for p in (25, 50, 75, 90, 95, 99)]
            assert spread == sorted(spread)
            assert int(row["min_us"]) <= spread[0] <= spread[-1] <= int(row["max_us"])
    assert stream[-1]["op"] == "RANGE_SIZE"


def test_counts_agree_with_links_afterwards(requested: tuple[Bench, list[str]]) -> None:
    bench, _ = requested
    assert bench.number(COUNTS_WRONG.format("linkdb")) == 0
    assert bench.number("SELECT COUNT(*) FROM linkdb.counttable") > 0
    assert '"phase":"measure"' in (bench.home / "r.ndjson").read_text(encoding="utf-8")


def test_requests_are_limited_by_their_number(loaded: Bench) -> None:
    done = loaded.run("-r", requesters=3, requests=50, maxtime=60, warmup_time=1)
    assert done.code == 0, done.err
    log = entries(done.err)
    assert log[-1].startswith("REQUEST PHASE COMPLETED. 150 requests done in ")
    assert any("warmup finished after " in line for line in log)


def test_a_rate_is_of_each_requester(loaded: Bench) -> None:
    done = loaded.run("-r", requesters=4, requestrate=50, requests=150, maxtime=60)
    assert done.code == 0, done.err
    found = END.fullmatch(entries(done.err)[-1])
    assert found
    assert 480 < int(found[1]) < 720, "Poisson arrivals at 200 a second for three seconds"


def test_both_parts_in_one_run(empty: Bench) -> None:
    done = empty.run(
        *("-l", "-r"), requesters=2, requests=20, maxtime=60, nlinks_func="real", startid1=5
    )
    assert done.code == 0, done.err
    log = entries(done.err)
    assert any(line.startswith("LOAD PHASE COMPLETED.  Loaded 1996 nodes") for line in log)
    assert log[-1].startswith("REQUEST PHASE COMPLETED. 40 requests done in ")
    assert empty.sql("SELECT MIN(id), MAX(id) FROM linkempty.nodetable WHERE version = 1")


@pytest.mark.parametrize(
    ("properties", "says", "hint"),
    [
        ({"requestors": 4}, "unknown configuration key requestors", "did you mean requesters?"),
        ({"linkstore": "com.x.LinkStoreRocksDb"}, "linkstore is com.x.LinkStoreRocksDb", "Mysql"),
        ({"nodetable": "nodes"}, "nodetable is nodes", "dbid"),
        ({"generate_nodes": "false"}, "generate_nodes is false", "true"),
        ({"read_function": "REAL"}, "configuration key read_function", "ZipfDistribution"),
        ({"addlink": 50}, "percentages", "100"),
        ({"maxtime": "1h"}, "maxtime to be long integer, but was '1h'", "whole number"),
        ({"data_file": "config/none.dat"}, "config/none.dat can't be read", "compact table"),
    ],
)
def test_what_cant_be_done_is_refused_by_name(
    loaded: Bench, properties: dict[str, object], says: str, hint: str
) -> None:
    done = loaded.run("-r", **{**REQUEST, **properties})
    assert done.code == 2, done.err
    assert says in done.err
    assert "hint: " in done.err
    assert hint in done.err.partition("hint: ")[2]
    assert "Traceback" not in done.err


def test_a_load_replaces_nothing(loaded: Bench) -> None:
    before = loaded.sql("SELECT COUNT(*), MAX(time) FROM linkdb.linktable")
    done = loaded.run("-l", "-r", **REQUEST)
    assert done.code == 3
    assert "schema linkdb has a table counttable" in done.err
    assert "hint: a load makes its tables itself and drops none" in done.err
    assert loaded.sql("SELECT COUNT(*), MAX(time) FROM linkdb.linktable") == before


def test_requests_need_their_tables(empty: Bench) -> None:
    done = empty.run("-r", **REQUEST)
    assert (done.code, empty.sql("SHOW DATABASES LIKE 'linkempty'")) == (3, [])
    assert "there is no schema linkempty" in done.err
    empty.sql("CREATE DATABASE linkempty")
    done = empty.run("-r", **REQUEST)
    assert "schema linkempty has no table counttable\nhint: load it first" in done.err
    done = empty.run("-r", **REQUEST, socket="/nowhere.sock")
    assert done.code == 3
    assert "hint: " in done.err


@pytest.mark.parametrize("words", [["-D", "password=geheim"], ["-Dpassword=geheim"]])
def test_process_lists_don_t_show_the_password(
    loaded: Bench, words: list[str], tmp_path: Path
) -> None:
    loaded.sql("GRANT ALL ON *.* TO guest@localhost IDENTIFIED BY 'geheim'")
    log = tmp_path / "log"
    argv = [w for w in loaded.argv("-r", "-L", str(log), **REQUEST, user="guest")]
    at = argv.index("password=")
    argv[at - 1 : at + 1] = words
    with subprocess.Popen(argv, cwd=loaded.home, stderr=subprocess.PIPE, text=True) as running:
        seen = command_line(running, "xxxxxx")
        environment = Path(f"/proc/{running.pid}/environ").read_text(encoding="utf-8")
        _, err = running.communicate(timeout=120)
    assert running.returncode == 0, err
    assert "geheim" not in seen + environment + log.read_text(encoding="utf-8")
    assert "password=xxxxxx" in seen
    assert "dbid=linkdb" in seen


def test_ctrl_c_tells_what_was_done(loaded: Bench, tmp_path: Path) -> None:
    stats = tmp_path / "stats.csv"
    argv = loaded.argv("-r", "-csvstats", str(stats), **{**REQUEST, "maxtime": 300})
    with subprocess.Popen(argv, cwd=loaded.home, stderr=subprocess.PIPE, text=True) as running:
        time.sleep(2)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    log = entries(err)
    assert log[-1].startswith("REQUEST PHASE INTERRUPTED. ")
    assert not any("COMPLETED" in line for line in log)
    assert len(stats.read_text(encoding="utf-8").splitlines()) > 5
    assert loaded.number(COUNTS_WRONG.format("linkdb")) == 0
    threads = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = 'linkdb'"
    deadline = time.monotonic() + 30
    while loaded.number(threads) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert loaded.number(threads) == 0


def test_ctrl_c_in_a_load_tells_what_is_left(empty: Bench) -> None:
    argv = empty.argv("-l", "-r", **REQUEST, maxid1=1_000_001)
    with subprocess.Popen(argv, cwd=empty.home, stderr=subprocess.PIPE, text=True) as running:
        deadline = time.monotonic() + 60
        tables = "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'linkempty'"
        while not empty.number(tables) and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=120)
    assert running.returncode == 130
    assert "LOAD PHASE INTERRUPTED. " in err
    assert "hint: drop linktable, counttable and nodetable" in err
    assert "REQUEST PHASE" not in err
    done = empty.run("-l")
    assert (done.code, "drops none" in done.err) == (3, True)


def test_too_many_failures_end_the_run(loaded: Bench) -> None:
    loaded.sql("CREATE OR REPLACE USER reader@localhost")
    loaded.sql("GRANT SELECT ON linkdb.* TO reader@localhost")
    done = loaded.run("-r", user="reader", max_failed_requests=20, requesters=2, maxtime=60)
    assert done.code == 20, done.err
    assert "Benchmark did not complete cleanly" in done.err
    assert "hint: max_failed_requests" in done.err


def test_a_full_disk_is_reported(loaded: Bench) -> None:
    done = loaded.run("-r", "-csvstream", "/dev/full", **REQUEST)
    assert done.code == 5
    assert "/dev/full can't be written: No space left on device" in done.err
    assert loaded.run("-r", "-L", "/nowhere/log", **REQUEST).code == 5


def test_help_names_every_option(loaded: Bench) -> None:
    done = loaded.run("--help")
    assert done.code == 0
    for option in ("-c", "-l", "-r", "-D", "-L", "-csvstats", "-csvstream", "socket", "profile"):
        assert option in done.out
    assert loaded.run("-csvstreams", "x", "-r").code == 1


def test_a_run_folder_has_the_requests(loaded: Bench, tmp_path: Path) -> None:
    out = tmp_path / "run"
    more = {"requests": 300, "getlinklist_history": 0.5}
    words = loaded.argv("-r", **REQUEST, **more)[2:]
    argv = [sys.executable, "-m", "dyno.cli.main", "linkbench", f"--out={out}", *words]
    done = subprocess.run(
        argv, cwd=loaded.home, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "REQUEST PHASE COMPLETED. " in done.stderr
    folder = RunFolder.open(out)
    (trial,) = folder.trials()
    assert trial.status == "ok"
    plan = folder.plan()
    assert plan.points[0].connections == 4
    assert isinstance(plan.workload, LinkbenchWorkload)
    assert plan.workload.ids == 2000
    assert plan.workload.properties == {"getlinklist_history": "0.5"}, "what the profile hasn't"
    assert "get_links_list" in (out / "report.html").read_text(encoding="utf-8")


def test_a_plan_is_shown_without_a_run(loaded: Bench) -> None:
    done = loaded.run("-r", "--dyno-plan", **REQUEST, password="geheim", request_random_seed=3)
    assert done.code == 0, done.err
    assert done.err == ""
    assert "geheim" not in done.out
    plan = LoadPlan.model_validate_json(done.out)
    assert (plan.seed, plan.connections) == (3, 4)
    done = loaded.run("-l", "--dyno-plan")
    assert [phase.name for phase in LoadPlan.model_validate_json(done.out).phases] == ["load"]
