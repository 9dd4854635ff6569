"""Every test here starts real servers or programs."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from apart import enter_new_network, make_own_home


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "each of several processes has a network and a Dyno home of its own; for root only"
    parser.addoption("--apart", action="store_true", help=words)


def pytest_configure(config: pytest.Config) -> None:
    # What a shell starts in the background ignores Ctrl-C, and so does all that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker and config.getoption("--apart"):
        own = make_own_home(worker)
        # What is shared are links, which rmtree removes and doesn't follow.
        config.add_cleanup(lambda: shutil.rmtree(own, ignore_errors=True))
        enter_new_network()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.live)
