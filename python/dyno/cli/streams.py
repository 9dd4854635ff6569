"""Standard input, output and error, where they are closed, full or broken."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import NoReturn, TextIO

from dyno.errors import StoreError


class _Closed(io.TextIOBase):
    """In place of a stream that was closed before the program began."""

    def write(self, text: str) -> NoReturn:
        """Fail, as a write to it would."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def fileno(self) -> int:
        """There is none."""
        raise io.UnsupportedOperation("fileno")


def prepare() -> None:
    """Fill what is closed of the first three file descriptors: the next file that is opened would
    become standard output.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            while os.open(os.devnull, os.O_RDWR) < descriptor:
                pass
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        # A name that can't be written in the terminal's encoding is no reason to end.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def is_closed(stream: TextIO) -> bool:
    """Whether the stream was closed before the program began."""
    return isinstance(stream, _Closed)


def failure(error: OSError) -> StoreError:
    """What the system refused, such as room on a disk, in one line."""
    where = str(error.filename) if error.filename else "standard output"
    said = error.strerror or str(error)
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return StoreError(
        f"can't write {where}: {said}" if full or not error.filename else f"{where}: {said}",
        hint="free some space" if full else "check its permissions, and what kind of file it is",
    )


def finish() -> None:
    """Flush; what can't be written any more is given up, or Python would complain at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            give_up(stream)


def give_up(stream: TextIO) -> None:
    """Let go of what a stream still holds."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
