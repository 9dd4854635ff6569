"""One warehouse on each of the servers, loaded by dynoload and worked on by the tests in turn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from place import Place
from standing import standing
from thinned import SERVERS, oldest_and_newest


@pytest.fixture(scope="module", params=oldest_and_newest(SERVERS))
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """An empty schema on a server with room for one warehouse."""
    with standing(request.param, innodb_buffer_pool_size="256M") as stand:
        yield Place.make(stand, "tpcc", warehouses=1)


@pytest.fixture(scope="module")
def debian() -> Iterator[Place]:
    """The same on one server, for what doesn't depend on its version."""
    with standing("mariadb-debian", innodb_buffer_pool_size="256M") as stand:
        yield Place.make(stand, "tpcc", warehouses=1)


@pytest.fixture
def loaded(debian: Place) -> Place:
    """It with data, those of the test before where there are any."""
    stocked = (
        "SELECT COUNT(*) FROM information_schema.tables "
        "WHERE table_schema = DATABASE() AND table_name = 'stock'"
    )
    if not debian.number(stocked):
        assert debian.run([{"name": "load"}]).failure is None
    return debian
