"""Writes files so that they are whole or absent."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from dyno.errors import StoreError


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turns an OSError while writing at `path` into a StoreError with a hint."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreError(
                f"disk full while writing {path}",
                hint="free some space; a run goes on with --resume: finished trials are kept",
            ) from error
        raise StoreError(
            f"can't write {path}: {error.strerror or error}",
            hint="check the folder's owner and rights, or choose another with --out",
        ) from error


def write_atomic(path: Path, content: bytes) -> None:
    """Write, fsync and rename, so that a reader sees the old file or the whole new one."""
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write. It gets its name once it is whole and durable, and is removed otherwise.
    Raises StoreError if it can't be written.
    """
    partial = path.with_name(f".{path.name}.partial")
    with storing(path):
        try:
            with partial.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            partial.rename(path)
            sync_folder(path.parent)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable; for a trial's folder, its files too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, document: dict[str, Any], *, schema: int) -> None:
    """A JSON file with its schema version first, keys in the given order."""
    write_atomic(path, json_text(document, schema=schema).encode())


def json_text(document: dict[str, Any], *, schema: int) -> str:
    """What such a file holds."""
    text = json.dumps({"schema": schema, **document}, indent=1, ensure_ascii=False, default=str)
    return text + "\n"
