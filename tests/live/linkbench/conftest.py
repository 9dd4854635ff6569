"""Servers for the workload, and one for LinkBench's command line, with a schema without and one
with 2,000 ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from linkbenches import Bench, make_home
from place import Place
from standing import standing
from thinned import SERVERS, WHOLE, oldest_and_newest

from dyno.client import Connection
from dyno.servers import Server


@pytest.fixture(scope="session")
def server() -> Iterator[tuple[Server, Connection, Path]]:
    with standing("mariadb-debian", max_connections=400) as stand:
        make_home(stand[2])
        yield stand


@pytest.fixture
def empty(server: tuple[Server, Connection, Path]) -> Iterator[Bench]:
    """No schema."""
    bench = Bench(*server, schema="linkempty")
    bench.sql("DROP DATABASE IF EXISTS linkempty")
    yield bench
    bench.sql("DROP DATABASE IF EXISTS linkempty")


@pytest.fixture(scope="session")
def loaded(server: tuple[Server, Connection, Path]) -> Bench:
    """2,000 ids, loaded by the command line; its log is load.log."""
    bench = Bench(*server, schema="linkdb")
    words = ["-l", "-L", "load.log", "-csvstats", "load.csv"]
    done = bench.run(*words, load_random_seed=7, loaders=2)
    assert done.code == 0, done.err
    assert done.err == ""
    return bench


# Half of the ids have no links, some have one, and one in ten has four.
FEW_LINKS = "nlinks\n0 50\n1 90\n4 100\nlink_nreads\n0 100\n"


def few_links(folder: Path) -> dict[str, str]:
    """The workload's key for them; its file lies in the folder."""
    degrees = folder / "few.dat"
    degrees.write_text(FEW_LINKS)
    return {"distribution": str(degrees)}


@pytest.fixture(scope="module", params=oldest_and_newest(SERVERS[1:]))
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """An empty schema on a server: for few links, or for the degrees of the original, a million
    links, where all cases run.
    """
    with standing(request.param, innodb_buffer_pool_size="512M") as stand:
        degrees = {} if WHOLE else few_links(stand[2])
        yield Place.make(stand, "linkbench", ids=2000, **degrees)


@pytest.fixture(scope="module")
def debian() -> Iterator[Place]:
    """The same on one server, for what doesn't depend on its version; few links."""
    with standing("mariadb-debian", innodb_buffer_pool_size="256M") as stand:
        yield Place.make(stand, "linkbench", ids=1000, **few_links(stand[2]))
