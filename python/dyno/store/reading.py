"""Reads the files of a run folder, which may be damaged or come from anybody: with bounded size,
checked against their checksums, and with one StoreError for whatever is wrong.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from pydantic import BaseModel, ValidationError

from dyno.errors import StoreError
from dyno.spec.bounded import parse_json, read_bounded
from dyno.spec.explain import explain
from dyno.spec.words import shortened

# Enough for statements with 100,000 executions, and more than a report could be made from.
JSON_MOST_BYTES = 64 * 1024**2
JSON_MOST_VALUES = 3_000_000
FRAME_MOST_BYTES = 256 * 1024**2
FRAME_MOST_CELLS = 32_000_000
SUMS = "SHA256SUMS"
_SUMS_MOST_BYTES = 64 * 1024
_WHOLE = "copy the folder again from where it is whole"

Model = TypeVar("Model", bound=BaseModel)
Columns = dict[str, type[pl.DataType]]


def damaged(path: Path, why: str) -> StoreError:
    """The error for a file that isn't as Dyno writes it."""
    hint = _WHOLE
    if path.parent.parent.name == "trials":
        hint += f", or do without the trial: remove {path.parent}"
    return StoreError(f"{path} is damaged: {shortened(why, 300)}", hint=hint)


def is_there(path: Path) -> bool:
    """Whether the file is there, or should be according to the checksums."""
    return os.path.lexists(path) or path.name in _sums(path.parent / SUMS)


def read_whole(path: Path, *, most_bytes: int) -> bytes:
    """A file, verified against its checksum if there is one. Raises StoreError."""
    try:
        found = read_bounded(path, most_bytes=most_bytes)
    except FileNotFoundError:
        raise StoreError(
            f"{path} is missing", hint="is this a run folder, and is it whole?"
        ) from None
    except OSError as error:
        raise StoreError(f"{path} can't be read: {error.strerror}", hint=_WHOLE) from error
    written = _sums(path.parent / SUMS).get(path.name)
    if written is not None and hashlib.sha256(found).hexdigest() != written:
        raise damaged(path, f"it isn't what was written, by its SHA-256 in {SUMS}")
    return found


def read_json(path: Path, *, schema: int) -> dict[str, Any]:
    """The document of `write_json` without its schema key.

    Raises StoreError if the file is missing, damaged, or of a newer schema than `schema`.
    """
    text = read_whole(path, most_bytes=JSON_MOST_BYTES)
    if sum(text.count(mark) for mark in (b",", b"[", b"{")) > JSON_MOST_VALUES:
        raise damaged(path, f"it has more than {JSON_MOST_VALUES:,} values")
    try:
        document = parse_json(text)
    except ValueError as error:
        raise damaged(path, str(error)) from error
    found = document.pop("schema", None) if isinstance(document, dict) else None
    if not isinstance(found, int):
        raise StoreError(f"{path} has no schema version", hint="it was not written by Dyno")
    if found > schema:
        raise StoreError(
            f"{path} is of schema {found}, this Dyno reads up to {schema}",
            hint="read it with the Dyno version that wrote it, or a newer one",
        )
    return dict(document)


def read_model(path: Path, model: type[Model], *, schema: int) -> Model:
    """The document as a model. Raises StoreError."""
    return checked(path, read_json(path, schema=schema), model)


def checked(path: Path, document: dict[str, Any], model: type[Model]) -> Model:
    """The model of a document from `read_json`. Raises StoreError."""
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise damaged(path, explain(error, model)[0]) from error


def read_frame(path: Path, columns: Columns, *, optional: Collection[str] = ()) -> pl.DataFrame:
    """A Parquet file. Raises StoreError, also if one of `columns` is missing or has gaps (unless
    `optional`), has another type or holds negative numbers, or if any other column isn't finite
    numbers.
    """
    content = io.BytesIO(read_whole(path, most_bytes=FRAME_MOST_BYTES))
    try:
        with _silent():
            lazy = pl.scan_parquet(content)
            width = len(lazy.collect_schema())
            rows = lazy.select(pl.len()).collect().item()
            if rows * width > FRAME_MOST_CELLS:
                raise damaged(path, f"it has {rows:,} rows of {width} columns")
            frame = pl.read_parquet(content)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise damaged(path, str(error).partition("\n")[0]) from error
    missing = [name for name in columns if name not in frame.columns and name not in optional]
    if missing:
        raise damaged(path, f"it has no column {missing[0]}")
    for column in frame:
        why = _wrong(column, columns.get(column.name, pl.Float64))
        if column.name in columns and why is None:
            why = _wrong_count(column, may_have_gaps=column.name in optional)
        if why:
            raise damaged(path, f"the column {column.name} {why}")
    return frame


def _wrong(column: pl.Series, kind: type[pl.DataType]) -> str | None:
    """What is wrong with a column; None for one that is right."""
    if column.dtype.is_numeric() and kind().is_numeric():
        # Not by polars, which plans a query for each column.
        infinite = column.dtype.is_float() and np.isinf(column.to_numpy()).any()
        return "is infinite" if infinite else None
    return None if column.dtype in (kind, pl.Null) else f"holds {column.dtype}, not {kind()}"


def _wrong_count(column: pl.Series, *, may_have_gaps: bool) -> str | None:
    if column.has_nulls() and not may_have_gaps:
        return "has gaps"
    return "is below 0" if column.dtype.is_numeric() and (column < 0).any() else None


def write_sums(folder: Path) -> None:
    """Write the checksums of the folder's files, as `sha256sum -c` reads them. Raises OSError."""
    lines = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def _sums(path: Path) -> dict[str, str]:
    """Checksums by file name; older folders have none."""
    try:
        text = read_bounded(path, most_bytes=_SUMS_MOST_BYTES).decode()
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise damaged(path, str(error)) from error
    found = (line.partition("  ") for line in text.splitlines())
    return {name: digest for digest, _, name in found}


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Keep the library's stack trace for a damaged file off our standard error."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
