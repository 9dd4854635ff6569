"""Real servers from Dyno's own cache; folders that the servers' user can reach."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dyno.home import Home, find_home
from dyno.servers import Installation, install


@pytest.fixture(scope="session")
def home() -> Home:
    return find_home()


@pytest.fixture
def work(home: Home) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="test-", dir=home.work))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def new_home(work: Path) -> Home:
    """A Dyno home of its own, empty."""
    return find_home({"DYNO_HOME": str(work / "home")})


@pytest.fixture(scope="session")
def mariadb(home: Home) -> Installation:
    return install("mariadb-10.11.5", home=home)


@pytest.fixture(scope="session")
def mysql(home: Home) -> Installation:
    return install("mysql-5.6.24", home=home)


@pytest.fixture
def script(home: Home) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Run Python code in a Dyno of its own; whatever is left of it is killed at the end."""
    started = []

    def run(code: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "DYNO_HOME": str(home.root),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()
