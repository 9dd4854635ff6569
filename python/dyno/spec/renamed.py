"""Settings that products or versions name differently and mean the same: one name in an experiment
does for all arms.

Names are in lower case with underscores. What has the same name and another meaning isn't here, nor
what has no counterpart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dyno.errors import SpecError
from dyno.spec.units import parse_bytes

Value = bool | int | float | str
Version = tuple[int, ...]

# The option that all versions take, and what older ones call the variable.
VARIABLES = {
    "transaction_isolation": "tx_isolation",
    "transaction_read_only": "tx_read_only",
}
OPTIONS = {variable: option for option, variable in VARIABLES.items()}

# The size of the whole redo log: a setting of its own on MySQL from 8.0.30 on, elsewhere the size
# of a file, of which MariaDB has one from 10.5 on.
CAPACITY, FILE_SIZE, FILES = (
    "innodb_redo_log_capacity",
    "innodb_log_file_size",
    "innodb_log_files_in_group",
)
FILES_DEFAULT = 2
CAPACITY_SINCE: Version = (8, 0, 30)
ONE_FILE_SINCE: Version = (10, 5)

# Before the name of a switch they turn it off.
OFF = ("skip_", "disable_")
INVERTED = {"0": "1", "1": "0", "off": "1", "on": "0"}

# For a setting that a server doesn't know: what to declare in its place.
INSTEAD = {
    FILE_SIZE: f"declare {CAPACITY} for all arms: the size of the whole redo log, which each "
    "server then gets under its own name",
}
INSTEAD[FILES] = INSTEAD[FILE_SIZE]


# Before a name it asks servers to ignore the setting if they don't know it.
LOOSE = "loose_"


def normal_name(name: str) -> str:
    """The one spelling of a setting's name: lower case, underscores, no prefix of `loose_`."""
    return name.strip().lower().replace("-", "_").removeprefix(LOOSE)


def is_loose(name: str) -> bool:
    """Whether a server that doesn't know the setting may do without it."""
    return name.strip().lower().replace("-", "_").startswith(LOOSE)


def own_names(settings: Mapping[str, Value], *, product: str, version: Version) -> dict[str, Value]:
    """The settings by the names that this server's option file has for them.

    Raises SpecError where two of them are the same one there, or a size is none.
    """
    found: dict[str, Value] = {}
    for name, value in settings.items():
        own, meant = OPTIONS.get(name, name), value
        if name == CAPACITY and not _has_capacity(product, version):
            own, meant = FILE_SIZE, _file_bytes(value, settings, product, version)
        if own in found or (own != name and own in settings):
            raise SpecError(
                f"{name!r} and {own!r} are the same setting on {product} "
                f"{'.'.join(map(str, version))}",
                hint="give one of them",
            )
        found[own] = meant
    return found


def seen_as(name: str, variables: Mapping[str, str]) -> str | None:
    """The value that a server shows for a setting, under whichever name; None if it has none."""
    shown = variables.get(name)
    if shown is not None:
        return shown
    if name == CAPACITY and FILE_SIZE in variables:
        return str(int(variables[FILE_SIZE]) * int(variables.get(FILES, 1)))
    if (switch := _switch(name)) is not None:
        return INVERTED.get(variables.get(switch, "").lower())
    other = VARIABLES.get(name) or OPTIONS.get(name)
    return variables.get(other) if other else None


def _switch(name: str) -> str | None:
    """The switch that a setting such as skip_log_bin turns off."""
    return next((name.removeprefix(word) for word in OFF if name.startswith(word)), None)


def all_names(names: Iterable[str]) -> set[str]:
    """These names, and those that other servers have for the same."""
    found = set(names)
    if CAPACITY in found:
        found |= {FILE_SIZE, FILES}
    found |= {switch for name in found if (switch := _switch(name)) is not None}
    pairs = VARIABLES.items()
    return found.union(*({*pair} for pair in pairs if found & {*pair}))


def _has_capacity(product: str, version: Version) -> bool:
    return product == "mysql" and version >= CAPACITY_SINCE


def _file_bytes(value: Value, settings: Mapping[str, Value], product: str, version: Version) -> int:
    try:
        capacity_bytes = parse_bytes(value)
        files = parse_bytes(settings.get(FILES, FILES_DEFAULT))
    except ValueError as error:
        raise SpecError(f"{CAPACITY}: {error}", hint="write a size such as 1G") from None
    if product == "mariadb" and version >= ONE_FILE_SINCE:
        return capacity_bytes
    return capacity_bytes // max(1, files)
