"""Reads files that users name: only regular ones, and only up to a size limit. A pipe would block,
and a device has no end. Documents are also limited in depth and in the size of numbers.
"""

from __future__ import annotations

import errno
import json
import math
import os
import stat
import tomllib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from dyno.spec.units import format_bytes

DEPTH_MAX = 40
# All that a column, a counter or a TOML file can hold; keeps floats finite.
INTEGER_MIN, INTEGER_MAX = -(2**63), 2**64 - 1
DOTS_MAX = 1000
_NESTED = f"it is nested more than {DEPTH_MAX} deep"
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_regular(path: Path) -> BufferedReader:
    """A regular file to read. Raises OSError, whose `strerror` says what else it is."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            kind = next((words for is_it, words in _KINDS if is_it(mode)), "something else")
            raise OSError(errno.EINVAL, f"it is {kind}, not a file")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_bounded(path: Path, *, most_bytes: int) -> bytes:
    """All of a regular file. Raises OSError if it isn't one, or is longer than `most_bytes`."""
    with open_regular(path) as file:
        found = file.read(most_bytes + 1)
    if len(found) > most_bytes:
        raise OSError(errno.EFBIG, f"it is longer than {format_bytes(most_bytes)}")
    return found


def parse_json(text: bytes) -> Any:
    """A JSON document. Raises ValueError for anything that isn't one, or is out of bounds."""
    return _within_bounds(json.loads, text)


def parse_toml(text: str) -> dict[str, Any]:
    """A TOML document. Raises ValueError for anything that isn't one, or is out of bounds."""
    # tomllib takes quadratic time for keys of many parts.
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > DOTS_MAX:
            raise ValueError(f"line {number} has more than {DOTS_MAX} dots")
    found: dict[str, Any] = _within_bounds(tomllib.loads, text)
    return found


def _within_bounds(parse: Any, text: bytes | str) -> Any:
    try:
        document = parse(text)
    except RecursionError:
        raise ValueError(_NESTED) from None
    except ValueError as error:
        if "integer string conversion" in str(error):
            raise ValueError("it holds a number of thousands of digits") from None
        raise
    for keys, value in values_in(document):
        if len(keys) > DEPTH_MAX:
            raise ValueError(_NESTED)
        whole = isinstance(value, int) and not INTEGER_MIN <= value <= INTEGER_MAX
        if whole or (isinstance(value, float) and not math.isfinite(value)):
            said = "an integer of more than 64 bits" if whole else f"{value}, which is not a number"
            raise ValueError(f"{path_of(keys)} is {said}")
    return document


Keys = tuple[str | int, ...]


def values_in(document: Any) -> Iterator[tuple[Keys, Any]]:
    """Everything in a document of dicts and lists with the keys that lead there, itself included.
    Without recursion, and only just beyond DEPTH_MAX.
    """
    left: list[tuple[Keys, Any]] = [((), document)]
    while left:
        keys, value = left.pop()
        yield keys, value
        if len(keys) > DEPTH_MAX:
            continue
        if isinstance(value, dict):
            left += [((*keys, key), each) for key, each in reversed(value.items())]
        elif isinstance(value, list):
            left += [((*keys, place), each) for place, each in reversed(list(enumerate(value)))]


def path_of(keys: Keys) -> str:
    """("arm", 1, "server") -> "arm[2].server": counted from one, as people do."""
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key + 1}]"
        else:
            text += f".{key}" if text else key
    return text or "the file"
