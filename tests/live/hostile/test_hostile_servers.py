"""Commands on servers that do wrong: each ends, in time, with one line, and gives nobody a secret.

The whole is every command on every mode; a change is guarded by the commands that share the two
clients, and by a part of the modes for the others.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from apart import enter_new_network
from commands import COMMANDS, troubles
from forks import start_parent
from modes import MODES
from thinned import thinned

# At the same time; most of them wait.
AT_ONCE = 10
IS_ROOT = os.geteuid() == 0
# Each thread's parent of commands.
OWN = threading.local()
# `watch` and `dynoload` stand for the two clients, and are quick.
ALWAYS_WHOLE = ("watch", "dynoload")


def test_there_are_enough_modes() -> None:
    assert len(MODES) >= 60
    assert len(COMMANDS) == 7


def _begin_thread() -> None:
    if IS_ROOT:
        enter_new_network()
    OWN.parent = start_parent()


@pytest.fixture(scope="module")
def threads() -> Iterator[ThreadPoolExecutor]:
    """For root each has a network, and with it a lock of a run, of its own."""
    with ThreadPoolExecutor(AT_ONCE, initializer=_begin_thread) as pool:
        yield pool


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_survives_every_server(
    name: str, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    modes = list(MODES) if name in ALWAYS_WHOLE else thinned(list(MODES), least=10)

    def one(mode: str) -> str:
        return troubles(name, mode, tmp_path / mode, OWN.parent)

    if name == "run" and not IS_ROOT:
        said = [threads.submit(one, mode).result() for mode in modes]
    else:
        said = list(threads.map(one, modes))
    found = [trouble for trouble in said if trouble]
    assert not found, "\n".join(["", *found])
