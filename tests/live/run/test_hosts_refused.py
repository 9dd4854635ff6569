"""Hosts that a run can't have: each is one line, with what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

from hosting import LOADS, Hosting, hosted, write_hosts
from small_run import Bench


def set_up(bench: Bench, file: Path) -> None:
    """Make its certificates."""
    made = bench.dyno("hosts", "setup", "--hosts", str(file))
    assert made.returncode == 0, made.stderr


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
    set_up(loads, theirs)
    assert "no scheduler answers at tls://127.0.0.1:" in refused(loads, theirs)


def test_a_host_that_is_down(loads: Bench, tmp_path: Path) -> None:
    file = write_hosts(tmp_path, loads=LOADS | {"load3": "127.0.0.4"})
    whole = file.read_text()
    set_up(loads, file)
    # Agents are started for the others alone.
    file.write_text(whole.rpartition("[[host]]")[0])
    with hosted(file):
        file.write_text(whole)
        assert refused(loads, file) == "error: load3 is lost: it has no agent"
