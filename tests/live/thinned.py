"""Tests of many alike cases: a part of them with every change, all with `make test-all`."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

import pytest

Case = TypeVar("Case")
WHOLE = os.environ.get("DYNO_TEST_ALL") == "1"
in_test_all = pytest.mark.skipif(not WHOLE, reason="with make test-all")

# From old to new, as far as all workloads run there.
SERVERS = (
    "mysql-5.5.9",
    "mysql-5.6.24",
    "mariadb-10.1.8",
    "mariadb-10.11.5",
    "mariadb-11.4.5",
    "mariadb-trixie",
    "mysql-sid",
)


def thinned(cases: Sequence[Case], *, least: int) -> list[Case]:
    """The cases of this run: all, or `least` of them, always the same ones, in their order."""
    if WHOLE or len(cases) <= least:
        return list(cases)
    chosen = sorted(random.Random(1).sample(range(len(cases)), least))
    return [cases[place] for place in chosen]


def oldest_and_newest(servers: Sequence[Case]) -> list[Case]:
    """Of servers from old to new: both ends, or all of them."""
    return list(servers) if WHOLE else [servers[0], servers[-1]]
