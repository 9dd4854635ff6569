"""Installations that a script of the test starts: a server with something planted in it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dyno.home import find_home
from dyno.servers import install

SERVER = "mariadb-debian"


@contextmanager
def planted(name: str, script: str, **values: object) -> Iterator[Path]:
    """The folder of a copy of a server, where a script starts the server; removed afterwards.

    `script` is a template: of `values`, the folder `home` and the server's `program`.
    """
    target = find_home().servers / name
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-al", str(install(SERVER).home), str(target)], check=True)
    try:
        file = target / "installation.json"
        said = json.loads(file.read_text())
        file.unlink()  # The copy is a link to the same file.
        starter = target / "planted"
        program = target / said["mysqld"]
        starter.write_text(script.format(home=target, program=program, **values))
        starter.chmod(0o755)
        # Another build, so with data of its own.
        ours = {"name": name, "mysqld": starter.name, "fingerprint": name}
        file.write_text(json.dumps(said | ours))
        yield target
    finally:
        shutil.rmtree(target, ignore_errors=True)


def compiled(made: Path, source: Path, *options: str) -> None:
    """Compile a source of the tests to `made`."""
    subprocess.run(["cc", "-O2", "-Wall", "-o", str(made), str(source), *options], check=True)
