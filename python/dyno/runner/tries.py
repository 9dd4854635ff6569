"""What a server takes: does it start with an arm's settings, and which options does it know? Asked
before anything is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import find_home, remove_tree
from dyno.runner.installed import installed
from dyno.servers import Installation, Server, create_data_dir, engines_of, make_work_dir, start
from dyno.servers.known import known_settings
from dyno.spec.experiment import Arm

# Nothing has to be recovered: the data folder is empty.
_START_S = 60.0
Note = Callable[[str], None]


def starts(arm: Arm, *, note: Note) -> bool:
    """Start the server of an arm on an empty data folder, and stop it. False if it refuses, or
    doesn't have the arm's engine.

    Raises ServerError if the server can't be installed.
    """
    installation = installed(arm, note=note)
    place = make_work_dir(find_home())
    try:
        return _starts(arm, installation, place.path, place.inner)
    finally:
        place.remove()


def known(arm: Arm, *, note: Note) -> frozenset[str]:
    """The names of the options that the server of an arm takes. Raises ServerError."""
    return known_settings(installed(arm, note=note))


def _starts(arm: Arm, installation: Installation, folder: Path, tmpdir: Path) -> bool:
    data = folder / "data"
    try:
        create_data_dir(installation, data, settings=arm.settings)
        server = start(
            installation,
            data_dir=data,
            run_dir=folder / "logs",
            settings=arm.settings,
            tmpdir=tmpdir,
            timeout_s=_START_S,
        )
    except ServerError:
        return False
    try:
        return _has_engine(server, arm.engine)
    finally:
        server.kill()
        remove_tree(data)


def _has_engine(server: Server, engine: str | None) -> bool:
    """Whether the server has an engine. `engine` may have table options after its name."""
    if engine is None:
        return True
    return engine.split()[0].lower() in engines_of(server)
