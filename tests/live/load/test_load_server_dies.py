"""Loads whose server dies, comes back, or hangs: the whole of what happened is reported."""

from __future__ import annotations

import signal
import time

from loading import Bench, Load, arrivals, oltp, sql
from processes import stopped
from waiting import wait_until

from dyno.servers import Server

NAME = "mariadb-10.11.5"
SMALL = oltp("oltp_read_write", table_size=1000)
LONG = [{"name": "measure", "duration_s": 60}]


def until_loaded(server: Server, load: Load, *, phase: str = "measure") -> None:
    """Wait until the load has committed more transactions than can be in mid-op."""
    load.until(phase=phase)
    begins = committed(server)
    wait_until(lambda: committed(server) > begins + 40)


def committed(server: Server) -> int:
    ((_, value),) = sql(server, "SHOW GLOBAL STATUS LIKE 'Com_commit'")
    return int(value)


def test_a_server_killed_under_load_is_exit_4_with_a_whole_account(bench: Bench) -> None:
    with bench.server(NAME) as server:
        bench.fill(server, SMALL)
        load = bench.begin(server.socket, SMALL, LONG, connections=16, observe={"status": True})
        until_loaded(server, load)
        killed = time.monotonic()
        server.process.kill()
        ran = load.finish()
        assert time.monotonic() - killed < 10
    assert ran.code == 4, ran.stderr
    assert not ran.summary["complete"]
    assert ran.measure["ok"] > 0
    # Whoever was in mid-op lost it; nobody else had one.
    assert ran.measure["failed"] == {"2013": 16}
    assert ran.measure["reconnects"] == 0
    # Said once, not once a connection.
    (error,) = ran.fatal
    assert error["scope"] == "connect"
    assert "could not be restored" in error["message"]


def test_connections_come_back_with_their_server(bench: Bench) -> None:
    """The load finds its server by a name, behind which another one answers after 1.5 s."""
    name = bench.path / "sock"
    with bench.server(NAME) as first, bench.server(NAME) as second:
        for server in (first, second):
            bench.fill(server, SMALL)
        name.symlink_to(first.socket)
        phases = [{"name": "warmup", "duration_s": 7}, {"name": "measure", "ops": 100}]
        load = bench.begin(name, SMALL, phases, connections=16, observe={"status": True})
        until_loaded(first, load, phase="warmup")
        first.process.kill()
        time.sleep(1.5)
        name.unlink()
        name.symlink_to(second.socket)
        ran = load.finish()
        assert ran.code == 0, ran.stderr
        assert ran.summary["complete"]
        assert not ran.fatal
        warmup, measure = ran.summary["phases"]
        assert warmup["failed"] == {"2013": 16}
        assert (warmup["reconnects"], measure["reconnects"]) == (16, 0)
        assert measure["ok"] == 100
        # The connection that reads the status came back too.
        (status,) = ran.of("status")
        assert status["phase"] == "measure"
        assert status["global_status"]["Com_commit"] == 100


def test_sigint_ends_a_load_in_time_though_its_server_hangs(bench: Bench) -> None:
    with bench.server(NAME) as server:
        bench.fill(server, SMALL)
        phases, status = arrivals(60, 200), {"status": True}
        load = bench.begin(server.socket, SMALL, phases, connections=16, observe=status)
        until_loaded(server, load)
        with stopped(server.pid):
            time.sleep(0.3)
            load.signal(signal.SIGINT)
            since = time.monotonic()
            ran = load.finish()
            # 5 s for ops that still end, and a KILL that nobody answers.
            assert time.monotonic() - since < 9
        assert ran.code == 130, ran.stderr
        assert not ran.summary["complete"]
        assert ran.measure["unfinished"] >= 16
        assert not ran.measure["failed"]


def test_ops_that_outlast_the_drain_are_broken_off(bench: Bench) -> None:
    with bench.server(NAME) as server:
        bench.fill(server, SMALL)
        phases = [{"name": "measure", "duration_s": 4}]
        load = bench.begin(server.socket, SMALL, phases, connections=4, drain_s=1)
        until_loaded(server, load)
        with stopped(server.pid):
            load.until(phase="measure", state="end")
        ran = load.finish()
        assert ran.code == 0, ran.stderr
        assert ran.summary["complete"]
        assert ran.measure["unfinished"] == 4
        assert 1 <= ran.measure["drain_s"] < 4
        assert ran.measure["reconnects"] == 0
