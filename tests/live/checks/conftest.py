"""Small data sets of tpcc on real servers, one an engine, made for each test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from small_data import SCHEMA, Made
from standing import standing

from dyno.checks.isolation import Fixture, add_rows, make_tables
from dyno.client import Connection
from dyno.servers import Server, create_schema, drop_schema

SERVERS = ("mariadb-trixie", "mysql-sid", "mysql-5.5.9")


@pytest.fixture(scope="session", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The oldest server and the newest ones, at a sql_mode that refuses what it can."""
    strict = "ONLY_FULL_GROUP_BY,ANSI_QUOTES,PIPES_AS_CONCAT,STRICT_ALL_TABLES"
    with standing(request.param, sql_mode=strict) as (server, _, _):
        yield server


@pytest.fixture
def schema(server: Server) -> Iterator[Made]:
    """Makes the schema with the data set in tables of an engine."""
    with closing(server.admin()) as admin:

        def made(engine: str) -> Connection:
            drop_schema(admin, SCHEMA)
            create_schema(admin, SCHEMA)
            connection = server.admin(SCHEMA)
            make_tables(connection, engine=engine)
            add_rows(connection, Fixture())
            return connection

        yield made
        drop_schema(admin, SCHEMA)
