"""Turns the error log of a server that didn't start into one line, with the setting at fault.

Reads the log's text only; what is harmless in a log of a running server is log.py's matter.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from dyno.errors import ServerError
from dyno.servers.installation import Installation
from dyno.servers.known import known_settings
from dyno.servers.log import read_log
from dyno.servers.options import Setting, nearest, written
from dyno.spec.renamed import INSTEAD
from dyno.spec.renamed import normal_name as normal
from dyno.spec.units import format_bytes

_UNKNOWN = re.compile(
    r"unknown (?:variable|option) '-{0,2}([\w-]+)|"
    r"ambiguous option '-{0,2}([\w-]+)|"
    r"option '-{0,2}([\w-]+)' can't take|"
    r"option without preceding group.*?'([\w-]+)'"
)
_BAD_VALUE = (
    re.compile(r"Error while setting value '(?P<value>[^']*)' to '(?P<name>[\w-]+)'"),
    re.compile(
        r"Unknown suffix .* used for variable '(?P<name>[\w-]+)' \(value '(?P<value>.*?)'\)"
    ),
    re.compile(r"Unknown value:? '?(?P<value>[^']*?)'? (?:for|to) '?(?P<name>[\w-]+)"),
)
_NO_PLUGIN = re.compile(
    r"Can't open shared library '\S*?(?P<file>\w+)\.so' \((?P<why>.*)\)|"
    r"Plugin '(?P<name>\w+)' (?P<failed>init function returned error|registration .* failed)"
)
# 28 is ENOSPC, which servers word in a dozen ways.
_NO_SPACE = re.compile(
    r"No space left on device|[Ee]rr(?:or|no|code)(?: number)?:? ?28\b|disk (?:is )?full\b|"
    r"Disk quota exceeded",
    re.IGNORECASE,
)
# With less, even a log line may be lost.
_ROOM_BYTES = 1024 * 1024
_COMPLAINT = re.compile(
    r"\[ERROR\]|InnoDB: (?:Error|Unrecognized|syntax error)|^dyno: |error while loading"
)
# What follows from an earlier line, and tells nothing of its own.
_CONSEQUENCE = re.compile(
    r"init function returned error|registration as a STORAGE ENGINE|Aborting$|"
    r"Unknown/unsupported storage engine: InnoDB|aborted with error Generic error"
)


def start_error(
    installation: Installation,
    error_log: Path,
    settings: Mapping[str, Setting],
    *,
    data_dir: Path,
    what: str = "start",
    since: int = 0,
) -> ServerError:
    """Make the error for a server that ended before it answered; its log begins at `since`."""
    text = read_log(error_log, since=since)
    return (
        _disk_full(installation, text, (error_log.parent, data_dir), what)
        or _no_plugin(installation, text)
        or _unknown_setting(installation, text)
        or _bad_value(installation, text)
        or _other(installation, text, settings, what)
    )


def _disk_full(
    installation: Installation, text: str, folders: Sequence[Path], what: str
) -> ServerError | None:
    """A server on a full disk blames what it was about to write, or can't even write its log."""
    free_bytes = {folder: shutil.disk_usage(folder).free for folder in folders if folder.is_dir()}
    fullest = min(free_bytes, key=lambda folder: free_bytes[folder], default=folders[-1])
    said = _NO_SPACE.search(text) is not None
    if not said and free_bytes.get(fullest, _ROOM_BYTES) >= _ROOM_BYTES:
        return None
    left = f": {format_bytes(free_bytes[fullest])} are left" if fullest in free_bytes else ""
    return ServerError(
        f"{installation.name} didn't {what}, since the disk of {fullest} is full{left}",
        hint="free some space there; an empty data folder takes up to 300 MB",
    )


def refuse_without_plugins(installation: Installation, error_log: Path, *, since: int) -> None:
    """Raise ServerError for a server that started although it couldn't load a plugin: its tables
    would silently be another engine's, or missing.
    """
    error = _no_plugin(installation, read_log(error_log, since=since))
    if error is not None:
        raise error


def _no_plugin(installation: Installation, text: str) -> ServerError | None:
    """For one of those that it was to load. Settings of such a plugin are unknown, too."""
    for found in _NO_PLUGIN.finditer(text):
        named = found["file"] or f"ha_{found['name'].lower()}"
        if named in installation.plugins:
            return ServerError(
                f"{installation.name} can't load the plugin {named}: "
                f"{found['why'] or found['failed']}",
                hint="look at the plugin's settings and at what the server's log says before this",
            )
    return None


def _unknown_setting(installation: Installation, text: str) -> ServerError | None:
    found = _UNKNOWN.search(text)
    if found is None:
        return None
    name = normal(next(group for group in found.groups() if group))
    known = known_settings(installation)
    if name in known:
        return None  # Some servers word a bad value of a known setting like this.
    near = nearest(name, known)
    meant = f"did you mean {near!r}?" if near else "leave it out for this server"
    hint = INSTEAD.get(name, meant)
    return ServerError(f"{installation.name} doesn't know the setting {name!r}", hint=hint)


def _bad_value(installation: Installation, text: str) -> ServerError | None:
    found = next((hit for pattern in _BAD_VALUE if (hit := pattern.search(text))), None)
    if found is None:
        return None
    name = normal(found["name"])
    return ServerError(
        f"{installation.name} doesn't take {found['value']!r} for the setting {name!r}",
        hint=f"look up which values {installation.product} {installation.version} takes for {name}",
    )


def _other(
    installation: Installation, text: str, settings: Mapping[str, Setting], what: str
) -> ServerError:
    """Show the log's error lines; the setting at fault is one that the log complains of, if any."""
    lines = text.strip().splitlines()
    complaints = [line for line in lines if _COMPLAINT.search(line)]
    at_fault = [name for name in settings if _names(complaints, name, settings[name])]
    if not at_fault and len(settings) == 1:
        at_fault = list(settings)
    shown = [line for line in complaints if not _CONSEQUENCE.search(line)] or complaints
    said = "\n  ".join((shown or lines[-3:] or ["nothing"])[:5])
    message = f"{installation.name} didn't {what}; its error log says:\n  {said}"
    if at_fault:
        given = ", ".join(f"{name} = {written(settings[name])}" for name in at_fault)
        return ServerError(message, hint=f"the setting at fault seems to be {given}")
    return ServerError(message, hint="look at the settings given, the disk space and the log")


def _names(lines: Sequence[str], name: str, value: Setting) -> bool:
    """Tell whether lines name a setting, or quote its value (one that isn't a common word)."""
    words = [name.replace("_", "[-_]")]
    if len(written(value)) > 2:
        words.append(re.escape(written(value)))
    pattern = re.compile(rf"(?<!\w)({'|'.join(words)})(?!\w)", re.IGNORECASE)
    return any(pattern.search(line) for line in lines)


def silent_error(installation: Installation, error_log: Path, timeout_s: float) -> ServerError:
    """Make the error for a server that runs but didn't answer in time."""
    last = "\n  ".join(read_log(error_log).strip().splitlines()[-3:]) or "nothing"
    return ServerError(
        f"{installation.name} didn't answer within {timeout_s:g} s; "
        f"its error log ends with:\n  {last}",
        hint="a large data folder may need crash recovery: give it more time",
    )
