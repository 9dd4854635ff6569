"""A server that both programs are held to."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from slaps import THEIRS, Stand
from standing import standing


def make_stand(name: str) -> Iterator[Stand]:
    assert shutil.which(THEIRS), f"{THEIRS} is missing: apt-get install mariadb-client"
    with standing(name, max_connections=400) as (server, admin, folder):
        yield Stand(server, admin, folder)


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Stand]:
    """It has archive and blackhole, as the published command line needs them."""
    yield from make_stand("mariadb-debian")


@pytest.fixture(scope="session")
def mysql() -> Iterator[Stand]:
    yield from make_stand("mysql-5.6.24")


@pytest.fixture
def stand(mariadb: Stand) -> Iterator[Stand]:
    mariadb.empty()
    yield mariadb
    mariadb.empty()
