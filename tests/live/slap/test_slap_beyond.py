"""What mysqlslap can't do: prepared statements, a limit of time, engines in turn, JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from counted import counts
from processes import command_line
from slaps import Stand, ours

from dyno.store.run import RunFolder

FEW = ["--auto-generate-sql-write-number=20", "--auto-generate-sql-unique-query-number=4"]


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_json_counts_what_was_run(stand: Stand) -> None:
    options = ["-a", *FEW, "-c2,3", "-i3", "--number-of-queries=30", "-e", "innodb,memory"]
    work = stand.work(lambda: stand.slap(*options, "--json"))
    cells = objects(work.done.out)
    wanted = [("innodb", 2), ("innodb", 3), ("memory", 2), ("memory", 3)]
    assert [(c["engine"], c["clients"]) for c in cells] == wanted
    for cell in cells:
        assert cell["statements"] == 90
        assert len(cell["iterations"]) == 3
        for one in cell["iterations"]:
            parts = one["connect_s"] + one["run_s"] + one["close_s"]
            assert one["time_s"] == pytest.approx(parts, abs=2e-6)
            assert one["load_s"] > 0
        times = [one["time_s"] for one in cell["iterations"]]
        assert cell["time_s"]["min"] == min(times)
        assert cell["time_s"]["stddev"] > 0
        latency = cell["latency_us"]
        assert 0 < latency["p50"] <= latency["p95"] <= latency["p99"] <= latency["max"]
    # Loading: 19 rows an iteration; running: 5 statements a pass, 3 of them INSERT.
    inserted = work.counts["Com_insert"]
    per_iteration = [2 * 15 * 3 // 5, 3 * 10 * 3 // 5]
    assert inserted == 2 * 3 * sum(19 + rows for rows in per_iteration)


def test_the_time_holds_connecting_and_statements(stand: Stand) -> None:
    begun = time.monotonic()
    done = stand.slap(
        *("--create-schema=mysql", "--init-command=DO SLEEP(0.8)", "-q", "SELECT SLEEP(0.2)"),
        *("-c8", "--pre-system=sleep 3", "--json"),
    )
    elapsed_s = time.monotonic() - begun
    (cell,) = objects(done.out)
    (one,) = cell["iterations"]
    assert 0.8 <= one["connect_s"] < 8 * 0.8, "clients connect at once"
    assert 1 <= cell["time_s"]["mean"] < elapsed_s - 3, "--pre-system isn't in it"
    # A latency with connecting in it would be longer than the time of all statements.
    assert cell["latency_us"]["p50"] >= 200_000
    assert cell["latency_us"]["max"] <= one["run_s"] * 1e6


def test_prepared_statements_are_prepared_once_a_connection(stand: Stand) -> None:
    options = [
        *("-a", *FEW, "--auto-generate-sql-load-type=key", "--auto-generate-sql-guid-primary"),
        *("-c2", "--number-of-queries=40", "--json"),
    ]
    text = stand.work(lambda: stand.slap(*options))
    prepared = stand.work(lambda: stand.slap(*options, "--prepared"))
    assert objects(prepared.done.out)[0]["statements"] == 40
    assert text.counts["Com_stmt_execute"] == 0
    assert prepared.counts["Com_stmt_prepare"] == 2, "the list has one text"
    assert prepared.counts["Com_stmt_execute"] == 40


def test_prepared_keys_find_their_rows(stand: Stand) -> None:
    options = [
        *("-a", *FEW, "--auto-generate-sql-load-type=key", "--auto-generate-sql-add-autoincrement"),
        *("-e", "myisam", "--number-of-queries=200", "-s"),
    ]
    for more in ([], ["--prepared"]):
        before = counts(stand.admin)["Rows_sent"]
        assert stand.slap(*options, *more).code == 0
        assert counts(stand.admin)["Rows_sent"] - before >= 200, more


def test_a_time_is_a_limit(stand: Stand) -> None:
    done = stand.slap("-q", "SELECT 1", "--create-schema=mysql", "-c3", "--time=0.5", "--json")
    (cell,) = objects(done.out)
    assert 0.5 <= cell["time_s"]["mean"] < 5
    assert cell["statements"] > 100
    assert cell["queries_per_client"] == cell["statements"] // 3


def test_engines_take_turns_within_an_iteration(stand: Stand) -> None:
    options = ["-a", *FEW, "-e", "innodb,memory", "-i2", "-c1,2", "--csv"]
    done, log = stand.logged(lambda: stand.slap(*options, "--interleave"))
    made = [line.rpartition(" ")[2] for line in log if "CREATE TABLE" in line]
    assert made == ["innodb", "memory"] * 4
    cells = [(f[0], f[5]) for f in (line.split(",") for line in done.out.splitlines())]
    assert cells == [("innodb", "1"), ("memory", "1"), ("innodb", "2"), ("memory", "2")]


def test_every_iteration_with_commit_sees_its_rows(stand: Stand) -> None:
    options = [
        *("-a", *FEW, "--commit=5", "-i3", "-e", "innodb", "--auto-generate-sql-load-type=read"),
        *("--number-of-queries=10", "-s"),
    ]
    before = counts(stand.admin)["Rows_sent"]
    assert stand.slap(*options).code == 0
    assert counts(stand.admin)["Rows_sent"] - before >= 3 * 10 * 19


def test_the_long_report_begins_as_the_short_one(stand: Stand) -> None:
    done = stand.slap("-a", *FEW, "--verbose-report", "-i2")
    lines = done.out.splitlines()
    assert lines[0] == "Benchmark"
    assert lines[5] == "\tAverage number of queries per client: 0"
    assert "\tStatements run: 10" in lines
    assert any(line.startswith("\tLatency p99: ") for line in lines)


def test_statements_that_fail_to_be_prepared_are_reported(stand: Stand) -> None:
    done = stand.slap("-q", "SELECT ?", "--create-schema=mysql", "--prepared")
    assert done.code == 20
    assert "1 parameters, and 0 values for them" in done.err


def test_large_results_are_read_to_their_end(stand: Stand) -> None:
    query = "SELECT REPEAT('x', 100000) FROM mysql.help_topic LIMIT 200"
    options = ["-q", query, "--create-schema=mysql", "-c4", "--number-of-queries=8"]
    for more in ([], ["--detach=1"], ["--prepared"]):
        done = stand.slap(*options, *more, "--json")
        assert objects(done.out)[0]["statements"] == 8, done.err


@pytest.mark.parametrize("spelling", ["--password=geheim", "-pgeheim"])
def test_process_lists_don_t_show_the_password(stand: Stand, spelling: str) -> None:
    stand.sql("GRANT ALL ON *.* TO guest@localhost IDENTIFIED BY 'geheim'")
    argv = [*ours(), "--no-defaults", f"--socket={stand.server.socket}", "--user=guest", spelling]
    argv += ["--create-schema=mysql", "--query=SELECT SLEEP(2)", "--silent"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as running:
        seen = command_line(running, "xxxxxx")
        running.communicate(timeout=120)
    assert running.returncode == 0
    assert "geheim" not in seen
    assert "xxxxxx" in seen
    assert "SELECT SLEEP(2)" in seen


def test_a_run_folder_has_every_iteration(stand: Stand, tmp_path: Path) -> None:
    out = tmp_path / "run"
    argv = [sys.executable, "-m", "dyno.cli.main", "slap", *stand.login, f"--out={out}"]
    argv += ["-a", *FEW, "-c1,3", "-i3", "--number-of-queries=60", "-e", "innodb,memory"]
    done = subprocess.run(
        [*argv, "--interleave"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Benchmark") == 4
    folder = RunFolder.open(out)
    trials = list(folder.trials())
    assert [(t.block, t.arm) for t in trials] == [
        (block, arm) for block in range(3) for arm in ("innodb", "memory")
    ]
    assert {run.statement for t in trials for run in t.statements} == {"1 client", "3 clients"}
    assert len(folder.plan().comparisons) == 2
    assert f"report: {out}/report.html" in done.stderr
    assert (out / "telemetry.parquet").is_file()
