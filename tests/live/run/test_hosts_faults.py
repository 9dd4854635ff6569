"""kill -9 of whatever takes part in a run with load hosts, at three instants of a trial.

Only the driver and the scheduler end a run; nothing stays, and it goes on where it was.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path
from subprocess import Popen

import pytest
from hosting import LOADS, Hosting, hosted, write_hosts
from processes import servers_of
from small_run import Bench, heard_out
from thinned import in_test_all, thinned
from waiting import wait_until

# After the load of a trial was seen to run: as it begins, as it measures, and about its end.
INSTANTS_S = [0.0, 1.5, 3.5]
TRIALS = 4
at_three_instants = pytest.mark.parametrize("after_s", thinned(INSTANTS_S, least=1))


@pytest.fixture
def bench(loads: Bench) -> Bench:
    """With trials long enough to be disturbed."""
    loads.edit('duration = "1s"', 'duration = "3s"')
    loads.edit("connections = [1, 4]", "connections = [4]")
    return loads


def begun(bench: Bench, hosts: Hosting, after_s: float) -> Popen[str]:
    """A run, some time after both hosts began to make the load of its second trial."""
    running = bench.begin_until(
        lambda: bench.has_planned(2) and len(hosts.loads()) == len(LOADS),
        *("run", "small/experiment.toml", "--hosts", str(hosts.file)),
    )
    time.sleep(after_s)
    return running


def ended(running: Popen[str], exit_code: int) -> str:
    """What it wrote to stderr until its end."""
    said = heard_out(running)
    assert running.returncode == exit_code, said
    assert "Traceback" not in said
    return said


def resumed(bench: Bench) -> None:
    """It goes on with the hosts that it had, and is whole."""
    done = bench.dyno("run", "small/experiment.toml", "--resume")
    assert done.returncode == 0, done.stderr
    trials = bench.all_trials()
    assert [[host["name"] for host in trial["load_hosts"]] for trial in trials] == [
        list(LOADS)
    ] * TRIALS
    assert {trial["status"] for trial in trials} == {"ok"}


def until_none_is_left(bench: Bench, hosts: Hosting) -> None:
    """No load and no server: a load host finds out when the lease ends."""
    since_s = time.monotonic()
    wait_until(lambda: not hosts.loads() and not servers_of(bench.run_folder()), 30)
    print(f"nothing was left {time.monotonic() - since_s:.1f} s later")


@in_test_all
@at_three_instants
def test_the_driver(bench: Bench, hosts: Hosting, after_s: float) -> None:
    running = begun(bench, hosts, after_s)
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=60)
    until_none_is_left(bench, hosts)
    resumed(bench)


@at_three_instants
def test_an_agent_costs_one_trial_at_most_which_is_run_again(
    bench: Bench, hosts: Hosting, after_s: float
) -> None:
    running = begun(bench, hosts, after_s)
    before = {each.pid for each in hosts.loads()}
    hosts.agent("load2").kill()
    said = ended(running, 0)
    if after_s < INSTANTS_S[-1]:
        assert "is void: load2 is lost: " in said
        assert "it is run again" in said
    assert [trial["status"] for trial in bench.all_trials()] == ["ok"] * TRIALS
    assert not before & {each.pid for each in hosts.loads()}


@in_test_all
@at_three_instants
def test_a_load_generator_fails_its_trial(bench: Bench, hosts: Hosting, after_s: float) -> None:
    running = begun(bench, hosts, after_s)
    killed = hosts.loads()[:1]
    for load in killed:
        load.kill()
    ended(running, 0)
    failures = [trial.get("failure") for trial in bench.all_trials()]
    assert len(failures) == TRIALS
    assert failures.count(None) >= TRIALS - len(killed)
    if after_s < INSTANTS_S[-1]:
        assert str(failures[1]).endswith("dynoload ended with exit code -9")
        assert str(failures[1]).startswith("load")
    until_none_is_left(bench, hosts)


@in_test_all
@at_three_instants
def test_a_server_fails_its_trial(bench: Bench, hosts: Hosting, after_s: float) -> None:
    running = begun(bench, hosts, after_s)
    killed = servers_of(bench.run_folder())
    for server in killed:
        server.kill()
    ended(running, 0)
    statuses = [trial["status"] for trial in bench.all_trials()]
    assert len(statuses) == TRIALS
    assert statuses.count("failed") <= len(killed)
    if after_s < INSTANTS_S[-1]:
        assert statuses[1] == "failed"
    until_none_is_left(bench, hosts)


@in_test_all
@in_test_all
@at_three_instants
def test_the_scheduler(bench: Bench, tmp_path: Path, after_s: float) -> None:
    file = write_hosts(tmp_path)
    with hosted(file) as hosts:
        running = begun(bench, hosts, after_s)
        hosts.agent("scheduler").kill()
        assert "load" in ended(running, 4)
        until_none_is_left(bench, hosts)
        wait_until(lambda: hosts.up.poll() is not None)
    done = bench.dyno("run", "small/experiment.toml", "--resume")
    assert done.returncode == 4
    assert "no scheduler answers" in done.stderr
    with hosted(file):
        resumed(bench)
