"""A server that does not start says why, and names the setting at fault."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from dyno.errors import ServerError
from dyno.home import Home, server_user
from dyno.servers import Installation, create_data_dir, install, log_findings, start


@pytest.fixture(autouse=True)
def sockets(work: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where private folders lie in these tests: their own place, so that leftovers can be seen."""
    folder = work / "s"
    folder.mkdir()
    folder.chmod(0o1777)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    return folder


def _error(
    installation: Installation, work: Path, home: Home, settings: dict[str, str | int]
) -> ServerError:
    """Start with settings that must fail; no process and no private folder may be left."""
    create_data_dir(installation, work / "data", home=home)
    with pytest.raises(ServerError) as caught:
        start(installation, data_dir=work / "data", run_dir=work / "run", settings=settings)
    left = [p.info for p in psutil.process_iter(["cwd"]) if p.info["cwd"] == str(work / "data")]
    assert left == []
    assert list((work / "s").iterdir()) == []
    assert not (work / "data-tmp").exists()
    return caught.value


@pytest.mark.parametrize(
    "name", ["mysql-5.5.9", "mysql-5.6.24", "mariadb-10.1.8", "mariadb-11.4.5"]
)
def test_an_unknown_setting_is_named_with_the_nearest(name: str, home: Home, work: Path) -> None:
    error = _error(install(name, home=home), work, home, {"key_bufer_size": "8M"})
    assert error.message == f"{name} doesn't know the setting 'key_bufer_size'"
    assert error.hint == "did you mean 'key_buffer_size'?"
    assert error.exit_code == 3


def test_a_setting_of_another_product_is_unknown(
    mysql: Installation, home: Home, work: Path
) -> None:
    error = _error(mysql, work, home, {"aria_pagecache_buffer_size": "8M"})
    assert "mysql-5.6.24 doesn't know the setting 'aria_pagecache_buffer_size'" in error.message


@pytest.mark.parametrize("name", ["mysql-5.6.24", "mariadb-10.11.5"])
def test_a_value_that_is_not_a_number_is_named(name: str, home: Home, work: Path) -> None:
    error = _error(install(name, home=home), work, home, {"key_buffer_size": "8X"})
    assert error.message == f"{name} doesn't take '8X' for the setting 'key_buffer_size'"


@pytest.mark.parametrize("name", ["mysql-5.5.9", "mysql-5.6.24", "mariadb-10.11.5"])
def test_a_bad_value_shows_the_logs_error_and_the_setting(
    name: str, home: Home, work: Path
) -> None:
    settings = {"max_connections": 10, "default_storage_engine": "Nope"}
    error = _error(install(name, home=home), work, home, settings)
    assert "[ERROR] Unknown/unsupported storage engine: Nope" in error.message
    assert error.hint == "the setting at fault seems to be default_storage_engine = Nope"


def test_a_bad_value_at_init_is_reported_too(mariadb: Installation, home: Home, work: Path) -> None:
    with pytest.raises(ServerError, match="Invalid page size=12345") as caught:
        create_data_dir(mariadb, work / "data", settings={"innodb_page_size": 12345}, home=home)
    assert caught.value.hint == "the setting at fault seems to be innodb_page_size = 12345"
    assert not (work / "data").exists()


def test_an_earlier_starts_errors_are_not_repeated(
    mariadb: Installation, home: Home, work: Path
) -> None:
    _error(mariadb, work, home, {"key_bufer_size": "8M"})
    with pytest.raises(ServerError, match="storage engine: Nope") as caught:
        start(
            mariadb,
            data_dir=work / "data",
            run_dir=work / "run",
            settings={"default_storage_engine": "Nope"},
        )
    assert "key_bufer_size" not in caught.value.message


def test_an_adjusted_value_is_a_finding(mariadb: Installation, home: Home, work: Path) -> None:
    create_data_dir(mariadb, work / "data", home=home)
    with start(
        mariadb, data_dir=work / "data", run_dir=work / "run", settings={"sort_buffer_size": 1}
    ) as server:
        pass
    (finding,) = log_findings(server.error_log)
    assert finding.severity == "warning"
    assert "sort_buffer_size" in finding.text


def test_a_socket_path_that_is_too_long(
    mariadb: Installation, home: Home, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = work / ("x" * 90)
    long.mkdir()
    long.chmod(0o1777)
    create_data_dir(mariadb, work / "data", home=home)
    monkeypatch.setenv("TMPDIR", str(long))
    with pytest.raises(ServerError, match="the kernel allows 107") as caught:
        start(mariadb, data_dir=work / "data", run_dir=work / "run")
    assert "TMPDIR" in str(caught.value.hint)
    assert list(long.iterdir()) == []


def test_a_data_folder_that_the_server_cant_write(
    mariadb: Installation, home: Home, work: Path
) -> None:
    create_data_dir(mariadb, work / "data", home=home)
    (work / "data").chmod(0o555)
    with pytest.raises(ServerError, match="can't write in"):
        start(mariadb, data_dir=work / "data", run_dir=work / "run")
    (work / "data").chmod(0o755)


def test_a_file_that_the_server_cant_write_is_in_the_errors_words(
    mariadb: Installation, home: Home, work: Path
) -> None:
    create_data_dir(mariadb, work / "data", home=home)
    user = server_user()
    if user is not None:
        (work / "data/ibdata1").unlink()
        (work / "data/ibdata1").write_bytes(b"")
    (work / "data/ibdata1").chmod(0o400)
    with pytest.raises(ServerError, match="ibdata1"):
        start(mariadb, data_dir=work / "data", run_dir=work / "run")


def test_a_missing_data_folder(mariadb: Installation, work: Path) -> None:
    with pytest.raises(ServerError, match="there is no folder"):
        start(mariadb, data_dir=work / "absent", run_dir=work / "run")


def test_a_data_folder_is_never_written_over(mariadb: Installation, home: Home, work: Path) -> None:
    (work / "data").mkdir()
    (work / "data/mine").write_text("precious")
    with pytest.raises(ServerError, match="isn't empty"):
        create_data_dir(mariadb, work / "data", home=home)
    assert (work / "data/mine").read_text() == "precious"


def test_a_server_that_never_answers_is_given_up(
    mariadb: Installation, home: Home, work: Path
) -> None:
    create_data_dir(mariadb, work / "data", home=home)
    with pytest.raises(ServerError, match="didn't answer within 0"):
        start(mariadb, data_dir=work / "data", run_dir=work / "run", timeout_s=0)
