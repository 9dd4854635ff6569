"""Every entry of the catalog: fetched, initialised, started, asked and stopped."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import psutil
import pytest

from dyno.home import Home
from dyno.servers import catalog, create_data_dir, install, log_findings, start

NAMES = [name for name, entry in catalog().items() if entry.source != "path"]
HAS_ARCHIVE = {"mysql-5.6.24", "mysql-sid"}
HAS_ARCHIVE |= {"mariadb-debian", "mariadb-trixie", "mariadb-sid"}
PROVIDERS = {"lz4", "lzma", "bzip2", "lzo", "snappy"}


@pytest.mark.parametrize("name", NAMES)
def test_installs_initialises_starts_answers_and_stops(name: str, home: Home, work: Path) -> None:
    installation = install(name, home=home)
    data_dir, run_dir = work / "data", work / "run"
    settings = {"max-connections": 77, "slow_query_log": True, "sort_buffer_size": "512K"}
    create_data_dir(installation, data_dir, settings=settings, home=home)

    with start(installation, data_dir=data_dir, run_dir=run_dir, settings=settings) as server:
        process = psutil.Process(server.pid)
        connection = server.admin()
        with contextlib.closing(connection), connection.cursor() as cursor:
            cursor.execute("SELECT version()")
            (version,) = cursor.fetchone()
            cursor.execute("SHOW ENGINES")
            engines = {row[0].upper() for row in cursor if row[1] in ("YES", "DEFAULT")}
            cursor.execute("SELECT user, host FROM mysql.user WHERE user = ''")
            anonymous = cursor.fetchall()
            cursor.execute("CREATE DATABASE test_it")
            cursor.execute("CREATE TABLE test_it.t (a INT) ENGINE=InnoDB")
            cursor.execute("INSERT INTO test_it.t VALUES (1), (2)")
            cursor.execute("SELECT sum(a) FROM test_it.t")
            (total,) = cursor.fetchone()
        variables = server.variables()
        user = process.username()
        exe = Path(process.exe())

    assert version.startswith(installation.version)
    assert exe == (installation.loader or installation.mysqld).resolve()
    assert (os.geteuid() == 0) == (user != psutil.Process().username())
    assert variables["max_connections"] == "77"
    assert variables["slow_query_log"] == "ON"
    assert variables["sort_buffer_size"] == str(512 * 1024)
    assert variables["skip_networking"] == "ON"
    assert variables["skip_name_resolve"] == "ON"
    assert {"INNODB", "MYISAM", "MEMORY", "CSV"} <= engines
    assert ("ARIA" in engines) == (installation.product == "mariadb")
    assert ({"ARCHIVE", "BLACKHOLE"} <= engines) == (name in HAS_ARCHIVE)
    assert not anonymous
    assert total == 3
    assert server.process.returncode == 0, (run_dir / "server.err").read_text()
    assert log_findings(server.error_log) == []
    assert not process.is_running()
    assert not server.socket.parent.exists()
    assert not server.tmpdir.exists()
    if name == "mariadb-debian":
        assert {f"provider_{p}" for p in PROVIDERS} <= set(installation.plugins)


@pytest.mark.parametrize("algorithm", sorted(PROVIDERS))
def test_debians_providers_compress_pages(algorithm: str, home: Home, work: Path) -> None:
    installation = install("mariadb-debian", home=home)
    create_data_dir(installation, work / "data", home=home)
    settings = {"innodb_compression_algorithm": algorithm, "innodb_compression_default": True}
    with start(
        installation, data_dir=work / "data", run_dir=work / "run", settings=settings
    ) as server:
        connection = server.admin()
        with contextlib.closing(connection), connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE c")
            cursor.execute("USE c")
            cursor.execute("CREATE TABLE c.t (a TEXT) ENGINE=InnoDB")
            cursor.execute("INSERT INTO c.t SELECT repeat('abc', 9999) FROM seq_1_to_50")
            cursor.execute("SET GLOBAL innodb_max_dirty_pages_pct_lwm = 0")
            cursor.execute("FLUSH TABLES c.t FOR EXPORT")
            cursor.execute("SHOW GLOBAL STATUS LIKE 'Innodb_num_pages_page_compressed'")
            (_, pages) = cursor.fetchone()
    assert int(pages) > 0


def test_settings_that_matter_at_init_get_a_data_folder_of_their_own(
    home: Home, work: Path
) -> None:
    installation = install("mariadb-10.1.8", home=home)
    settings = {"aria_block_size": 2048, "innodb_log_file_size": "8M"}
    create_data_dir(installation, work / "data", settings=settings, home=home)
    with start(
        installation, data_dir=work / "data", run_dir=work / "run", settings=settings
    ) as server:
        variables = server.variables()
        log_size = (server.data_dir / "ib_logfile0").stat().st_size
    assert variables["aria_block_size"] == "2048"
    assert log_size == 8 << 20
    assert log_findings(server.error_log) == []


def test_tcp_is_on_loopback_only_when_asked(home: Home, work: Path) -> None:
    installation = install("mariadb-11.4.5", home=home)
    create_data_dir(installation, work / "data", home=home)
    with start(
        installation, data_dir=work / "data", run_dir=work / "run", listen="127.0.0.1"
    ) as server:
        listening = [
            (c.laddr.ip, c.laddr.port)
            for c in psutil.Process(server.pid).net_connections("inet")
            if c.status == psutil.CONN_LISTEN
        ]
        variables = server.variables()
    assert listening == [("127.0.0.1", server.port)]
    assert variables["port"] == str(server.port)


def test_a_tmpdir_of_the_callers_is_used_and_kept(home: Home, work: Path) -> None:
    installation = install("mysql-5.5.9", home=home)
    create_data_dir(installation, work / "data", home=home)
    tmpdir = work / "elsewhere"
    tmpdir.mkdir()
    tmpdir.chmod(0o1777)
    with start(installation, data_dir=work / "data", run_dir=work / "run", tmpdir=tmpdir) as server:
        variables = server.variables()
    assert variables["tmpdir"] == str(tmpdir)
    assert tmpdir.is_dir()
