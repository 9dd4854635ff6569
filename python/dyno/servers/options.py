"""Server settings: how they are written, which are Dyno's own, and the nearest name to a wrong one.

Knows names and spellings, not what a setting does.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

from dyno.errors import ServerError
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


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Give the known name that is most like a wrong one, or None."""
    return next(iter(difflib.get_close_matches(normal(name), sorted(known), n=1)), None)
