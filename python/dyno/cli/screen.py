"""The two consoles, and how errors and JSON are printed. NO_COLOR is honoured by rich."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from dyno.errors import DynoError

out = Console(highlight=False, soft_wrap=False)
err = Console(stderr=True, highlight=False)


def print_error(error: DynoError) -> None:
    """One line that says what failed, a blank line, and the hint."""
    err.print(f"[bold red]error:[/] {escape(error.message)}", soft_wrap=True)
    if error.hint:
        err.print(f"\n[bold cyan]hint:[/] {escape(error.hint)}", soft_wrap=True)


def print_json(document: Any) -> None:
    """A document for scripts, alone on stdout."""
    sys.stdout.write(json.dumps(document, indent=1, ensure_ascii=False, default=str) + "\n")
    sys.stdout.flush()


class Teller:
    """Says on stderr what is going on: on a terminal in a line that changes, elsewhere in a line
    each.
    """

    def __init__(self, status: Status | None) -> None:
        self._status = status

    def __call__(self, text: str) -> None:
        """Say what is going on now."""
        if self._status is not None:
            self._status.update(escape(text))
        else:
            err.print(escape(text), soft_wrap=True)

    def show(self, line: str, *, console: Console = out) -> None:
        """Print a line that stays; it may not run into the one that changes."""
        if self._status is not None:
            self._status.stop()
        console.print(escape(line), soft_wrap=True)
        if self._status is not None:
            self._status.start()


@contextlib.contextmanager
def telling(first: str) -> Iterator[Teller]:
    """What says what is going on; on a terminal it begins with `first`."""
    if err.is_terminal:
        with err.status(escape(first)) as status:
            yield Teller(status)
    else:
        yield Teller(None)
