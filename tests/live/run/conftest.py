"""A folder with a small experiment for each test, and no server left after it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hosting import Hosting, hosted, write_hosts
from processes import servers_of
from small_run import EXPERIMENT, LOAD, Bench
from waiting import wait_until

from dyno.servers import install


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "small").mkdir()
    bench = Bench(tmp_path)
    bench.experiment.write_text(EXPERIMENT)
    return bench


@pytest.fixture
def loads(bench: Bench) -> Bench:
    """The same with a load on two levels instead of statements."""
    bench.experiment.write_text(LOAD)
    return bench


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosting]:
    """Two load hosts at addresses of this machine."""
    with hosted(write_hosts(tmp_path_factory.mktemp("hosts"))) as found:
        yield found


@pytest.fixture(scope="session")
def todays_servers() -> None:
    """Are installed: downloads aren't what a run's time is for."""
    for name in ("mariadb-trixie", "mysql-sid"):
        install(name)


@pytest.fixture
def wait_for() -> Callable[[Callable[[], object], float], None]:
    return wait_until


@pytest.fixture(autouse=True)
def no_server_is_left(bench: Bench) -> Iterator[None]:
    yield
    for folder in (bench.path / "runs").glob("*/*"):
        left = servers_of(folder)
        for process in left:
            os.kill(process.pid, signal.SIGKILL)
        assert not left, "a server outlived the run"
