"""Server settings: how they are written, which are Dyno's own, and the nearest name to a wrong one.

Knows names and spellings, not what a setting does.
"""

from __future__ import annotations

import difflib
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache

from dyno.errors import ServerError
from dyno.servers.installation import Installation
from dyno.spec.renamed import is_loose, own_names
from dyno.spec.renamed import normal_name as normal

Setting = bool | int | float | str

# A data folder made with one value of these can't be used with another.
INIT_SETTINGS = frozenset(
    {
        "aria_block_size",
        "aria_log_file_size",
        "innodb_checksum_algorithm",
        "innodb_data_file_path",
        "innodb_file_format",
        "innodb_log_file_size",
        "innodb_log_files_in_group",
        "innodb_page_size",
        "innodb_undo_tablespaces",
        "lower_case_table_names",
    }
)
# Dyno decides these itself, so that a server is private and can be found and stopped.
OWN_SETTINGS = frozenset(
    {
        "basedir",
        "bind_address",
        "bootstrap",
        "daemonize",
        "datadir",
        "lc_messages_dir",
        "log_error",
        "pid_file",
        "plugin_dir",
        "port",
        "skip_networking",
        "socket",
        "tmpdir",
        "user",
    }
)


def written(value: Setting) -> str:
    """Give a value as an option file takes it: booleans as 1 and 0, suffixes (64M) as they are."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


def checked(settings: Mapping[str, Setting] | None) -> dict[str, Setting]:
    """Give settings under their normal names; refuse Dyno's own, doubles, and odd characters."""
    result: dict[str, Setting] = {}
    for name, value in (settings or {}).items():
        key = normal(name)
        if not re.fullmatch(r"[a-z]\w*", key) or "\n" in str(value):
            raise ServerError(
                f"{name!r} = {value!r} can't be a server setting",
                hint="write it as the server's manual names it, on one line",
            )
        if key in OWN_SETTINGS:
            hint = "leave it out; ask for TCP with tcp, and for a place with tmpdir"
            raise ServerError(f"the setting {key!r} is Dyno's own to choose", hint=hint)
        if key in result:
            raise ServerError(f"the setting {key!r} is given twice", hint="leave one of them out")
        result[key] = value
    return result


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
    with tempfile.TemporaryDirectory() as data_dir:
        done = subprocess.run(
            [*installation.command(), *_help_options(installation, data_dir)],
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


def _help_options(installation: Installation, data_dir: str) -> list[str]:
    """Old servers look for their messages first, and refuse root. MariaDB 10.1 crashes where a data
    folder without tables should name its plugins.
    """
    plugins = [f"--plugin-load-add={name}" for name in installation.plugins]
    if installation.plugin_dir is not None:
        plugins.insert(0, f"--plugin-dir={installation.plugin_dir}")
    return [
        "--no-defaults",
        f"--basedir={installation.basedir}",
        f"--datadir={data_dir}",
        f"--lc-messages-dir={installation.share}",
        "--user=root",
        "--skip-grant-tables",
        *plugins,
        "--verbose",
        "--help",
    ]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Give the known name that is most like a wrong one, or None."""
    return next(iter(difflib.get_close_matches(normal(name), sorted(known), n=1)), None)
