"""Placement on real servers: who ran where, what keeps CPUs awake, and what stays behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from processes import servers_of
from small_run import Bench

from dyno.host.knobs import current
from dyno.runner.placement import sets_of

Wait = Callable[[Callable[[], object], float], None]


def placed(bench: Bench, *, placement: str, awake: bool) -> None:
    lines = f'[protocol]\nplacement = "{placement}"\nawake = {str(awake).lower()}'
    bench.edit("[protocol]", lines)


def loops() -> list[psutil.Process]:
    """The loops that keep CPUs awake, of whichever Dyno."""
    found = psutil.process_iter(["cmdline"])
    return [p for p in found if any(w.endswith("runner/loop.py") for w in p.info["cmdline"] or [])]


def scheduler(process: psutil.Process) -> int | None:
    """The scheduling class; None if the process is gone."""
    try:
        return os.sched_getscheduler(process.pid)
    except ProcessLookupError:
        return None


def test_every_thread_is_read_back_on_its_cpus(loads: Bench) -> None:
    sets = sets_of("split")
    assert sets is not None
    placed(loads, placement="split", awake=True)
    done = loads.dyno("run", "small/experiment.toml")
    assert done.returncode == 0, done.stderr
    for trial in loads.all_trials():
        read = trial["placement"]
        assert f"{read['server']}/{read['generator']}" == str(sets)
        # A server has a thread for each connection, and some of its own.
        assert read["server_threads"] > (1, 4)[trial["point"]]
        assert read["generator_threads"] >= 1
        assert read["elsewhere"] == []
        if read["awake"] != "request":
            shorter = read["looped_us"] <= 0.95 * read["asleep_us"]
            assert read["awake"] == ("loops" if shorter else "not")
        assert (read.get("awake_cpu_s") is None) == (read["awake"] != "loops")
    findings = json.loads((loads.run_folder() / "findings.json").read_text())
    (check,) = [c for c in findings["fairness"] if c["name"] == "placement"]
    assert check["check"] == "ok", check
    assert loops() == []
    page = loads.dyno("report", str(loads.run_folder()), "--format", "markdown").stdout
    assert "CPUs kept awake" in page


def test_statements_are_placed_too(bench: Bench) -> None:
    placed(bench, placement="split", awake=False)
    done = bench.dyno("run", "small/experiment.toml", "--blocks", "1")
    assert done.returncode == 0, done.stderr
    for trial in bench.all_trials():
        read = trial["placement"]
        assert read["server_threads"] > 1
        assert read["generator_threads"] >= 1
        assert read["elsewhere"] == []
        assert read.get("awake") is None


HOLD = """
import time
from dyno.runner.awake import Awake, looped
with looped(frozenset({CPU})) as loops:
    held = Awake("loops", loops)
    print(held.way, flush=True)
    time.sleep(1)
    print(held.cpu_s(), flush=True)
    time.sleep(600)
"""


def test_a_killed_dyno_leaves_no_loop(wait_for: Wait) -> None:
    cpu = max(os.sched_getaffinity(0))
    program = [sys.executable, "-c", HOLD.replace("CPU", str(cpu))]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as holding:
        assert holding.stdout is not None
        assert holding.stdout.readline() == "loops\n"
        # A process has its own command line only some time after its begin, for a moment none.
        wait_for(lambda: list(map(scheduler, loops())) == [os.SCHED_IDLE], 30)
        (loop,) = loops()
        assert (loop.cpu_affinity(), loop.nice()) == ([cpu], 19)
        assert float(holding.stdout.readline()) >= 0
        holding.send_signal(signal.SIGKILL)
    wait_for(lambda: not loops(), 30)


HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@pytest.fixture
def always_huge() -> Iterator[None]:
    """This host's own setting, which nothing else here goes by, as it usually is on a server."""
    before = current(HUGE_PAGES.read_text())
    HUGE_PAGES.write_text("always")
    yield
    HUGE_PAGES.write_text(before)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may set what a kernel does")
def test_a_tuned_host_is_restored_after_a_killed_run(
    loads: Bench, always_huge: None, wait_for: Wait
) -> None:
    tuned = loads.dyno("host", "tune", "--yes", "--only", "huge pages")
    assert tuned.returncode == 0, tuned.stderr
    assert current(HUGE_PAGES.read_text()) == "madvise"
    placed(loads, placement="split", awake=True)
    run = loads.begin("run", "small/experiment.toml")
    wait_for(lambda: list(loads.path.glob("runs/small/*/trials/0001")), 120)
    run.kill()
    run.communicate()
    wait_for(lambda: not loops() and not servers_of(loads.run_folder()), 30)
    assert current(HUGE_PAGES.read_text()) == "madvise"
    restored = loads.dyno("host", "restore")
    assert restored.stdout == f"{HUGE_PAGES}: always again\n", restored.stderr
    assert current(HUGE_PAGES.read_text()) == "always"
    assert loads.dyno("host", "restore").stdout == "Nothing to put back.\n"


def test_a_host_without_the_cpus_is_one_line(loads: Bench) -> None:
    placed(loads, placement="0/8000", awake=False)
    for command in ("check", "run"):
        done = loads.dyno(command, "small/experiment.toml")
        assert done.returncode == 2, done.stderr
        assert "names CPU 8000, but this process may use" in done.stderr
        assert "Traceback" not in done.stderr
    assert not (loads.path / "runs").exists()


SCRIPT = """
function event()
  for line in io.lines("/proc/self/status") do
    if line:match("^Cpus_allowed_list") then print(line) end
  end
end
"""


@pytest.mark.parametrize("out", [[], ["--out=kept"]])
def test_a_door_keeps_to_the_generators_cpus(bench: Bench, out: list[str]) -> None:
    first, *_, last = sorted(os.sched_getaffinity(0))
    (bench.path / "where.lua").write_text(SCRIPT)
    script = ["./where.lua", "--events=1", "--time=0", "run"]
    done = bench.dyno("sysbench", f"--placement={first}/{last}", *out, *script)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r"^Cpus_allowed_list:\s+(\S+)$", done.stdout, re.MULTILINE) == [f"{last}"]
    refused = bench.dyno("sysbench", "--placement", "spilt", *out, *script)
    assert refused.returncode == 2
    assert "error: --placement: 'spilt' is no placement\n\nhint: write" in refused.stderr
