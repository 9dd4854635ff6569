"""A tiny run that times loads and asks how tables are kept: the parts fit together."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable

import pytest
from small_run import Bench
from thinned import in_test_all

from dyno.home import find_home

KEPT = """
title = "small"
question = "What does page compression cost a small table?"
[settings]
innodb_flush_log_at_trx_commit = 2
innodb_buffer_pool_size = "24M"
[[arm]]
name = "plain"
baseline = true
server = "mariadb-10.11.5"
[[arm]]
name = "page"
server = "mariadb-10.11.5"
create_options = "PAGE_COMPRESSED=1"
settings = { innodb_compression_algorithm = "zlib" }
[workload]
kind = "oltp"
script = "oltp_read_write"
tables = 2
table_size = 20000
[sweep]
connections = [1, 4]
[protocol]
profile = false
blocks = { first = 2, last = 2 }
warmup = "1s"
duration = "2s"
loads = 1
[[claim]]
says = "page-compressed tables load as fast"
metric = "load_time"
ratio_of = ["page", "plain"]
at_most = 1.0
[[claim]]
says = "page-compressed tables run as evenly"
metric = "steadiness"
ratio_of = ["page", "plain"]
at = 4
at_most = 1.0
"""


@pytest.fixture
def kept(bench: Bench) -> Bench:
    bench.experiment.write_text(KEPT)
    return bench


def test_loads_are_timed_and_storage_is_stored_once_an_arm(kept: Bench) -> None:
    done = kept.dyno("run", "small/experiment.toml", timeout_s=400)
    assert done.returncode == 0, done.stderr
    trials = kept.all_trials()
    assert [t["status"] for t in trials] == ["ok"] * 8, [t.get("failure") for t in trials]
    loaded = [t for t in trials if "loading" in t]
    assert sorted((t["arm"], t["block"]) for t in loaded) == [("page", 0), ("plain", 0)]
    for trial in loaded:
        assert 0.1 < trial["loading"]["load_s"] < 60
        assert trial["loading"]["written_bytes"] > 1_000_000
    stored = [t for t in trials if "storage" in t]
    assert sorted((t["arm"], t["block"]) for t in stored) == [("page", 0), ("plain", 0)]
    # In the last trial of the block, so that nothing else is measured on what was reloaded.
    assert [t["position"] for t in stored] == [2, 3]
    findings = json.loads((kept.run_folder() / "findings.json").read_text())
    plain, page = findings["storage"]
    for read in (plain, page):
        assert [t["table"] for t in read["tables"]] == ["sbtest1", "sbtest2"]
        assert {i["index"] for i in read["indexes"]} == {"PRIMARY", "k_1", "k_2"}
        assert 0.3 < read["indexes"][0]["fill"] <= 1
        assert read["loading"]["n"] == 1
        measured = {t["point"] for t in trials if t["arm"] == read["arm"] and "void" not in t}
        assert [w["point"] for w in read["writes"]] == sorted(measured)
        for write in read["writes"]:
            assert write["figures"]["write_amplification"] > 0.5
    sizes = [sum(t["disk_bytes"] for t in read["tables"]) for read in (plain, page)]
    assert sizes[1] < sizes[0]
    # Pages were packed by the server that loaded them; this one unpacked them.
    assert page["counters"]["Innodb_num_pages_page_decompressed"] > 0
    assert plain["counters"]["Innodb_num_pages_page_decompressed"] == 0
    assert [c["verdict"] for c in findings["claims"]] == ["inconclusive"] * 2
    # A block counts where neither arm's trial is void: on a busy host the generator may be bound.
    at_4 = [t for t in trials if t["point"] == 1]
    void = {t["block"] for t in at_4 if "void" in t}
    assert [c["n"] for c in findings["claims"]] == [1, 2 - len(void)]
    report = (kept.run_folder() / "report.html").read_text()
    assert "Tables, pages and bytes written" in report


@in_test_all
def test_ctrl_c_in_a_timed_load_and_resume(
    kept: Bench, wait_for: Callable[[Callable[[], object], float], None]
) -> None:
    kept.edit("loads = 1", "loads = 2")
    kept.edit("table_size = 20000", "table_size = 60000")
    running = kept.begin("run", "small/experiment.toml")
    work = find_home().work

    def loads_in_the_second_block() -> bool:
        """The first block's four trials are there, and data are loaded again for the second."""
        assert running.poll() is None, "it ended before"
        done = list(kept.path.glob("runs/small/*/trials/[0-9]*"))
        (name,) = [folder.name for folder in kept.path.glob("runs/small/*")] or ["none"]
        again = work.glob(f"run-{name}/arm-*/load-again/*")
        return len(done) == 4 and any(again)

    wait_for(loads_in_the_second_block, 300)
    os.killpg(running.pid, signal.SIGINT)
    _, words = running.communicate(timeout=60)
    assert running.returncode == 130, words
    assert "interrupted; 4 finished trials" in " ".join(words.split())
    assert "Traceback" not in words
    assert len(kept.trials()) == 4
    name = kept.run_folder().name
    assert not list(work.glob(f"run-{name}*")), "what was loaded by half is gone"
    resumed = kept.dyno("run", "small/experiment.toml", "--resume", timeout_s=400)
    assert resumed.returncode == 0, resumed.stderr
    trials = kept.all_trials()
    assert [t["status"] for t in trials] == ["ok"] * 8, [t.get("failure") for t in trials]
    loaded = [(t["arm"], t["block"]) for t in trials if "loading" in t]
    assert sorted(loaded) == [(arm, block) for arm in ("page", "plain") for block in (0, 1)]
    findings = json.loads((kept.run_folder() / "findings.json").read_text())
    assert [read["loading"]["n"] for read in findings["storage"]] == [2, 2]
