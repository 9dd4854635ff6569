"""The three servers, each with files of a table's own and whatever compression it has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from keepers import Keeper
from standing import standing

SERVERS = ("mysql-5.6.24", "mariadb-10.1.8", "mariadb-10.11.5")
# What a server needs for compressed tables and holes, where newer ones have it anyway.
OF_OLD: dict[str, dict[str, int | str]] = {
    "mysql-5.6.24": {"innodb_file_format": "Barracuda"},
    "mariadb-10.1.8": {
        "innodb_file_format": "Barracuda",
        "innodb_use_trim": 1,
        "innodb_compression_algorithm": "zlib",
    },
}


@pytest.fixture(scope="module", params=SERVERS)
def keeper(request: pytest.FixtureRequest) -> Iterator[Keeper]:
    settings: dict[str, int | str] = {
        "innodb_file_per_table": 1,
        "innodb_buffer_pool_size": "128M",
        "innodb_flush_method": "O_DIRECT",
        "innodb_strict_mode": 1,
        **OF_OLD.get(request.param, {}),
    }
    with standing(request.param, **settings) as (server, admin, _):
        yield Keeper(request.param, server, admin)
