"""An experiment for each test, or one for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_tasks import Experiment, made


@pytest.fixture
def experiment(tmp_path: Path) -> Iterator[Experiment]:
    yield from made(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Experiment]:
    """One for all tests of a file."""
    yield from made(tmp_path_factory.mktemp("tasks"))
