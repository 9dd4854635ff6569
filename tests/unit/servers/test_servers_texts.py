"""Options, option files, logs: what servers is given and what it makes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.errors import ServerError
from dyno.servers import Installation, log_findings
from dyno.servers.config import option_file
from dyno.servers.external import read_option_file
from dyno.servers.installation import load
from dyno.servers.known import init_settings
from dyno.servers.options import checked, nearest, normal, written


def _installation(product: str, version: tuple[int, int, int]) -> Installation:
    root = Path("/srv/x")
    return Installation(
        name="x",
        product="mariadb" if product == "mariadb" else "mysql",
        version=".".join(map(str, version)),
        version_tuple=version,
        home=root,
        mysqld=root / "bin/mysqld",
        basedir=root,
        share=root / "share",
        plugin_dir=root / "plugin",
        library_paths=(root / "libs", root / "dyno-libs"),
        client=None,
        plugins=("ha_archive", "provider_lz4"),
        fingerprint="0" * 64,
        source="tarball x",
        packages=(("x.tar", "0" * 64),),
    )


def _config(
    installation: Installation,
    port: int | None = None,
    certificate: Path | None = None,
    **settings: object,
) -> list[str]:
    text = option_file(
        installation,
        data_dir=Path("/d"),
        tmpdir=Path("/t"),
        socket=Path("/s/mysqld.sock"),
        listen="10.0.0.2" if port else None,
        port=port,
        certificate=certificate,
        settings=checked(settings),  # type: ignore[arg-type]
    )
    return text.splitlines()


def test_settings_are_written_as_option_files_take_them() -> None:
    assert [written(v) for v in (True, False, 7, 0.5, "64M")] == ["1", "0", "7", "0.5", "64M"]
    lines = _config(_installation("mariadb", (10, 1, 8)), a_b=True, init_connect="SET x='#1'")
    assert lines[0] == "[mysqld]"
    assert lines[-2:] == ["a_b = 1", "init_connect = \"SET x='#1'\""]
    assert "skip_networking" in lines
    assert "plugin_load_add = ha_archive" in lines
    assert not [line for line in lines if line.startswith(("ssl", "loose", "port", "user"))]


def test_tcp_is_on_the_address_that_is_asked_for_alone() -> None:
    lines = _config(_installation("mysql", (8, 0, 30)), port=4711)
    assert [line for line in lines if "address" in line] == ["bind_address = 10.0.0.2"]
    assert "port = 4711" in lines
    assert "skip_networking" not in lines
    assert "loose_mysqlx = 0" in lines


@pytest.mark.parametrize("server", [("mariadb", (11, 4, 5)), ("mysql", (9, 7, 4))])
def test_who_has_a_certificate_shows_it(server: tuple[str, tuple[int, int, int]]) -> None:
    lines = _config(_installation(*server), port=4711, certificate=Path("/p/db1.pem"))
    shown = [line for line in lines if "ssl" in line]
    assert shown == ["loose_ssl_cert = /p/db1.pem", "loose_ssl_key = /p/db1.pem"]


def test_a_setting_of_the_callers_comes_after_dynos_defaults() -> None:
    lines = _config(_installation("mariadb", (11, 4, 5)), ssl=True)
    assert lines.index("ssl = 0") < lines.index("ssl = 1")


@pytest.mark.parametrize("name", ["datadir", "SOCKET", "bind-address", "loose_port", "user"])
def test_dynos_own_settings_are_refused(name: str) -> None:
    with pytest.raises(ServerError, match="Dyno's own to choose"):
        checked({name: "x"})


@pytest.mark.parametrize("settings", [{"a b": 1}, {"": 1}, {"a": "1\n[mysqld]"}, {"a=b": 1}])
def test_what_cant_be_a_setting_is_refused(settings: dict[str, str | int]) -> None:
    with pytest.raises(ServerError, match="can't be a server setting"):
        checked(settings)


def test_one_setting_under_two_spellings_is_refused() -> None:
    with pytest.raises(ServerError, match="'max_connections' is given twice"):
        checked({"max-connections": 1, "max_connections": 2})


def test_settings_that_matter_at_init() -> None:
    settings = checked({"max_connections": 5, "innodb-page-size": "8K", "aria_block_size": 2048})
    assert init_settings(settings, _installation("mariadb", (10, 1, 8))) == {
        "aria_block_size": 2048,
        "innodb_page_size": "8K",
    }


@given(st.from_regex(r"[a-z][a-z0-9_]{3,20}", fullmatch=True))
def test_a_name_is_its_own_nearest_in_any_spelling(name: str) -> None:
    assert nearest(name.upper().replace("_", "-"), {name, "zzz"}) in (name, normal(name))


def test_nearest_of_nothing_like_it() -> None:
    assert nearest("quux", {"max_connections"}) is None


def test_option_files(tmp_path: Path) -> None:
    file = tmp_path / "my.cnf"
    file.write_text("!includedir /etc\n[client]\nquick\npassword=a%b#c\n[mysqld]\npassword=no\n")
    assert read_option_file(file) == "a%b#c"
    file.write_text("[client]\npassword = ' x '\n")
    assert read_option_file(file) == " x "
    file.write_text("[mysqld]\n")
    assert read_option_file(file) is None
    file.write_text("password = hunter2\n")
    with pytest.raises(ServerError, match="can't read the option file") as caught:
        read_option_file(file)
    assert "hunter2" not in str(caught.value)
    with pytest.raises(ServerError, match="No such file"):
        read_option_file(tmp_path / "absent")


LOG = """\
101121 11:41:00 [Warning] option 'x': unsigned value 1 adjusted to 1024
2026-11-21 11:58:38 0 [Warning] TIMESTAMP with implicit DEFAULT value is deprecated. Please
2026-11-21 11:58:38 1 [Warning] No existing UUID has been found, so we assume
2026-11-21 11:58:58 0 [Warning] Could not increase number of max_open_files to more than 20000
2026-11-21 11:58:58 0 [Warning] Changed limits: max_open_files: 20000  max_connections: 9
2026-11-21 11:58:38 1 [Note] ready for connections
2026-11-21T10:00:00.1Z 0 [ERROR] [MY-010119] [Server] Aborting
101121 11:41:00  InnoDB: Error: space header page consists of zero bytes
07:17:42 UTC - mysqld got signal 11 ;
dyno: no clean shutdown within 60 s, so killed
"""


def test_log_findings(tmp_path: Path) -> None:
    log = tmp_path / "server.err"
    assert log_findings(log) == []
    log.write_bytes(LOG.encode() + b"\xff [ERROR] not UTF-8\n")
    found = log_findings(log)
    assert [(line.line_number, line.severity) for line in found] == [
        (1, "warning"),
        (5, "warning"),
        (7, "error"),
        (8, "error"),
        (9, "error"),
        (10, "error"),
        (11, "error"),
    ]
    assert found[0].text.endswith("adjusted to 1024")


def test_an_installation_is_saved_relative_to_its_folder(tmp_path: Path) -> None:

    first = _installation("mariadb", (10, 1, 8))
    (tmp_path / "installation.json").write_text(first.to_json())
    assert "/srv" not in first.to_json()
    again = load(tmp_path)
    assert again is not None
    assert again.mysqld == tmp_path / "bin/mysqld"
    assert replace(again, home=first.home).fingerprint == first.fingerprint
    assert again.environment["LD_LIBRARY_PATH"] == f"{tmp_path}/libs:{tmp_path}/dyno-libs"
    assert load(tmp_path / "absent") is None
