"""Hosts that a run can't have: each is one line, with what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

from hosting import Hosting, hosted, hosts_command, write_hosts
from small_run import Bench

DOWN = """
[[host]]
name = "load3"
address = "127.0.0.4"
roles = ["load"]
"""


def refused(bench: Bench, file: Path) -> str:
    """The error of a run, which left nothing."""
    done = bench.dyno("run", "small/experiment.toml", "--hosts", str(file))
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    assert "hint: " in done.stderr
    assert not (bench.path / "runs").exists()
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    return error


def test_who_has_certificates_of_another_setup(loads: Bench, hosts: Hosting) -> None:
    theirs = loads.path / "hosts.toml"
    shutil.copy(hosts.file, theirs)
    made = loads.dyno(*hosts_command(theirs, "setup")[3:])
    assert made.returncode == 0, made.stderr
    assert "no scheduler answers at tls://127.0.0.1:" in refused(loads, theirs)


def test_a_host_that_is_down(loads: Bench, tmp_path: Path) -> None:
    file = write_hosts(tmp_path)
    text = file.read_text()
    file.write_text(text + DOWN)
    made = loads.dyno(*hosts_command(file, "setup")[3:])
    assert made.returncode == 0, made.stderr
    # Agents are started for the others alone.
    file.write_text(text)
    with hosted(file):
        file.write_text(text + DOWN)
        assert refused(loads, file) == "error: load3 is lost: it has no agent"
