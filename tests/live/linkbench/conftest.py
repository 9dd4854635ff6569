"""A server for LinkBench's command line, without a schema and with one of 2,000 ids."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from linkbenches import Bench, make_home
from standing import standing

from dyno.servers import AdminConnection, Server


@pytest.fixture(scope="session")
def server() -> Iterator[tuple[Server, AdminConnection, Path]]:
    with standing("mariadb-debian", max_connections=400) as stand:
        make_home(stand[2])
        yield stand


@pytest.fixture
def empty(server: tuple[Server, AdminConnection, Path]) -> Iterator[Bench]:
    """No schema."""
    bench = Bench(*server, schema="linkempty")
    bench.sql("DROP DATABASE IF EXISTS linkempty")
    yield bench
    bench.sql("DROP DATABASE IF EXISTS linkempty")


@pytest.fixture(scope="session")
def loaded(server: tuple[Server, AdminConnection, Path]) -> Bench:
    """2,000 ids, loaded by the command line; its log is load.log."""
    bench = Bench(*server, schema="linkdb")
    words = ["-l", "-L", "load.log", "-csvstats", "load.csv"]
    done = bench.run(*words, load_random_seed=7, loaders=2)
    assert done.code == 0, done.err
    assert done.err == ""
    return bench
