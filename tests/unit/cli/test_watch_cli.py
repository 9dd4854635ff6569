"""`dyno watch` typed wrongly: what is refused, before or instead of a connection."""

from __future__ import annotations

import getpass

import pytest
from typer.testing import CliRunner

from dyno.cli.app import app
from dyno.cli.watch import _server
from dyno.errors import DynoError, ServerError, SpecError

SOCKET = "mysql://root@/?socket=/nonexistent/sock"


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (["--server", SOCKET, "--interval", "0s"], SpecError, "--interval: 0s is too often"),
        (["--server", SOCKET, "--interval", "10ms"], SpecError, "too often"),
        (["--server", SOCKET, "--interval", "soon"], SpecError, "'soon' is not a duration"),
        (["--server", SOCKET, "--interval", "-1s"], SpecError, "not a duration"),
        (["--server", SOCKET, "--once", "--until-done"], SpecError, "exclude each other"),
        (["--server", "mysql://root:secret@db/"], SpecError, "holds a password"),
        (["--server", "mysql://db/"], SpecError, "not a server's address"),
        (["--server", "mysql://root@127.0.0.1:1/"], ServerError, "can't reach"),
        (["--server", "no-such-server"], ServerError, "no-such-server"),
    ],
)
def test_mistakes_are_one_line(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], kind: type[DynoError], words: str
) -> None:
    monkeypatch.setenv("DYNO_PASSWORD", "")
    ended = CliRunner().invoke(app, ["watch", *arguments])
    assert type(ended.exception) is kind
    assert words in str(ended.exception)
    assert "secret" not in str(ended.exception)


def test_a_path_is_a_socket_where_one_is_oneself() -> None:
    user = getpass.getuser()
    assert str(_server("/run/a b.sock")) == f"mysql://{user}@/?socket=/run/a%20b.sock"
    assert str(_server("mysql://a@b:1/")) == "mysql://a@b:1/"
    assert str(_server("mariadb-11.4.5")) == "mariadb-11.4.5"
