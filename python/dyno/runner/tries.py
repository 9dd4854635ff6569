"""What a server takes: does it start with an arm's settings, and which options does it know? Asked
before anything is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dyno.errors import ServerError
from dyno.servers import (
    Installation,
    create_data_dir,
    find_home,
    install,
    make_work_dir,
    remove_tree,
    start,
    with_plugins,
)
from dyno.servers.options import known_settings
from dyno.spec.address import Address
from dyno.spec.experiment import Arm

# Nothing has to be recovered: the data folder is empty.
_START_S = 60.0
Note = Callable[[str], None]


def starts(arm: Arm, *, note: Note) -> bool:
    """Start the server of an arm on an empty data folder, and stop it. False if it refuses.

    Raises ServerError if the server can't be installed.
    """
    installation = _installed(arm, note)
    place = make_work_dir(find_home())
    try:
        return _starts(arm, installation, place.path, place.inner)
    finally:
        place.remove()


def known(arm: Arm, *, note: Note) -> frozenset[str]:
    """The names of the options that the server of an arm takes. Raises ServerError."""
    return known_settings(_installed(arm, note))


def _installed(arm: Arm, note: Note) -> Installation:
    assert not isinstance(arm.server, Address)
    installation = install(arm.server.name, progress=note)
    return with_plugins(installation, arm.plugins, progress=note)


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
    server.kill()
    remove_tree(data)
    return True
