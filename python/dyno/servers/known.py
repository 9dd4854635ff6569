"""Which settings a server knows, asked of its binary, and a caller's settings by its names."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from dyno.errors import ServerError
from dyno.servers.config import help_file
from dyno.servers.installation import Installation
from dyno.servers.options import INIT_SETTINGS, Setting, checked
from dyno.spec.renamed import is_loose, own_names
from dyno.spec.renamed import normal_name as normal


def for_server(
    settings: Mapping[str, Setting] | None, installation: Installation
) -> dict[str, Setting]:
    """Give checked settings by the names that this server has for them, without loose ones that it
    doesn't know. Raises SpecError where two of them are the same one there, and ServerError where
    it doesn't say what it knows.
    """
    given = checked(settings)
    loose = {normal(name) for name in settings or {} if is_loose(name)}
    if loose:
        known = known_settings(installation)
        if not known:
            raise ServerError(
                f"{installation.name} doesn't show which settings it knows",
                hint=f"write {min(loose)} without loose_, or leave it out for this server",
            )
        given = {name: v for name, v in given.items() if name not in loose or name in known}
    return own_names(given, product=installation.product, version=installation.version_tuple)


def init_settings(
    settings: Mapping[str, Setting] | None, installation: Installation
) -> dict[str, Setting]:
    """Give those settings that a data folder is initialised with, sorted by the server's name."""
    own = for_server(settings, installation)
    return {name: own[name] for name in sorted(own) if name in INIT_SETTINGS}


@cache
def known_settings(installation: Installation) -> frozenset[str]:
    """Ask the binary for the names of all its options, those of its plugins, too; none if it
    doesn't say.
    """
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "my.cnf")
        file.write_text(help_file(installation, folder=file.parent), encoding="utf-8")
        done = subprocess.run(
            [*installation.command(), f"--defaults-file={file}", "--verbose", "--help"],
            env=installation.environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=60,
        )
    if done.returncode != 0:
        # What it had written until then isn't all.
        return frozenset()
    table = done.stdout.rpartition("\n---")[2]
    lines = table.splitlines()[1:]
    return frozenset(normal(line.split()[0]) for line in lines if line[:1].isalpha())
