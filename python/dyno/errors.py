"""The errors that a user can cause, with their exit codes. Not for broken invariants: those assert.

Every package may import this file; it imports none of ours. A message says what failed and the
value seen; the hint says what to do next. Only the command line prints them.
"""

from __future__ import annotations

from typing import ClassVar


class DynoError(Exception):
    """Something failed that the user can fix: one line, one hint, one exit code."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SpecError(DynoError):
    """The experiment, the plan or the command line is wrong (exit code 2)."""

    exit_code = 2


class ServerError(DynoError):
    """A server can't be fetched, started, configured or reached (exit code 3)."""

    exit_code = 3

    @property
    def words(self) -> str:
        """What went wrong, without where, for texts that name the location themselves."""
        return self.message


class LoadError(DynoError):
    """The load generator is missing, refused its plan or ended early (exit code 4)."""

    exit_code = 4


class HostLostError(LoadError):
    """Another host or its agent can't be reached, set up or started, or doesn't answer any more:
    what it did is void (exit code 4).
    """


class StoreError(DynoError):
    """A run folder can't be read or written: disk full, newer schema, damage (exit code 5)."""

    exit_code = 5


class RunFailedError(DynoError):
    """The run ended without a usable comparison (exit code 6)."""

    exit_code = 6


class BrokenDataError(DynoError):
    """Data break a rule of their workload, or a server fails an isolation test or has lost what it
    acknowledged (exit code 7).
    """

    exit_code = 7


class PowerError(DynoError):
    """A disk whose power can be pulled can't be made, or isn't ours (exit code 8)."""

    exit_code = 8


class InterruptedRunError(DynoError):
    """Ctrl-C or SIGTERM: what was finished is on disk (exit code 130)."""

    exit_code = 130


def words_of(error: ServerError | OSError) -> str:
    """What went wrong, on one line, for texts that name the location themselves."""
    if isinstance(error, ServerError):
        return error.words
    return error.strerror or str(error)
