"""Every workload but TPC-C and LinkBench, which have their own tests there, and every command line
of another tool, on the servers of today with the logins and defaults that these have.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from loading import SCHEMA, Bench, Document, oltp, sql

from dyno.program import find_dynoload
from dyno.servers import Server

OPS = 80
# The API of sysbench 0.5.
OLD = Path(__file__).parents[3] / "crates/sysbench/lua/legacy"
INT = {"generate": "int", "min": 1, "max": 90}
COLUMNS = [{"generate": "sequence", "start": 1}, INT]
TABLE = {
    "name": "orders",
    "create": "CREATE TABLE orders (id INT PRIMARY KEY, customer INT)",
    "rows": 300,
    "columns": COLUMNS,
}
ASKED = "SELECT customer FROM orders WHERE id = :id"
KEYS = {"id": {"draw": "int", "min": 1, "max": 300}}
SMALL = {"tables": 2, "table_size": 400}
LOADS: dict[str, Document] = {
    "oltp_read_write": oltp("oltp_read_write", **SMALL),
    "oltp_text": oltp("oltp_read_write", **SMALL, prepared=False),
    "bulk_insert": oltp("bulk_insert", tables=4),
    # MySQL's sql_mode refuses a default of zero.
    "accesslog": {"kind": "accesslog", "rows": 300, "engine": "InnoDB", "zero_time": False},
    "slap": {"kind": "slap", "load_type": "mixed", "primary": "guid", "rows": 50},
    "queries": {
        "kind": "queries",
        "tables": [TABLE],
        "queries": [{"name": "read", "sql": [ASKED], "transaction": True, "values": KEYS}],
    },
    "script": {
        "kind": "sysbench",
        "script": "oltp_read_write",
        "options": {"tables": "2", "table-size": "400"},
    },
    "old_script": {
        "kind": "sysbench",
        "script": "oltp.lua",
        "files": {name: (OLD / name).read_text() for name in ("oltp.lua", "common.lua")},
        "options": {"oltp-tables-count": "2", "oltp-table-size": "400"},
    },
}


@pytest.fixture(scope="module", params=["mariadb-trixie", "mysql-sid"])
def server(shared_bench: Bench, request: pytest.FixtureRequest) -> Iterator[Server]:
    with shared_bench.server(request.param, tcp=True, local_infile=1) as server:
        yield server


@pytest.fixture(autouse=True)
def empty_schema(server: Server) -> None:
    sql(server, f"DROP DATABASE IF EXISTS {SCHEMA}", database=None)
    sql(server, f"CREATE DATABASE {SCHEMA}", database=None)


@pytest.mark.parametrize("name", LOADS)
def test_a_load_runs(shared_bench: Bench, server: Server, name: str) -> None:
    shared_bench.run(server.socket, LOADS[name], [{"name": "load"}], connections=4)
    measure = {"name": "measure", "ops": OPS}
    ran = shared_bench.run(server.socket, LOADS[name], [measure], connections=4)
    assert (ran.measure["failed"], ran.measure["ok"]) == ({}, OPS)


@pytest.mark.parametrize("compression", ["zlib", "zstd"])
def test_a_compressed_load_runs(shared_bench: Bench, server: Server, compression: str) -> None:
    """Polled by a loop, and with rows of 300 KB."""
    asked = "SELECT REPEAT('abc', 100000)"
    query = {"name": "long", "sql": [asked], "values": {}}
    workload = {"kind": "queries", "tables": [TABLE], "queries": [query]}
    target = {"socket": str(server.socket), "compression": compression}
    phases = [{"name": "load"}, {"name": "measure", "ops": OPS}]
    ran = shared_bench.begin(target, workload, phases, connections=4).finish()
    if (compression, server.product) == ("zstd", "mariadb"):
        assert ran.code != 0
        assert "the server doesn't offer compression by zstd" in ran.stderr
        return
    assert (ran.measure["failed"], ran.measure["ok"]) == ({}, OPS)


def test_statements_run(shared_bench: Bench, server: Server) -> None:
    workload = {
        "kind": "statements",
        "tables": [TABLE],
        "statements": [{"name": "sum", "sql": "SELECT customer, COUNT(*) FROM orders GROUP BY 1"}],
    }
    ran = shared_bench.run(
        server.socket, workload, [{"name": "load"}, {"name": "measure", "rounds": 3}]
    )
    assert [statement["outcome"] for statement in ran.of("statement")] == ["ok"] * 3


@pytest.mark.parametrize(
    "words",
    [
        [
            "sysbench",
            "oltp_read_write",
            "--tables=2",
            "--table-size=400",
            "--events=50",
            "--time=0",
        ],
        ["slap", "--auto-generate-sql", "--number-of-queries=50", "--create-schema=door"],
    ],
    ids=["sysbench", "slap"],
)
def test_a_door_opens_over_tcp_with_a_password(
    server: Server, tmp_path: Path, words: list[str]
) -> None:
    """MySQL gets the password over TLS, with the certificates that it made."""
    sql(server, "DROP USER IF EXISTS door@'127.0.0.1'")
    sql(server, "CREATE USER door@'127.0.0.1' IDENTIFIED BY 'secret'")
    sql(server, "GRANT ALL ON *.* TO door@'127.0.0.1'")
    at = {"host": "127.0.0.1", "port": str(server.port), "user": "door"}
    prefix = "mysql-" if words[0] == "sysbench" else ""
    argv = [os.environ.get("DYNO_TEST_DYNOLOAD") or str(find_dynoload()), *words]
    argv += [f"--{prefix}{key}={value}" for key, value in at.items()]
    if words[0] == "sysbench":
        argv.append(f"--mysql-db={SCHEMA}")
    if server.product == "mysql":
        ((folder,),) = sql(server, "SELECT @@datadir")
        argv += ["--mysql-ssl=verify_ca"] if prefix else ["--ssl-mode=verify_ca"]
        argv.append(f"--{prefix}ssl-ca={Path(str(folder)) / 'ca.pem'}")
    for command in (["prepare"], ["run"]) if words[0] == "sysbench" else ([],):
        done = subprocess.run(
            [*argv, *command],
            cwd=tmp_path,
            env={"MYSQL_PWD": "secret"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


# How an account logs in without TLS: by the RSA key of a server that one trusts, by a signature.
PLAIN = {
    "mysql": ("IDENTIFIED WITH caching_sha2_password BY 'a secret'", ["--get-server-public-key"]),
    "mariadb": ("IDENTIFIED VIA parsec USING PASSWORD('a secret')", []),
}


def test_a_first_login_over_tcp_without_tls(server: Server, tmp_path: Path) -> None:
    how, more = PLAIN[server.product]
    if server.product == "mariadb":
        sql(server, "INSTALL SONAME 'auth_parsec'")
    sql(server, "DROP USER IF EXISTS plain@'127.0.0.1'")
    sql(server, f"CREATE USER plain@'127.0.0.1' {how}")
    sql(server, "GRANT ALL ON *.* TO plain@'127.0.0.1'")
    argv = [os.environ.get("DYNO_TEST_DYNOLOAD") or str(find_dynoload()), "slap", "-q", "SELECT 1"]
    argv += [
        "--host=127.0.0.1",
        f"--port={server.port}",
        "--user=plain",
        f"--create-schema={SCHEMA}",
    ]

    def slap(password: str, *options: str) -> tuple[bool, str]:
        done = subprocess.run(
            [*argv, "--no-drop", "--i-know-what-i-drop", *options],
            cwd=tmp_path,
            env={"MYSQL_PWD": password},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode == 0, done.stdout + done.stderr

    if more:
        works, words = slap("a secret")
        assert not works
        assert "wants it in clear" in words
    works, words = slap("wrong", *more)
    assert not works
    assert "Access denied" in words
    works, words = slap("a secret", *more)
    assert works, words
