"""One parent of all command lines, which has loaded dyno."""

from __future__ import annotations

import pytest
from forks import Forks, forks


@pytest.fixture(scope="session")
def dyno() -> Forks:
    return forks()
