"""profile.folded.gz of a trial: its sampled stacks as text, compressed."""

from __future__ import annotations

import gzip
import io
import zlib
from collections import Counter
from pathlib import Path

from dyno.store.files import storing
from dyno.store.reading import damaged, is_there, read_whole
from dyno.store.stacks import Stack, Stacks, folded, parse_folded

NAME = "profile.folded.gz"
_PACKED_MOST_BYTES = 64 * 1024**2
_MOST_BYTES = 512 * 1024**2


def write_stacks(folder: Path, stacks: Stacks) -> None:
    """Store the stacks in a trial's hidden folder; equal stacks make equal files."""
    with storing(folder / NAME):
        (folder / NAME).write_bytes(gzip.compress(folded(stacks).encode(), mtime=0))


def read_stacks(folder: Path) -> Counter[Stack] | None:
    """A trial's stacks; None if it has none. Raises StoreError for a damaged file."""
    path = folder / NAME
    if not is_there(path):
        return None
    packed = read_whole(path, most_bytes=_PACKED_MOST_BYTES)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise ValueError(f"more than {_MOST_BYTES} bytes of text")
        return parse_folded(text.decode())
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise damaged(path, str(error)) from error
