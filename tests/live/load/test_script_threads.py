"""Scripts share a thread while they wait for the server, unless they may wait for other things."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import write_certificate
from loading import Bench, Document, sql

from dyno.servers import Server

# Enough that sharing shows on any host: a loop drives at least four connections.
CONNECTIONS = 4 * (os.cpu_count() or 1) + 4
INIT = "con = sysbench.sql.driver():connect()"
SLEEP = 'con:query("SELECT SLEEP(0.05)")'


@pytest.fixture(scope="module")
def server(shared_bench: Bench) -> Iterator[Server]:
    tls = write_certificate(shared_bench.path)
    with shared_bench.server("mariadb-11.4.5", max_connections=400, **tls) as server:
        yield server


def script(event: str, *, init: str = "", first: str = "") -> Document:
    text = f"""{first}
function thread_init(thread_id)
   {INIT}
   {init}
end
function event(thread_id)
   {event}
end
"""
    return {"kind": "sysbench", "script": "mine.lua", "files": {"mine.lua": text}}


def threads_of(pid: int) -> int:
    found = re.search(r"^Threads:\s+(\d+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize(
    ("workload", "shares"),
    [
        pytest.param(script(SLEEP), True, id="waits for the server only"),
        pytest.param(script(SLEEP, first="local f = io.open('/dev/null')"), True, id="a file"),
        pytest.param(script(SLEEP, first='ffi.cdef "int getpid();"'), False, id="C functions"),
        pytest.param(script(SLEEP, init='os.execute("true")'), False, id="a program"),
        pytest.param(script(f'{SLEEP} os.execute("true")'), False, id="a program in events"),
        pytest.param(
            script(SLEEP, init="other = sysbench.sql.driver():connect()"), False, id="two"
        ),
        pytest.param(script(f"{SLEEP} con:reconnect()"), False, id="reconnects in events"),
    ],
)
def test_what_may_block_keeps_a_thread(
    shared_bench: Bench, server: Server, workload: Document, shares: bool
) -> None:
    phases = [{"name": "warmup", "ops": CONNECTIONS}, {"name": "measure", "duration_s": 1}]
    load = shared_bench.begin(server.socket, workload, phases, connections=CONNECTIONS)
    load.until(phase="measure")
    threads = threads_of(load.process.pid)
    ran = load.finish()
    assert ran.code == 0, ran.stderr
    assert ran.measure["failed"] == {}
    assert ran.measure["ok"] >= CONNECTIONS
    assert (threads < CONNECTIONS) == shares, threads


@pytest.mark.parametrize("over", [{}, {"compression": "zlib"}, {"tls": "required"}], ids=str)
def test_long_commands_and_answers_come_through(
    shared_bench: Bench, server: Server, over: Document
) -> None:
    event = """
       local long = string.rep("x", 900000)
       assert(con:query_row("SELECT LENGTH('" .. long .. "')") == "900000")
       assert(#con:query_row("SELECT REPEAT('y', 700000)") == 700000)
       local rs = con:query("SELECT seq FROM seq_1_to_20000")
       assert(rs.nrows == 20000 and rs.nfields == 1)
       local stmt = con:prepare("SELECT REPEAT(?, 300000), ?")
       local text = stmt:bind_create(sysbench.sql.type.VARCHAR, 9)
       local number = stmt:bind_create(sysbench.sql.type.INT)
       stmt:bind_param(text, number)
       for i = 1, 3 do
          text:set(i == 2 and "ab" or "c")
          number:set(i ~= 3 and i or nil)
          local row = stmt:execute():fetch_row()
          assert(#row[1] == (i == 2 and 600000 or 300000), #row[1])
          assert(row[2] == (i ~= 3 and tostring(i) or nil), row[2])
       end
       stmt:close()
    """
    ran = shared_bench.run(
        {"socket": str(server.socket), **over},
        script(event),
        [{"name": "measure", "ops": 3 * CONNECTIONS}],
        connections=CONNECTIONS,
    )
    assert (ran.measure["ok"], ran.measure["failed"]) == (3 * CONNECTIONS, {})


def test_an_op_that_takes_too_long_holds_up_no_other(shared_bench: Bench, server: Server) -> None:
    event = 'con:query(thread_id == 0 and "SELECT SLEEP(60)" or "SELECT SLEEP(0.01)")'
    ran = shared_bench.run(
        server.socket,
        script(event),
        [{"name": "measure", "duration_s": 3}],
        connections=CONNECTIONS,
        timeout_s=1,
    )
    measured = ran.measure
    assert set(measured["failed"]) == {"3024"}
    assert 1 <= measured["failed"]["3024"] <= 3
    assert measured["ok"] >= 10 * CONNECTIONS
    assert measured["unfinished"] <= 1


def test_an_op_that_outlasts_its_phase_leaves_the_next_one_whole(
    shared_bench: Bench, server: Server
) -> None:
    sql(server, "CREATE OR REPLACE SEQUENCE turns")
    ran = shared_bench.run(
        server.socket,
        script('con:query("SELECT SLEEP(IF(NEXT VALUE FOR turns = 1, 60, 0.01))")'),
        [{"name": "warmup", "duration_s": 0.5}, {"name": "measure", "duration_s": 0.5}],
        connections=CONNECTIONS,
        drain_s=1,
    )
    warmup, measured = ran.summary["phases"]
    assert (warmup["failed"], warmup["unfinished"]) == ({}, 1)
    assert (measured["failed"], measured["unfinished"]) == ({}, 0)
    assert measured["ok"] >= CONNECTIONS


def test_errors_that_the_script_ignores_are_retried(shared_bench: Bench, server: Server) -> None:
    event = """
       tries = (tries or 0) + 1
       con:query(tries % 3 == 0 and "SELECT 1" or "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213")
    """
    ran = shared_bench.run(
        server.socket,
        script(event),
        [{"name": "measure", "ops": 2 * CONNECTIONS}],
        connections=CONNECTIONS,
    )
    assert (ran.measure["ok"], ran.measure["failed"]) == (2 * CONNECTIONS, {})
    assert ran.measure["retries"] == {"1213": 4 * CONNECTIONS}


def test_a_script_that_raises_fails_its_op_and_begins_again(
    shared_bench: Bench, server: Server
) -> None:
    event = 'n = (n or 0) + 1 con:query("SELECT 1") if n == 2 then error("no luck") end'
    ran = shared_bench.run(
        server.socket,
        script(event),
        [{"name": "measure", "ops": 4 * CONNECTIONS}],
        connections=CONNECTIONS,
    )
    measured = ran.measure
    assert sum(measured["failed"].values()) == 2 * CONNECTIONS
    assert measured["ok"] == 2 * CONNECTIONS
    assert any("no luck" in error["message"] for error in ran.of("error"))
