"""The guard of schemas: Dyno changes and drops only what it created, on whoever's server.

A schema is Dyno's when its marker table is inside; the marker is made together with the schema.
"""

from __future__ import annotations

from typing import Literal

from dyno.errors import ServerError
from dyno.servers.server import AdminConnection

MARKER_TABLE = "dyno_owner"
_NAME_LENGTH_MAX = 64


def create_schema(connection: AdminConnection, name: str) -> None:
    """Create a schema with Dyno's marker in it; ServerError if there is one of that name."""
    quoted = _quoted(name)
    state = _state(connection, name)
    if state == "foreign":
        raise _not_ours(name)
    if state == "ours":
        raise ServerError(
            f"the schema {name!r} exists already, from an earlier run of Dyno",
            hint="drop it first, or use it as it is",
        )
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {quoted}")
        cursor.execute(
            f"CREATE TABLE {quoted}.{MARKER_TABLE} (made_by VARCHAR(64) NOT NULL, "
            "made_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)"
        )
        cursor.execute(f"INSERT INTO {quoted}.{MARKER_TABLE} (made_by) VALUES ('dyno')")


def require_own_schema(connection: AdminConnection, name: str) -> None:
    """Raise ServerError unless the schema exists and has Dyno's marker."""
    state = _state(connection, name)
    if state == "foreign":
        raise _not_ours(name)
    if state == "absent":
        raise ServerError(f"there is no schema {name!r}", hint="load the dataset first")


def drop_schema(connection: AdminConnection, name: str) -> None:
    """Drop a schema that Dyno created, if it is there; ServerError if it isn't ours."""
    state = _state(connection, name)
    if state == "foreign":
        raise _not_ours(name)
    if state == "ours":
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {_quoted(name)}")


def _state(connection: AdminConnection, name: str) -> Literal["absent", "ours", "foreign"]:
    """Look a schema up; system schemas have no marker and so are never ours."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM information_schema.schemata WHERE schema_name = %s", (name,)
        )
        if not _count(cursor.fetchone()):
            return "absent"
        cursor.execute(
            "SELECT count(*) FROM information_schema.tables "
            "WHERE table_schema = %s AND table_name = %s",
            (name, MARKER_TABLE),
        )
        return "ours" if _count(cursor.fetchone()) else "foreign"


def _count(row: object) -> int:
    assert isinstance(row, tuple)
    return int(row[0])


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
