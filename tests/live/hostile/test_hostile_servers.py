"""Commands on servers that do wrong: each ends, in time, with one line, and gives nobody a secret.

The whole is every command on every mode; a change is guarded by the commands that share the two
clients, and by a part of the modes for the others.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from apart import enter_new_network
from commands import COMMANDS, troubles
from modes import MODES
from thinned import thinned

# At the same time; most of them wait.
AT_ONCE = 10
# `watch` and `dynoload` stand for the two clients, and are quick.
ALWAYS_WHOLE = ("watch", "dynoload")


def test_there_are_enough_modes() -> None:
    assert len(MODES) >= 60
    assert len(COMMANDS) == 7


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_survives_every_server(name: str, tmp_path: Path) -> None:
    modes = list(MODES) if name in ALWAYS_WHOLE else thinned(list(MODES), least=10)

    def one(mode: str) -> str:
        if is_root:
            enter_new_network()
        return troubles(name, mode, tmp_path / mode)

    # Only root gives each a network, and with it a lock, of its own.
    is_root = os.geteuid() == 0
    with ThreadPoolExecutor(1 if name == "run" and not is_root else AT_ONCE) as several:
        found = [trouble for trouble in several.map(one, modes) if trouble]
    assert not found, "\n".join(["", *found])
