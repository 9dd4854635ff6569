"""A thousand connections: all of them are made, held and used."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from loading import Bench, oltp, sql
from waiting import wait_until

POINTS = oltp("oltp_point_select", table_size=1000)


def test_a_thousand_connections_are_held_and_used(bench: Bench) -> None:
    with bench.server("mariadb-10.11.5", max_connections=1200) as server:
        bench.fill(server, POINTS)
        think = {"distribution": "constant", "mean_s": 1.0}
        phases = [
            # Every connection does one op in the first, and is still there in the second.
            {"name": "warmup", "ops": 1000},
            {"name": "measure", "ops": 3000, "think": think},
        ]
        load = bench.begin(server.socket, POINTS, phases, connections=1000)
        load.until(phase="connect", state="end")
        ((_, held),) = sql(server, "SHOW GLOBAL STATUS LIKE 'Threads_connected'")
        assert int(held) >= 1000
        ran = load.finish()
        assert ran.code == 0, ran.stderr
        assert not ran.of("error")
        for phase, ops in zip(ran.summary["phases"], (1000, 3000), strict=True):
            assert phase["connections"] == 1000
            assert phase["scheduled"] == phase["ok"] == phase["statements"]["read"] == ops
            assert phase["reconnects"] == 0
        # Each of three ops but the first comes after a pause.
        assert ran.measure["elapsed_s"] >= 2.0
        wait_until(lambda: len(sql(server, "SHOW PROCESSLIST")) < 20)


def test_a_low_limit_of_open_files_is_raised(bench: Bench) -> None:
    with bench.server("mariadb-10.11.5", max_connections=400) as server:
        bench.fill(server, POINTS)
        with open_files(128):
            load = bench.begin(
                server.socket, POINTS, [{"name": "measure", "ops": 300}], connections=300
            )
        ran = load.finish()
        assert ran.code == 0, ran.stderr
        assert ran.measure["ok"] == 300


@contextmanager
def open_files(limit: int) -> Iterator[None]:
    """Programs started meanwhile may have this many open files, unless they ask for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
