"""One parent of all command lines, which has loaded dyno."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from forks import Forks, forks


@pytest.fixture(scope="session")
def dyno() -> Iterator[Forks]:
    with forks() as parent:
        yield parent
