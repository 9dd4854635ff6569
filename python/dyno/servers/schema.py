"""The guard of schemas: Dyno changes and drops only what it created, on whoever's server.

A schema is Dyno's when its marker table is inside; the marker is made together with the schema, and
says for whom: what one run made no other run drops.
"""

from __future__ import annotations

from typing import Literal

from dyno.client import Connection, reads_answers
from dyno.errors import ServerError
from dyno.spec.printable import printable

MARKER_TABLE = "dyno_owner"
# Of schemas on servers of Dyno's own, which no two runs share.
ANYBODY = "dyno"
_NAME_LENGTH_MAX = 64


def create_schema(connection: Connection, name: str, *, owner: str = ANYBODY) -> None:
    """Create a schema with Dyno's marker in it; ServerError if there is one of that name. `owner`
    has up to 64 characters.
    """
    quoted = _quoted(name)
    state = _state(connection, name)
    if state == "foreign":
        raise _not_ours(name)
    if state == "ours":
        raise ServerError(
            f"the schema {name!r} exists already, from an earlier run of Dyno",
            hint="drop it first, or use it as it is",
        )
    connection.run(f"CREATE DATABASE {quoted}")
    connection.run(
        f"CREATE TABLE {quoted}.{MARKER_TABLE} (made_by VARCHAR(64) NOT NULL, "
        "made_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)"
    )
    connection.run(f"INSERT INTO {quoted}.{MARKER_TABLE} (made_by) VALUES (%s)", owner)


def is_schema(connection: Connection, name: str) -> bool:
    """Whether there is a schema of that name, whoever made it."""
    return _state(connection, name) != "absent"


def require_own_schema(connection: Connection, name: str) -> None:
    """Raise ServerError unless the schema exists and has Dyno's marker."""
    state = _state(connection, name)
    if state == "foreign":
        raise _not_ours(name)
    if state == "absent":
        raise ServerError(f"there is no schema {name!r}", hint="load the dataset first")


def drop_schema(connection: Connection, name: str, *, owner: str = ANYBODY) -> None:
    """Drop a schema that Dyno created for `owner`, if it exists; ServerError for any other."""
    state = _state(connection, name)
    if state == "foreign":
        raise _not_ours(name)
    if state == "ours":
        found = _owners(connection, name)
        if found not in ([], [owner]):
            whose = printable(", ".join(found))
            raise ServerError(
                f"the schema {name!r} was made by another run of Dyno: {whose}",
                hint="wait for that run to end; if it is over, drop the schema yourself",
            )
        connection.run(f"DROP DATABASE {_quoted(name)}")


@reads_answers
def _owners(connection: Connection, name: str) -> list[str]:
    """For whom the schema was made; nobody where making it was broken off."""
    return [
        str(row[0])
        for row in connection.rows(f"SELECT made_by FROM {_quoted(name)}.{MARKER_TABLE} LIMIT 2")
    ]


@reads_answers
def schemas_made(connection: Connection) -> list[str]:
    """The schemas that Dyno made there, as far as an account may see them."""
    found = connection.rows(
        "SELECT table_schema FROM information_schema.tables "
        "WHERE table_name = %s ORDER BY table_schema LIMIT 100",
        MARKER_TABLE,
    )
    return [str(row[0]) for row in found]


@reads_answers
def _state(connection: Connection, name: str) -> Literal["absent", "ours", "foreign"]:
    """Look a schema up; system schemas have no marker and so are never ours."""
    found = connection.row(
        "SELECT count(*) FROM information_schema.schemata WHERE schema_name = %s", name
    )
    if not int(found[0]):
        return "absent"
    marked = connection.row(
        "SELECT count(*) FROM information_schema.tables "
        "WHERE table_schema = %s AND table_name = %s",
        name,
        MARKER_TABLE,
    )
    return "ours" if int(marked[0]) else "foreign"


def _quoted(name: str) -> str:
    """Give a schema's name as SQL takes it; names that no server takes are refused."""
    if not 0 < len(name) <= _NAME_LENGTH_MAX or "\0" in name:
        raise ServerError(
            f"{name!r} can't be a schema's name", hint="use 1 to 64 characters, such as dyno_test"
        )
    return "`" + name.replace("`", "``") + "`"


def _not_ours(name: str) -> ServerError:
    return ServerError(
        f"the schema {name!r} wasn't created by Dyno, so Dyno doesn't touch it",
        hint="choose another schema name, or drop that schema yourself",
    )
