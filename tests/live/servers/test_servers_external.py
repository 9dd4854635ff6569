"""Somebody else's server: read and used, never touched."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from dyno.errors import ServerError
from dyno.home import Home
from dyno.servers import (
    ExternalServer,
    Login,
    Server,
    connect_external,
    create_data_dir,
    create_schema,
    drop_schema,
    install,
    require_own_schema,
    start,
)
from dyno.spec.address import Address

SECRET = "s3cret; #'x"


@pytest.fixture(params=["mysql-5.5.9", "mariadb-10.11.5"])
def by_hand(request: pytest.FixtureRequest, home: Home, work: Path) -> Iterator[Server]:
    """A server that stands for someone else's: it has a user with a password, and a schema."""
    installation = install(request.param, home=home)
    create_data_dir(installation, work / "data", home=home)
    with start(
        installation, data_dir=work / "data", run_dir=work / "run", listen="127.0.0.1"
    ) as server:
        connection = server.admin()
        with contextlib.closing(connection), connection.cursor() as cursor:
            for host in ("localhost", "127.0.0.1"):
                cursor.execute("CREATE USER %s@%s IDENTIFIED BY %s", ("ann", host, SECRET))
                cursor.execute("GRANT ALL ON *.* TO %s@%s", ("ann", host))
            cursor.execute("CREATE DATABASE theirs")
            cursor.execute("CREATE TABLE theirs.precious (a INT)")
        yield server


@pytest.fixture
def address(by_hand: Server) -> Address:
    return Address.parse(f"mysql://ann@127.0.0.1:{by_hand.port}/")


def test_the_password_comes_from_the_environment(
    by_hand: Server, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNO_PASSWORD", SECRET)
    server = connect_external(address)
    assert (server.product, server.version) == (by_hand.product, by_hand.version)
    assert server.is_alive()
    assert server.variables()["port"] == str(by_hand.port)
    assert SECRET not in repr(server)
    assert SECRET not in str(address)
    monkeypatch.delenv("DYNO_PASSWORD")
    monkeypatch.setenv("OTHER", SECRET)
    assert connect_external(address, login=Login(variable="OTHER")).is_alive()
    assert connect_external(address, login=Login(prompt=lambda _: SECRET)).is_alive()


def test_the_password_comes_from_an_option_file_over_the_socket(
    by_hand: Server, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DYNO_PASSWORD", raising=False)
    file = work / "my.cnf"
    file.write_text(f'# mine\n[client]\nuser = bob\npassword = "{SECRET}"\n[mysqld]\nskip-x\n')
    address = Address.parse(f"mysql://ann@/?socket={by_hand.socket}")
    server = connect_external(address, login=Login(option_file=file))
    assert server.is_alive()
    assert server.socket == by_hand.socket


def test_a_wrong_password_is_reported_but_not_shown(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNO_PASSWORD", "wr0ng")
    with pytest.raises(ServerError, match="Access denied") as caught:
        connect_external(address)
    assert "wr0ng" not in caught.value.message
    assert "DYNO_PASSWORD" in str(caught.value.hint)


def test_its_schemas_are_safe(
    by_hand: Server, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNO_PASSWORD", SECRET)
    server = connect_external(address)
    _check_schemas(server)
    by_hand.stop()
    assert not server.is_alive()


def _check_schemas(server: ExternalServer) -> None:
    with contextlib.closing(server.admin()) as connection:
        for name in ("theirs", "mysql", "information_schema"):
            for act in (create_schema, require_own_schema, drop_schema):
                with pytest.raises(ServerError, match="wasn't created by Dyno"):
                    act(connection, name)
        with connection.cursor() as cursor:
            cursor.execute("SHOW TABLES FROM theirs")
            assert cursor.fetchall() == (("precious",),)

        name = "our`s"
        with pytest.raises(ServerError, match="there is no schema"):
            require_own_schema(connection, name)
        drop_schema(connection, name)
        create_schema(connection, name)
        require_own_schema(connection, name)
        with pytest.raises(ServerError, match="exists already"):
            create_schema(connection, name)
        drop_schema(connection, name)
        with connection.cursor() as cursor:
            cursor.execute("SHOW DATABASES LIKE 'our%'")
            assert cursor.fetchall() == ()


def test_nobody_at_an_address() -> None:
    with pytest.raises(ServerError, match=r"can't reach mysql://ann@127\.0\.0\.1:1/"):
        connect_external(Address.parse("mysql://ann@127.0.0.1:1/"))
