"""The two consoles, and how errors and JSON are printed. NO_COLOR is honoured by rich.

Whatever is printed here may come from a file or a server: a terminal gets no command of theirs.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.status import Status
from rich.table import Table

from dyno.errors import DynoError
from dyno.passwords import without_addresses
from dyno.spec.printable import printable, printable_lines


class PlainConsole(Console):
    """A console that shows a mark in place of each control character that isn't its own, and leaves
    text such as `:x:` as it is, which rich would turn into a picture.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, emoji=False, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """As rich does it."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(printable_lines(text), style)

    def on_broken_pipe(self) -> NoReturn:
        """The reader went away: the caller's business."""
        raise BrokenPipeError


out = PlainConsole(soft_wrap=False)
err = PlainConsole(stderr=True)


def print_error(error: DynoError) -> None:
    """One line that says what failed, a blank line, and the hint."""
    message = without_addresses(printable(error.message))
    err.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)
    if error.hint:
        hint = without_addresses(printable_lines(error.hint))
        err.print(f"\n[bold cyan]hint:[/] {escape(hint)}", soft_wrap=True)


def print_json(document: Any, *, indent: int | None = 1) -> None:
    """A document for scripts, alone on stdout; without `indent` in one line."""
    text = json.dumps(document, indent=indent, ensure_ascii=False, default=str)
    print_text(_C1.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def print_text(text: str) -> None:
    """A text on stdout, as it is but for control characters."""
    sys.stdout.write(printable_lines(text) + "\n")
    sys.stdout.flush()


# Controls that JSON leaves as they are.
_C1 = re.compile("[\\x7f-\\x9f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]")


def plain_table(*headings: str) -> Table:
    """A table without lines, of columns that are all alike."""
    return Table(*headings, box=None, pad_edge=False, header_style="bold")


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
    """A `Teller` for the length of a block; on a terminal it starts with the text `first`."""
    if err.is_terminal:
        with err.status(escape(first)) as status:
            yield Teller(status)
    else:
        yield Teller(None)
