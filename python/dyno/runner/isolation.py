"""Runs the isolation tests on a server: makes their schema or borrows one of Dyno's, and leaves
nothing behind.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from dyno.checks.isolation import (
    LOCK_WAIT_S,
    Fixture,
    IsolationTest,
    Level,
    add_rows,
    make_tables,
    remove_rows,
    run_tests,
)
from dyno.client import Connection, SqlError
from dyno.errors import ServerError
from dyno.runner.dataset import make_schema
from dyno.servers import ReadableServer, drop_schema, require_own_schema

OWN_SCHEMA = "dyno_isolation_"
# Longer than a session of the tests waits for a lock.
SESSION_S = LOCK_WAIT_S + 5.0
OnTest = Callable[[IsolationTest], None]
"""Told of each test as it ends."""


def check_isolation(
    server: ReadableServer,
    *,
    schema: str | None,
    engine: str,
    levels: Sequence[Level],
    where: str,
    on_test: OnTest = lambda test: None,
) -> list[IsolationTest]:
    """Run the nine tests at each level; returns them in order.

    `schema` must be one that Dyno made, with the workload's tables in it; None makes one with
    tables of `engine`, dropped afterwards. `where` names the server in errors. Raises ServerError.
    """
    found = []
    try:
        with _tables(server, schema, engine, where) as name, closing(server.admin(name)) as admin:

            def connect() -> Connection:
                return server.admin(name, answer_s=SESSION_S)

            for level in levels:
                with _rows(admin) as fixture:
                    tests = run_tests(connect, fixture, isolation=level)
                    for test in tests:
                        on_test(test)
                        found.append(test)
    except SqlError as error:
        raise ServerError(
            f"{where}: the isolation tests can't be set up: {error.words}",
            hint="they need the tables of tpcc, and an account that may change them",
        ) from error
    return found


@contextmanager
def _tables(server: ReadableServer, schema: str | None, engine: str, where: str) -> Iterator[str]:
    """A schema with the tables."""
    if schema is not None:
        with closing(server.admin()) as admin:
            require_own_schema(admin, schema)
        yield schema
        return
    # Others may test the same server at the same time.
    name = OWN_SCHEMA + secrets.token_hex(8)
    make_schema(server, name, where=where, owner=name)
    try:
        with closing(server.admin(name)) as admin:
            make_tables(admin, engine=engine)
        yield name
    finally:
        with closing(server.admin()) as admin:
            drop_schema(admin, name, owner=name)


@contextmanager
def _rows(admin: Connection) -> Iterator[Fixture]:
    """The tests' rows, in addition to all others; each level begins with new ones."""
    fixture = Fixture.unused(admin)
    try:
        add_rows(admin, fixture)
        yield fixture
    finally:
        remove_rows(admin, fixture)
