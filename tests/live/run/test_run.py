"""`dyno run` on real servers: from the TOML to the report, and everything that can go wrong."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import psutil
import pytest
from processes import servers_of
from small_run import Bench

Wait = Callable[[Callable[[], object], float], None]


def one_line(text: str, *words: str) -> None:
    """The error is one line with these words, a hint may follow, and no traceback is there."""
    errors = [line for line in text.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, text
    assert "Traceback" not in text
    for word in words:
        assert word in text, text


def test_a_run_ends_in_findings_and_a_report(bench: Bench) -> None:
    done = bench.dyno("run", "small/experiment.toml", "--json")
    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)
    assert findings["run"]["state"] == "complete"
    assert findings["run"]["trials_ok"] == 6
    (compared, _) = findings["compared"]
    assert compared["n"] == 3
    assert compared["state"] == "undecided"  # three blocks bound nothing
    checks = {check["name"]: check["check"] for check in findings["fairness"]}
    assert checks["equal results"] == "ok"
    assert checks["declared settings hold in the measuring session"] == "ok"

    folder = bench.run_folder()
    assert (folder / "report.html").stat().st_size > 10_000
    server = json.loads((folder / "servers" / "mariadb-10.1.8.json").read_text())
    assert server["version"] == "10.1.8"
    assert {len(digest) for _, digest in server["packages"]} == {64}
    trial = folder / "trials" / "0001"
    document = json.loads((trial / "trial.json").read_text())
    assert document["schema"] == 2
    assert [s["statement"] for s in document["statements"]] == ["sum", "wait"]
    assert document["statements"][1]["elapsed_ns"] >= 200_000_000
    assert document["statements"][0]["session_status"]["Handler_read_rnd_next"] >= 2000
    settings = json.loads((trial / "settings.json").read_text())
    assert "key_buffer_size" in settings["session"]
    intervals = pl.read_parquet(trial / "intervals.parquet")
    assert intervals["count"].sum() == 2
    assert pl.read_parquet(trial / "telemetry.parquet").height >= 2


def test_the_report_can_be_made_again_anywhere(bench: Bench) -> None:
    bench.dyno("run", "small/experiment.toml")
    folder = bench.run_folder()
    before = (folder / "report.html").read_bytes()
    (folder / "report.html").unlink()
    again = bench.dyno("report", str(folder), "--format", "markdown", "--images", "pictures")
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith("# ")
    assert (folder / "report.html").read_bytes() == before
    assert {p.suffix for p in (bench.path / "pictures").iterdir()} == {".svg", ".png"}


def test_the_second_run_reuses_the_dataset(bench: Bench) -> None:
    assert bench.dyno("run", "small/experiment.toml", "--blocks", "1").returncode == 0
    second = bench.dyno("run", "small/experiment.toml", "--blocks", "1")
    assert second.returncode == 0
    assert "loading the dataset" not in second.stderr


def digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.glob("trials/[0-9]*/*"))
    }


def test_kill_minus_nine_leaves_no_server_and_resume_finishes(bench: Bench, wait_for: Wait) -> None:
    bench.edit("SLEEP(0.2)", "SLEEP(1.5)")
    running = bench.begin("run", "small/experiment.toml")
    wait_for(lambda: list(bench.path.glob("runs/small/*/trials/0001")), 60)
    folder = bench.run_folder()
    wait_for(lambda: servers_of(folder), 60)
    (server,) = servers_of(folder)
    before = digests(folder)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    wait_for(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE, 2)
    assert not servers_of(folder)
    running.communicate()

    resumed = bench.dyno("run", "small/experiment.toml", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert len(bench.trials()) == 6
    after = digests(folder)
    assert {name: after[name] for name in before} == before
    assert json.loads((folder / "run.json").read_text())["state"] == "complete"


def test_ctrl_c_leaves_a_whole_folder(bench: Bench, wait_for: Wait) -> None:
    bench.edit("SLEEP(0.2)", "SLEEP(1.5)")
    running = bench.begin("run", "small/experiment.toml", "--out", "my runs")
    wait_for(lambda: list(bench.path.glob("my runs/small/*/trials/0001")), 60)
    (folder,) = bench.path.glob("my runs/small/*")
    wait_for(lambda: servers_of(folder), 60)
    os.killpg(running.pid, signal.SIGINT)
    _, words = running.communicate(timeout=300)
    assert running.returncode == 130
    again = "go on with: dyno run small/experiment.toml --resume --out 'my runs'"
    one_line(words, "interrupted", "finished trial", again)
    assert json.loads((folder / "run.json").read_text())["state"] == "interrupted"
    assert (folder / "report.html").exists()
    assert not list(folder.glob("trials/.*"))
    assert not servers_of(folder)


def test_ctrl_c_before_the_first_trial_leaves_nothing(bench: Bench, wait_for: Wait) -> None:
    bench.edit("SLEEP(0.2)", "SLEEP(3)")
    running = bench.begin("run", "small/experiment.toml")
    wait_for(lambda: list(bench.path.glob("runs/small/*/trials/.*")), 60)
    folder = bench.run_folder()
    os.killpg(running.pid, signal.SIGINT)
    _, words = running.communicate(timeout=300)
    assert running.returncode == 130
    one_line(words, "interrupted before the first trial had finished")
    assert "--resume" not in words
    assert not folder.exists()
    assert not servers_of(folder)


def test_a_server_killed_in_mid_statement_costs_one_trial(bench: Bench, wait_for: Wait) -> None:
    bench.edit("SLEEP(0.2)", "SLEEP(1.5)")
    running = bench.begin("run", "small/experiment.toml", "--json")
    wait_for(lambda: list(bench.path.glob("runs/small/*/trials/0001")), 60)
    folder = bench.run_folder()
    wait_for(lambda: servers_of(folder), 60)
    time.sleep(1.0)
    (server,) = servers_of(folder)
    server.kill()
    out, words = running.communicate(timeout=300)
    assert running.returncode == 0, words
    assert "failed: the server died" in words
    findings = json.loads(out)
    assert findings["run"]["trials_failed"] == 1
    assert findings["run"]["trials_ok"] == 5
    trials = next(check for check in findings["fairness"] if check["name"] == "trials")
    assert trials["check"] == "warning"
    assert "the server died" in trials["details"][0]


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ('"16M"', '"16M"\nkey_bufer_size = 1', 2, ("experiment.toml",)),
        ("key_buffer_size", "key_bufer_size", 3, ("key_bufer_size", "key_buffer_size", "hint:")),
        ("sum(length(v))", "sum(lenght(v))", 6, ("statement sum failed", "1305")),
        ("CREATE TABLE t (", "CREATE TABEL t (", 4, ("loading the dataset", "1064")),
        (
            'server = "mariadb-10.1.8"\nset',
            'server = "mariadb-10.1.9"\nset',
            2,
            ("mariadb-10.1.8",),
        ),
        ("title =", "titel =", 2, ("did you mean 'title'?",)),
    ],
)
def test_a_wrong_experiment_is_one_line(
    bench: Bench, old: str, new: str, code: int, words: tuple[str, ...]
) -> None:
    bench.edit(old, new)
    failed = bench.dyno("run", "small/experiment.toml")
    assert failed.returncode == code, failed.stderr
    one_line(failed.stderr, *words)


def test_a_full_disk_stops_the_run_and_loses_nothing(bench: Bench) -> None:
    small = bench.path / "tiny-disk"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=360k", "none", str(small)], check=True)
    try:
        failed = bench.dyno("run", "small/experiment.toml", "--out", str(small))
        assert failed.returncode == 5, failed.stderr
        one_line(failed.stderr, "disk full", "--resume")
        (folder,) = (small / "small").iterdir()
        whole = [json.loads(p.read_text()) for p in folder.glob("trials/[0-9]*/trial.json")]
        assert whole
        subprocess.run(["mount", "-o", "remount,size=100m", str(small)], check=True)
        resumed = bench.dyno("run", "small/experiment.toml", "--out", str(small), "--resume")
        assert resumed.returncode == 0, resumed.stderr
        assert len(list(folder.glob("trials/[0-9]*"))) == 6
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_two_runs_at_once_are_refused(
    bench: Bench, wait_for: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one runs until it is interrupted, however long the others take to be refused."""
    bench.edit("SLEEP(0.2)", "SLEEP(300)")
    first = bench.begin("run", "small/experiment.toml", "--blocks", "1")
    try:
        wait_for(lambda: list(bench.path.glob("runs/small/*/trials/.0001.partial")), 60)
        second = bench.dyno("run", "small/experiment.toml", "--out", "other")
        monkeypatch.setenv("DYNO_HOME", str(bench.path / "another home"))
        third = bench.dyno("run", "small/experiment.toml", "--out", "other")
    finally:
        os.killpg(first.pid, signal.SIGINT)
        _, words = first.communicate(timeout=300)
    assert first.returncode == 130, words
    for refused in (second, third):
        assert refused.returncode == 6, refused.stderr
        one_line(refused.stderr, "another dyno run is measuring", f"process {first.pid} of user")


