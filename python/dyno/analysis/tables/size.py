"""The tables of one trial together: their rows and bytes."""

from __future__ import annotations

from collections.abc import Iterable

from dyno.store.trial import TableSize, Trial


def rows_of(trial: Trial) -> int:
    """Rows of all tables; 0 if they weren't counted."""
    return sum(table.rows or 0 for table in trial.sizes)


def by_files(trial: Trial) -> bool:
    """Whether the files show the size: each table has its own files."""
    return all(table.disk_bytes is not None for table in trial.sizes)


def bytes_per_row(trial: Trial) -> float | None:
    """What a row takes on disk, by files or else as the server reports; None if unknown."""
    rows = rows_of(trial)
    if not rows:
        return None
    own = by_files(trial)
    size = known_sum(table.disk_bytes if own else _said(table) for table in trial.sizes)
    return None if size is None else size / rows


def total_bytes(tables: list[TableSize]) -> int | None:
    """What they take on disk, by files or else as the server reports; None if unknown."""
    if not tables:
        return None
    own = all(table.disk_bytes is not None for table in tables)
    return known_sum(table.disk_bytes if own else _said(table) for table in tables)


def known_sum(values: Iterable[int | None]) -> int | None:
    """The sum, or None if one of them is unknown."""
    total = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def _said(table: TableSize) -> int | None:
    return known_sum((table.data_bytes, table.index_bytes))
