"""Installations whose servers lie: about some of their flushes, or about all that they write."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dyno.servers import find_home, install

SERVER = "mariadb-debian"
FLUSHES = """#!/bin/sh
LIES_EVERY={every} LD_PRELOAD="{home}/liar.so" exec "{program}" "$@"
"""
# A server that fills a new data folder has no socket, and needs no door. The process that Dyno
# started becomes the server, and the door dies with it.
WRITES = """#!/bin/sh
socket=$(sed -n "s/^socket = //p" "${{1#--defaults-file=}}" 2>/dev/null)
if [ "$socket" ]; then
    set -- "$@" --socket="$socket.real"
    "{home}/hasty" "$socket" "$socket.real" $$ &
fi
exec "{program}" "$@"
"""


@contextmanager
def lying(name: str, every: int) -> Iterator[str]:
    """The name of an installation, which is removed afterwards. Twenty flushes in a row do nothing:
    a single lie is made up for by the next flush, since of what is in flight when the power is cut,
    this rig lets the write end.
    """
    with _planted(name, FLUSHES, every=every) as home:
        _compile(home / "liar.so", "liar.c", "-shared", "-fPIC", "-ldl")
        yield name


@contextmanager
def hasty(name: str) -> Iterator[str]:
    """The name of an installation whose server acknowledges before it writes."""
    with _planted(name, WRITES) as home:
        _compile(home / "hasty", "hasty.c", "-pthread")
        yield name


@contextmanager
def _planted(name: str, script: str, **values: object) -> Iterator[Path]:
    """A copy of a server's folder, where a script starts the server."""
    target = find_home().servers / name
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-al", str(install(SERVER).home), str(target)], check=True)
    try:
        file = target / "installation.json"
        said = json.loads(file.read_text())
        file.unlink()  # The copy is a link to the same file.
        starter = target / "liar"
        program = target / said["mysqld"]
        starter.write_text(script.format(home=target, program=program, **values))
        starter.chmod(0o755)
        # Another build, so with data of its own.
        ours = {"name": name, "mysqld": starter.name, "fingerprint": name}
        file.write_text(json.dumps(said | ours))
        yield target
    finally:
        shutil.rmtree(target, ignore_errors=True)


def _compile(made: Path, source: str, *options: str) -> None:
    path = Path(__file__).with_name(source)
    subprocess.run(["cc", "-O2", "-Wall", "-o", str(made), str(path), *options], check=True)
