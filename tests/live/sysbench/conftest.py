"""Servers for scripts; every test here starts real ones and runs real programs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from programs import Stand

from dyno.servers import create_data_dir, find_home, install, start


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.live)


def make_stand(name: str) -> Iterator[Stand]:
    folder = Path(tempfile.mkdtemp(prefix="test-", dir=find_home().work))
    folder.chmod(0o755)
    installation = install(name)
    create_data_dir(installation, folder / "data")
    empty = folder / "empty"
    empty.mkdir()
    # Nothing here is about the disk, on which each COMMIT would wait.
    settings: dict[str, int | str] = {"innodb_flush_log_at_trx_commit": 2}
    run_dir = folder / "logs"
    with (
        start(installation, data_dir=folder / "data", run_dir=run_dir, settings=settings) as server,
        closing(server.admin()) as admin,
    ):
        stand = Stand(server, admin, empty)
        stand.empty()
        yield stand
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Stand]:
    yield from make_stand("mariadb-10.11.5")


@pytest.fixture(scope="session")
def mysql() -> Iterator[Stand]:
    yield from make_stand("mysql-5.6.24")


@pytest.fixture(params=["mariadb", "mysql"])
def any_stand(request: pytest.FixtureRequest) -> Stand:
    stand = request.getfixturevalue(request.param)
    assert isinstance(stand, Stand)
    return stand


@pytest.fixture
def stand(mariadb: Stand) -> Stand:
    """An empty schema on one server, where it makes no difference on which."""
    mariadb.empty()
    return mariadb
