"""Servers for scripts, which real programs run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from programs import Stand
from standing import standing


def make_stand(name: str) -> Iterator[Stand]:
    with standing(name) as (server, admin, folder):
        stand = Stand(server, admin, folder)
        stand.empty()
        yield stand


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Stand]:
    yield from make_stand("mariadb-10.11.5")


@pytest.fixture(scope="session")
def mysql() -> Iterator[Stand]:
    yield from make_stand("mysql-5.6.24")


@pytest.fixture(params=["mariadb", "mysql"])
def any_stand(request: pytest.FixtureRequest) -> Stand:
    stand = request.getfixturevalue(request.param)
    assert isinstance(stand, Stand)
    return stand


@pytest.fixture
def stand(mariadb: Stand) -> Stand:
    """An empty schema on one server, where it makes no difference on which."""
    mariadb.empty()
    return mariadb
