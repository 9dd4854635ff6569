"""The durability test as typed, on a real server that is really killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import forks
import psutil
import pytest
from thinned import in_test_all, thinned

from dyno.home import find_home
from dyno.power import lacking

SERVER = "mariadb-debian"
MYSQL = ("--server", "mysql-sid", "--workload")
MYROCKS = (
    "--server",
    "mariadb-trixie",
    "--engine",
    "ROCKSDB",
    "--plugin",
    "ha_rocksdb",
    "--workload",
)
GRAPH = ("linkbench", "--ids", "2000")
TODAY = {
    "mysql-tpcc": (*MYSQL, "tpcc"),
    "mysql-linkbench": (*MYSQL, *GRAPH),
    "myrocks-tpcc": (*MYROCKS, "tpcc"),
    "myrocks-linkbench": (*MYROCKS, *GRAPH),
}
needs_power = pytest.mark.skipif(lacking() is not None, reason=str(lacking()))


def typed(*arguments: str) -> list[str]:
    load = ("--connections", "16", "--after", "2s")
    return ["check-durability", "--server", SERVER, *load, *arguments]


def dyno(*arguments: str) -> subprocess.CompletedProcess[str]:
    return forks.dyno(*typed(*arguments), limit_s=500, COLUMNS="200")


def document_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def children_of(process: psutil.Process) -> list[psutil.Process]:
    return [p for p in process.children(recursive=True) if p.name() in ("mariadbd", "dynoload")]


def owner(folder: Path) -> int:
    """The process id of the Dyno that a folder belongs to."""
    return int((folder / "owner").read_text("ascii").split()[0])


def test_a_durable_server_has_every_acknowledged_order_after_a_kill() -> None:
    done = dyno("--kills", "2", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = document_of(done)
    assert (found["ok"], found["lost"]) == (True, 0)
    assert found["settings"]["innodb_flush_log_at_trx_commit"] == "1"
    assert [kill["number"] for kill in found["kills"]] == [1, 2]
    for kill in found["kills"]:
        assert kill["found"] == kill["acknowledged"] > 0
        assert 0 <= kill["surplus"] <= 16
        assert 1 <= kill["after_s"] <= 3
        assert kill["recovery_s"] > 0
        assert {check["state"] for check in kill["checks"]} == {"ok"}
        assert len(kill["checks"]) > 12
    assert found["acknowledged"] == sum(kill["acknowledged"] for kill in found["kills"])
    assert "kill 2 after" in done.stderr, "lines for people go to stderr beside --json"


@in_test_all
def test_a_graph_keeps_its_counts_and_its_nodes_over_a_kill() -> None:
    done = dyno("--workload", "linkbench", "--ids", "2000", "--kills", "1", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = document_of(done)
    assert (found["workload"], found["counted"]) == ("linkbench", "new nodes")
    (kill,) = found["kills"]
    assert kill["found"] == kill["acknowledged"] > 0
    assert 0 <= kill["surplus"] <= 16
    assert [(c["name"], c["state"]) for c in kill["checks"]] == [
        ("counts", "ok"),
        ("visibility", "ok"),
    ]


@pytest.mark.parametrize("case", thinned(list(TODAY), least=1))
def test_the_servers_of_today_keep_what_they_acknowledge(case: str) -> None:
    given = TODAY[case]
    done = dyno(*given, "--kills", "1", "--after", "1s", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = document_of(done)
    (kill,) = found["kills"]
    assert kill["found"] == kill["acknowledged"] > 0
    assert {check["state"] for check in kill["checks"]} == {"ok"}
    setting = f"{'rocksdb' if 'ROCKSDB' in given else 'innodb'}_flush_log_at_trx_commit"
    assert found["settings"][setting] == "1"


def test_a_server_that_comes_back_without_its_engine_has_not_recovered() -> None:
    """At 2, MyRocks loses what a mere kill finds in memory, and sometimes more."""
    given = ["--server", "mariadb-trixie", "--engine", "ROCKSDB", "--plugin", "ha_rocksdb"]
    given += ["--set", "rocksdb_flush_log_at_trx_commit=2", "--kills", "3", "--after", "1s"]
    done = dyno(*given)
    lines = [line for line in done.stdout.splitlines() if line.startswith("kill ")]
    assert lines, done.stderr
    for line in lines:
        fate = ("lost", "no recovery: mariadb-trixie can't load the plugin ha_rocksdb")
        assert any(word in line for word in fate), line
    # What follows it says which kills came while little was done, as a busy host may make them.
    summary = done.stdout.splitlines()[-2].partition("; kill ")[0]
    assert summary.endswith("rocksdb_flush_log_at_trx_commit=2") or "no recovery" in done.stdout


def test_a_server_that_does_not_flush_is_measured_to_the_end() -> None:
    done = dyno("--kills", "1", "--set", "innodb_flush_log_at_trx_commit=0")
    assert "innodb_flush_log_at_trx_commit=0, " in done.stdout, done.stderr
    assert "kill 1 after" in done.stdout
    assert "isn't a power failure" in done.stdout
    (line,) = [line for line in done.stdout.splitlines() if "acknowledged new orders" in line]
    # What a kill finds in memory is chance: either account is right, with its exit code.
    is_lost = line.startswith("lost ")
    assert is_lost or line.startswith("0 of ")
    assert ("Wilson interval" in line) == is_lost
    assert line.endswith("with innodb_flush_log_at_trx_commit=0")
    assert done.returncode == (7 if is_lost else 0), done.stdout + done.stderr


def test_ctrl_c_leaves_neither_server_nor_folder() -> None:
    before = set(find_home().work.iterdir())
    argv = [sys.executable, "-m", "dyno.cli.main", *typed("--kills", "3")]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("kill 1 of 3"):
                break
        time.sleep(0.5)
        left = children_of(psutil.Process(process.pid))
        assert {p.name() for p in left} == {"mariadbd", "dynoload"}
        mine = [p for p in set(find_home().work.glob("dyno-*")) - before if owner(p) == process.pid]
        assert len(mine) == 1
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "error: interrupted after 0 of 3 kills; the server and its data are gone" in words
    assert "Traceback" not in words
    assert not [p for p in left if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
    assert not mine[0].exists()


@needs_power
def test_after_a_power_cut_flush_1_has_every_order_and_flush_2_has_not() -> None:
    """With all rules of the data, which hold for what is left."""
    for flush, is_kept in ((1, True), (2, False)):
        setting = f"innodb_flush_log_at_trx_commit={flush}"
        done = dyno("--kills", "2", "--crash", "power", "--set", setting, "--json")
        found = document_of(done)
        assert (done.returncode, found["crash"]) == (0 if is_kept else 7, "power"), done.stderr
        assert (found["lost"] == 0) is is_kept, found["kills"]
        assert found["acknowledged"] > 20
        for kill in found["kills"]:
            assert {check["state"] for check in kill["checks"]} == {"ok"}


@in_test_all
@needs_power
def test_after_a_power_cut_flush_1_has_every_node_and_flush_2_has_not() -> None:
    """By their ids; the counts of links agree either way."""
    for flush, is_kept in ((1, True), (2, False)):
        setting = f"innodb_flush_log_at_trx_commit={flush}"
        graph = ("--workload", "linkbench", "--ids", "2000")
        done = dyno(*graph, "--kills", "2", "--crash", "power", "--set", setting, "--json")
        found = document_of(done)
        assert (done.returncode, found["crash"]) == (0 if is_kept else 7, "power"), done.stderr
        assert (found["lost"] == 0) is is_kept, found["kills"]
        assert found["acknowledged"] > 5
        for kill in found["kills"]:
            assert (kill["example"] or "id ").startswith("id ")
            assert {check["state"] for check in kill["checks"]} == {"ok"}
