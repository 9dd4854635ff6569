"""How each arm's tables are kept and written: sizes by table, pages and fill by index, bytes an op.

Uses trials whose server says how it keeps them; total sizes of tables are in `sizes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from dyno.analysis.costs.of_trial import status_per_op
from dyno.analysis.costs.per_op import status_known
from dyno.analysis.load.trial import MEASURE, measured
from dyno.analysis.samples import Samples
from dyno.analysis.tables.model import (
    IndexRead,
    LoadingRead,
    StorageRead,
    TableRead,
    WritesRead,
)
from dyno.analysis.values import median_of_known
from dyno.spec.plan import Plan
from dyno.spec.product import series
from dyno.store.storage import Storage
from dyno.store.trial import PhaseCost, Trial

KB = 1000
LOG, PAGES = "Innodb_os_log_written", "Innodb_data_written"
# Figures that are a status counter per op, and their divisor.
STATUS = {
    "innodb_read_kb": ("Innodb_data_read", KB),
    "log_written_kb": (LOG, KB),
    "doublewrite_pages": ("Innodb_dblwr_pages_written", 1),
    "fsyncs": ("Innodb_data_fsyncs", 1),
    "pages_packed": ("Innodb_num_pages_page_compressed", 1),
    "saved_kb": ("Innodb_page_compression_saved", KB),
}
# Newer servers count rows only by handler, with separate counters for temporary tables.
CHANGED = (
    ("Innodb_rows_inserted", "Innodb_rows_updated", "Innodb_rows_deleted"),
    ("Handler_write", "Handler_update", "Handler_delete"),
)
# From here on MariaDB leaves its log out of Innodb_data_written.
LOG_APART = (10, 5)
KEYS = (
    "disk_written_kb",
    "disk_read_kb",
    "innodb_written_kb",
    *STATUS,
    "rows_changed",
    "written_per_row_bytes",
    "write_amplification",
)


def storage(plan: Plan, samples: Samples) -> list[StorageRead]:
    """By arm; none if no trial recorded how its tables are kept, or how long they took to load."""
    stored = {t.arm: t.storage for t in samples.ok if t.storage is not None}
    loaded = any(trial.loading for trial in samples.ok)
    if not stored and not loaded:
        return []
    base = stored.get(plan.baseline.name)
    row_bytes = _row_bytes(base) if base is not None else None
    return [_read(plan, samples, arm.name, stored.get(arm.name), row_bytes) for arm in plan.arms]


def _read(
    plan: Plan, samples: Samples, arm: str, found: Storage | None, base_row_bytes: float | None
) -> StorageRead:
    trials = [trial for trial in samples.ok if trial.arm == arm]
    kept = found or Storage()
    return StorageRead(
        arm=arm,
        analyzed=kept.analyzed,
        row_bytes=_row_bytes(kept),
        tables=list(_tables(trials)),
        indexes=list(_indexes(kept)),
        writes=list(_writes(plan, samples, arm, base_row_bytes)),
        packing=_packing(kept),
        counters=kept.counters,
        loading=_loading(trials),
        unavailable=kept.unavailable
        if found is not None
        else {"pages": "no trial of the first block recorded them"},
    )


def _row_bytes(kept: Storage) -> float | None:
    """For all tables together; None if one of them lacks it."""
    pages_bytes, rows = 0, 0
    for table in kept.tables:
        if table.clustered_pages is None or table.rows_estimated is None:
            return None
        pages_bytes += table.clustered_pages * table.page_bytes
        rows += table.rows_estimated
    return pages_bytes / rows if rows else None


def _tables(trials: list[Trial]) -> Iterator[TableRead]:
    keys = ("rows", "data_bytes", "index_bytes", "file_bytes", "disk_bytes")
    sizes = [size for trial in trials for size in trial.sizes]
    for name in dict.fromkeys(size.table for size in sizes):
        own = [size for size in sizes if size.table == name]
        medians = {key: median_of_known(getattr(size, key) for size in own) for key in keys}
        yield TableRead(table=name, engine=own[0].engine, **medians)


def _indexes(kept: Storage) -> Iterator[IndexRead]:
    for index in kept.indexes:
        fill = None
        if index.pool_pages and index.pool_data_bytes is not None and kept.memory_page_bytes:
            fill = index.pool_data_bytes / (index.pool_pages * kept.memory_page_bytes)
        yield IndexRead(
            table=index.table,
            index=index.index,
            pages=index.pages,
            leaf_pages=index.leaf_pages,
            pool_pages=index.pool_pages,
            fill=fill,
        )


def _packing(kept: Storage) -> dict[str, int]:
    """Row compression's sums, with the ops that failed: those pages were split and packed again."""
    found = dict(kept.packing)
    if {"compress_ops", "compress_ops_ok"} <= found.keys():
        found["compress_ops_failed"] = found["compress_ops"] - found["compress_ops_ok"]
    return found


def _loading(trials: list[Trial]) -> LoadingRead | None:
    loads = [trial.loading for trial in trials if trial.loading is not None]
    if not loads:
        return None
    seconds = [load.load_s for load in loads]
    return LoadingRead(
        n=len(loads),
        median_s=median(seconds),
        min_s=min(seconds),
        max_s=max(seconds),
        stop_s=median(load.stop_s for load in loads),
        written_bytes=median_of_known(load.written_bytes for load in loads),
    )


def _writes(
    plan: Plan, samples: Samples, arm: str, base_row_bytes: float | None
) -> Iterator[WritesRead]:
    if not plan.is_load:
        return
    known = status_known(plan, samples).get(plan.arm(arm).server, set())
    for point in range(len(plan.points)):
        found = [
            figures
            for load in samples.at(arm, point)
            if (figures := _figures(load.trial, known, base_row_bytes))
        ]
        if found:
            yield WritesRead(
                point=point,
                trials=len(found),
                figures={key: median_of_known(figures[key] for figures in found) for key in KEYS},
            )


def _figures(
    trial: Trial, known: set[str], base_row_bytes: float | None
) -> dict[str, float | None]:
    """The figures of one trial, per ok op; {} if it had none."""
    phase = measured(trial)
    if phase is None or not phase.ok:
        return {}
    cost = trial.phases.get(MEASURE, PhaseCost())
    status = status_per_op(trial, known)
    found: dict[str, float | None] = {
        "disk_written_kb": _over(cost.write_bytes, phase.ok * KB),
        "disk_read_kb": _over(cost.read_bytes, phase.ok * KB),
    }
    for key, (name, unit) in STATUS.items():
        found[key] = _over(status.get(name), unit)
    written = written_bytes(trial, status)
    found["innodb_written_kb"] = _over(written, KB)
    changed = ([status[name] for name in names if name in status] for names in CHANGED)
    found["rows_changed"] = next((sum(counts) for counts in changed if counts), None)
    per_row = _over(written, found["rows_changed"])
    found["written_per_row_bytes"] = per_row
    found["write_amplification"] = _over(per_row, base_row_bytes)
    return found


def written_bytes(trial: Trial, status: dict[str, float]) -> float | None:
    """By InnoDB's own count, log and pages. If the log moved, status was read: then a counter of
    pages that never moved is 0.
    """
    if LOG not in status or trial.server is None:
        return None
    apart = trial.server.product == "mariadb" and series(trial.server.version) >= LOG_APART
    return status.get(PAGES, 0.0) + (status[LOG] if apart else 0.0)


def _over(value: float | None, divisor: float | None) -> float | None:
    return None if value is None or not divisor else value / divisor
