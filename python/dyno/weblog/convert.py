"""Log files -> a file of rows for the workload `accesslog`; other lines are kept separately.

The rows are as LOAD DATA reads them: tabs between values, \\N for NULL, ids from 1. Both files are
written beside their names and renamed when they are whole.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from dyno.errors import SpecError
from dyno.spec.bounded import open_regular
from dyno.store.files import replacing, storing
from dyno.weblog.line import LINE_BYTES_MOST, MalformedLineError, row_of

GZIP = b"\x1f\x8b"
STDIN = Path("-")


@dataclass
class Converted:
    """How many rows there are, and how many other lines of each kind; `first` has one of each.

    `cut`: how many values were too long for their column.
    """

    rows: int = 0
    cut: int = 0
    malformed: dict[str, int] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)


def convert(logs: Sequence[Path], out: Path, *, rejected: Path) -> Converted:
    """Convert the logs in order.

    Raises SpecError for a log that can't be read, StoreError for an output that can't be written,
    and SpecError if no line was a log line; then nothing is written.
    """
    done = Converted()
    with ExitStack() as stack:
        rows = stack.enter_context(replacing(out))
        aside = stack.enter_context(replacing(rejected))
        for path in logs:
            for number, line in _lines(path):
                if not line.strip():
                    continue
                try:
                    row = row_of(line)
                except MalformedLineError as error:
                    reason = str(error)
                    done.malformed[reason] = done.malformed.get(reason, 0) + 1
                    done.first.setdefault(reason, f"{path}:{number}")
                    with storing(rejected):
                        aside.write(line if line.endswith(b"\n") else line + b"\n")
                    continue
                done.rows += 1
                done.cut += row.cut
                text = "\t".join([str(done.rows), *row.values]) + "\n"
                with storing(out):
                    rows.write(text.encode("ascii"))
        if not done.rows:
            where = next(iter(done.first.values()), ", ".join(map(str, logs)))
            raise SpecError(
                f"no line of a log in {', '.join(map(str, logs))}; the first that is none: {where}",
                hint="Common or Combined Log Format is read, as Apache and nginx write it",
            )
    return done


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers from 1; a line that is too long is cut."""
    try:
        with _open(path) as file:
            number = 0
            while line := file.readline(LINE_BYTES_MOST + 2):
                number += 1
                yield number, line
                while len(line) > LINE_BYTES_MOST and not line.endswith(b"\n"):
                    line = file.readline(LINE_BYTES_MOST + 2)
    except (OSError, EOFError) as error:
        raise SpecError(f"{path} can't be read: {error}", hint="is it whole?") from None


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    """A file as it is or unpacked, depending on its first bytes."""
    if path == STDIN:
        yield sys.stdin.buffer
        return
    with open_regular(path) as file:
        packed = file.read(2) == GZIP
        file.seek(0)
        if not packed:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield unpacked  # type: ignore[misc]  # It reads as a BinaryIO does.
