"""The example for Slurm, with its tools replaced by what enters hosts of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from namespaces import Apart, apart, can_be_apart
from small_run import Bench
from thinned import in_test_all

DRIVER = "10.99.9.1"
LOADS = {"load1": "10.99.9.2", "load2": "10.99.9.3"}
SCRIPT = Path(__file__).parents[3] / "examples" / "slurm.sh"


def script(path: Path, *lines: str) -> None:
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)


def write_tools(folder: Path, hosts: dict[str, Apart]) -> None:
    """scontrol, which names the nodes; srun, which runs a command on one; and this very Dyno."""
    nodes = [DRIVER, *LOADS.values()]
    script(folder / "scontrol", "printf '%s\\n' " + " ".join(nodes))
    enter = [
        f'{host.address}) exec env DYNO_HOME={host.home} {" ".join(host.enter())} "$@" ;;'
        for host in hosts.values()
    ]
    script(folder / "srun", "node=${3#--nodelist=}", "shift 3", 'case "$node" in', *enter, "esac")
    script(folder / "dyno", f'exec {sys.executable} -m dyno.cli.main "$@"')


@in_test_all
def test_nodes_make_the_load_for_the_first_of_them(
    loads: Bench, request: pytest.FixtureRequest
) -> None:
    if not request.config.getoption("--apart") or not can_be_apart():
        pytest.skip("needs ip, and a network of its own: pytest -n 1 --apart as root")
    tools = loads.path / "tools"
    tools.mkdir()
    with apart(DRIVER, LOADS) as hosts:
        write_tools(tools, hosts)
        done = subprocess.run(
            ["bash", str(SCRIPT), "small/experiment.toml"],
            cwd=loads.path,
            env=os.environ
            | {
                "PATH": f"{tools}:{os.environ['PATH']}",
                "SLURM_JOB_ID": "7",
                "SLURM_JOB_NODELIST": "n[1-3]",
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        logs = [file.read_text() for file in (loads.path / "dyno-7").glob("*.log")]
        # Agents end with the script.
        assert [host for host in hosts.values() if list(host.home.rglob("up.pid"))] == []
    assert done.returncode == 0, [done.stderr, *logs]
    names = [[host["name"] for host in trial["load_hosts"]] for trial in loads.all_trials()]
    assert names == [list(LOADS)] * 8
