"""A folder that servers can reach."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from loading import Bench

from dyno.home import find_home


@pytest.fixture
def bench() -> Iterator[Bench]:
    yield from make_bench()


@pytest.fixture(scope="module")
def shared_bench() -> Iterator[Bench]:
    """One for all tests of a file."""
    yield from make_bench()


def make_bench() -> Iterator[Bench]:
    folder = Path(tempfile.mkdtemp(prefix="test-", dir=find_home().work))
    folder.chmod(0o755)
    bench = Bench(folder)
    yield bench
    for load in bench.loads:
        load.process.kill()
        load.process.wait()
    shutil.rmtree(folder)
