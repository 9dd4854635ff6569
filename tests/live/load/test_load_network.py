"""Loads over TCP, in clear and encrypted: the same work, and a lost connection is noticed alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from certificates import AUTHORITY, write_certificate
from loading import Bench, Document, oltp, sql
from waiting import wait_until

from dyno.client import SqlError
from dyno.servers import Server

SMALL = oltp("oltp_read_write", table_size=1000)
UNKNOWN_THREAD = 1094


@pytest.fixture(scope="module")
def server(shared_bench: Bench) -> Iterator[Server]:
    settings = write_certificate(shared_bench.path)
    with shared_bench.server("mariadb-10.11.5", tcp=True, **settings) as server:
        sql(server, "CREATE USER far@'127.0.0.1'")
        sql(server, "GRANT ALL ON *.* TO far@'127.0.0.1'")
        yield server


@pytest.fixture(params=["off", "required", "verify_ca"])
def target(server: Server, shared_bench: Bench, request: pytest.FixtureRequest) -> Document:
    given = {"host": "127.0.0.1", "port": server.port, "user": "far", "tls": request.param}
    if request.param == "verify_ca":
        given["ca_file"] = str(shared_bench.path / AUTHORITY)
    return given


def refill(bench: Bench, server: Server, target: Document, workload: Document) -> None:
    sql(server, "DROP DATABASE dyno_load", database=None)
    sql(server, "CREATE DATABASE dyno_load", database=None)
    bench.run(target, workload, [{"name": "load"}], connections=2)


def kill(server: Server, thread: int) -> bool:
    """Whether the connection was still there; on a busy host it may have ended since."""
    try:
        sql(server, f"KILL {thread}")
    except SqlError as error:
        if error.code != UNKNOWN_THREAD:
            raise
        return False
    return True


def test_a_load_over_tcp_does_its_work(
    shared_bench: Bench, server: Server, target: Document
) -> None:
    refill(shared_bench, server, target, SMALL)
    encrypted = "SHOW GLOBAL STATUS LIKE 'Ssl_finished_accepts'"
    before = int(sql(server, encrypted)[0][1])
    phases = [{"name": "measure", "ops": 300}]
    ran = shared_bench.run(target, SMALL, phases, connections=8)
    assert ran.measure["ok"] == 300
    if not ran.measure["retries"]:
        assert ran.measure["statements"] == {"read": 4200, "write": 1200, "other": 600}
    accepted = int(sql(server, encrypted)[0][1]) - before
    assert (accepted >= 8) == (target["tls"] != "off")


def test_commands_larger_than_a_socket_takes_are_sent_whole(
    shared_bench: Bench, server: Server, target: Document
) -> None:
    bulk = oltp("bulk_insert")
    refill(shared_bench, server, target, bulk)
    phases = [{"name": "measure", "ops": 320_000}]
    ran = shared_bench.run(target, bulk, phases, connections=2)
    writes = ran.measure["statements"]["write"]
    assert ran.measure["ok"] == 320_000
    assert writes >= 6
    for table in ("sbtest1", "sbtest2"):
        ((rows, greatest, equal),) = sql(
            server, f"SELECT COUNT(*), MAX(id), SUM(id = k) FROM {table}"
        )
        assert rows == greatest == equal > 100_000


def test_a_connection_killed_between_two_ops_is_noticed(
    shared_bench: Bench, server: Server, target: Document
) -> None:
    refill(shared_bench, server, target, SMALL)
    think = {"distribution": "constant", "mean_s": 4.0}
    phases = [{"name": "measure", "ops": 8, "think": think}]
    load = shared_bench.begin(target, SMALL, phases, connections=4)
    load.until(phase="measure")
    asleep = (
        "SELECT id FROM information_schema.processlist"
        " WHERE db = 'dyno_load' AND user = 'far' AND command = 'Sleep'"
    )
    wait_until(lambda: len(sql(server, asleep)) == 4)
    killed = sum(kill(server, victim) for (victim,) in sql(server, asleep))
    ran = load.finish()
    assert ran.code == 0, ran.stderr
    # Each has an op before the pause and one behind it; the latter finds the connection lost.
    assert killed >= 1
    assert ran.measure["failed"] == {"2013": killed}
    assert (ran.measure["ok"], ran.measure["reconnects"]) == (8 - killed, killed)
