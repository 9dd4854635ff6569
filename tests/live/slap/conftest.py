"""A server that both programs are held to; every test here starts real ones."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from slaps import THEIRS, Stand

from dyno.servers import create_data_dir, find_home, install, start


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.live)


def make_stand(name: str) -> Iterator[Stand]:
    assert shutil.which(THEIRS), f"{THEIRS} is missing: apt-get install mariadb-client"
    folder = Path(tempfile.mkdtemp(prefix="test-", dir=find_home().work))
    folder.chmod(0o755)
    installation = install(name)
    create_data_dir(installation, folder / "data")
    files = folder / "files"
    files.mkdir()
    # Nothing here is about the disk, on which each COMMIT would wait.
    settings: dict[str, int | str] = {"innodb_flush_log_at_trx_commit": 2, "max_connections": 400}
    run_dir = folder / "logs"
    with (
        start(installation, data_dir=folder / "data", run_dir=run_dir, settings=settings) as server,
        closing(server.admin()) as admin,
    ):
        yield Stand(server, admin, files)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Stand]:
    """It has archive and blackhole, as the published command line needs them."""
    yield from make_stand("mariadb-debian")


@pytest.fixture(scope="session")
def mysql() -> Iterator[Stand]:
    yield from make_stand("mysql-5.6.24")


@pytest.fixture
def stand(mariadb: Stand) -> Iterator[Stand]:
    mariadb.empty()
    yield mariadb
    mariadb.empty()
