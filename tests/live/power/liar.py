"""An installation whose server lies about some of its flushes, twenty in a row. A single lie is
made up for by the next flush: of what is in flight when the power is cut, this rig lets the write
end.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dyno.servers import find_home, install

SERVER = "mariadb-debian"
SOURCE = Path(__file__).with_name("liar.c")


@contextmanager
def lying(name: str, every: int) -> Iterator[str]:
    """The name of the installation, which is removed afterwards."""
    origin = install(SERVER).home
    target = find_home().servers / name
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-al", str(origin), str(target)], check=True)
    try:
        library = target / "liar.so"
        command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True)
        file = target / "installation.json"
        said = json.loads(file.read_text())
        file.unlink()  # The copy is a link to the same file.
        script = target / "liar"
        program = target / said["mysqld"]
        script.write_text(
            f'#!/bin/sh\nLIES_EVERY={every} LD_PRELOAD="{library}" exec "{program}" "$@"\n'
        )
        script.chmod(0o755)
        # Another build, so with data of its own.
        ours = {"name": name, "mysqld": script.name, "fingerprint": name}
        file.write_text(json.dumps(said | ours))
        yield name
    finally:
        shutil.rmtree(target, ignore_errors=True)
