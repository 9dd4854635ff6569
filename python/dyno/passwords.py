"""Keeps passwords out of process lists, environments of children, and texts that are shown.

Everybody on a host may read the arguments of every process, so the command line loads this first:
it imports nothing that takes time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

HIDDEN = "…"
# Where dynoload finds the number of a file descriptor with its arguments.
ARGUMENTS_FD = "DYNO_ARGUMENTS_FD"
# An option followed by a password: of sysbench, of mysqlslap, of LinkBench's -D.
_OPTION = re.compile(r"--mysql[-_]password=|--pass\w*=|(?:--?D=?)?password=|-p(?=.)")
# The same as a separate word.
_ALONE = re.compile(r"--mysql[-_]password|--pass\w*")
# What comes before the password of somebody who writes it into an address, right or wrong.
_ADDRESS = re.compile(r"(?:--?\w[\w-]*=)?+(?:\w+:/{1,3})?+[^:@]*:(?=.*@)")
# The same in the middle of a text.
_IN_TEXT = re.compile(r"(\b[\w.%-]+:(?:/{1,3}[^\s:@'\"/]*:)?)(?!/)[^\s@'\"]+@")
_ARG_START = 45

_kept: dict[str, str] = {}


def places(words: Sequence[str]) -> list[tuple[int, int] | None]:
    """For each word of a command line, begin and end of a password in it; None: there is none."""
    return [_place(words, at) for at in range(len(words))]


def _place(words: Sequence[str], at: int) -> tuple[int, int] | None:
    word = words[at]
    before = words[at - 1] if at else ""
    # LinkBench takes a key and its value as two words, too.
    is_property = before == "password" and at > 1 and words[at - 2] in ("-D", "--D")
    if is_property or (_ALONE.fullmatch(before) and not word.startswith("-")):
        return 0, len(word)
    if found := _OPTION.match(word):
        return found.end(), len(word)
    if found := _ADDRESS.match(word):
        return found.end(), word.rindex("@")
    return None


def without_passwords(words: Sequence[str]) -> list[str]:
    """A command line as it may be shown and stored."""
    return [
        word if place is None else word[: place[0]] + HIDDEN + word[place[1] :]
        for word, place in zip(words, places(words), strict=True)
    ]


def without_addresses(text: str) -> str:
    """A text in which no address has a password: the last line of defence for passwords typed where
    nobody expects one.
    """
    return _IN_TEXT.sub(rf"\1{HIDDEN}@", text)


def hide_own() -> None:
    """Overwrite the passwords in this process's own arguments, as MySQL's programs do.

    If the system doesn't allow it they stay: that is no reason not to run.
    """
    try:
        _hide_own()
    except (OSError, ValueError, IndexError):
        return


def _hide_own() -> None:
    with open("/proc/self/cmdline", "rb") as file:  # noqa: PTH123
        raw = file.read()
    words = [os.fsdecode(word) for word in raw.split(b"\0")]
    found = places(words)
    if not any(found):
        return
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        start = int(file.read().rpartition(")")[2].split()[_ARG_START])
    memory = os.open("/proc/self/mem", os.O_WRONLY | os.O_CLOEXEC)
    try:
        for word, place in zip(words, found, strict=True):
            if place is not None:
                begin = len(os.fsencode(word[: place[0]]))
                secret = len(os.fsencode(word[place[0] : place[1]]))
                os.pwrite(memory, b"x" * secret, start + begin)
            start += len(os.fsencode(word)) + 1
    finally:
        os.close(memory)


def keep_from_children(name: str) -> None:
    """Remove an environment variable that holds a password from what children inherit."""
    value = os.environ.pop(name, None)
    if value is not None:
        _kept[name] = value


def from_environment(name: str) -> str | None:
    """The value of such a variable, kept from children or not; None if it isn't set."""
    return _kept.get(name, os.environ.get(name))


@contextmanager
def command_handed_down(argv: Sequence[str]) -> Iterator[tuple[list[str], dict[str, str], int]]:
    """A dynoload command line for a child: what everybody may see of it, the environment that goes
    with it, and a file descriptor to pass on, from which it reads the whole command line.
    """
    words = b"".join(os.fsencode(word) + b"\0" for word in argv)
    with handed_down(words) as reading:
        yield without_passwords(argv), {**os.environ, ARGUMENTS_FD: str(reading)}, reading


@contextmanager
def handed_down(secret: bytes) -> Iterator[int]:
    """A file descriptor, in memory and not on a disk, from whose start a child reads `secret`; pass
    it on by `pass_fds`.
    """
    descriptor = os.memfd_create("handed-down")
    try:
        left = memoryview(secret)
        while left:
            left = left[os.write(descriptor, left) :]
        yield descriptor
    finally:
        os.close(descriptor)
