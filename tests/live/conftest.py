"""Every test here starts real servers or programs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from apart import have_a_home_of_ones_own, leave_for_a_new_one


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "each of several processes has a network and a Dyno home of its own; for root only"
    parser.addoption("--apart", action="store_true", help=words)


def pytest_configure(config: pytest.Config) -> None:
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker and config.getoption("--apart"):
        have_a_home_of_ones_own(worker)
        leave_for_a_new_one()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.live)