def test_a_kept_server_runs_all_its_trials(bench: Bench) -> None:
    bench.edit('expected_trial = "1s"', "fresh_server = false")
    done = bench.dyno("run", "small/experiment.toml", "--json")
    assert done.returncode == 0, done.stderr
    starts = [
        json.loads(p.read_text())["steps"].get("start")
        for p in bench.run_folder().glob("trials/*/trial.json")
    ]
    assert len([s for s in starts if s is not None]) == 2


def test_the_budget_ends_a_run_between_blocks(bench: Bench) -> None:
    done = bench.dyno("run", "small/experiment.toml", "--budget", "1s", "--json")
    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)
    assert findings["run"]["blocks"] == 1
    assert findings["run"]["reason"] == "the budget of 1.0 s is spent after 1 block"
    again = bench.dyno("run", "small/experiment.toml", "--resume")
    one_line(again.stderr, "no unfinished run", "dyno report runs/small/")


def test_resume_without_a_run_and_with_other_options(bench: Bench) -> None:
    none = bench.dyno("run", "small/experiment.toml", "--resume")
    assert none.returncode == 2
    one_line(none.stderr, "no unfinished run")
    mixed = bench.dyno("run", "small/experiment.toml", "--resume", "--blocks", "4")
    assert mixed.returncode == 2
    one_line(mixed.stderr, "--blocks")
