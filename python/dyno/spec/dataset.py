"""What a dataset depends on: which settings leave a mark in a data folder, and which don't; and
which parts of a workload make its rows.
"""

from __future__ import annotations

from typing import Any

from dyno.spec.experiment import AnyWorkload, Arm, Settings
from dyno.spec.load_plan import (
    LoadAccessLog,
    LoadLinkbench,
    LoadSlap,
    LoadTpcc,
    LoadWorkload,
    load_workload,
)

# The keys of an oltp workload that its tables and rows depend on.
OLTP_DATA = frozenset(
    (
        "tables",
        "table_size",
        "auto_inc",
        "secondary",
        "create_secondary",
        "engine",
        "create_options",
        "loaders",
        "distribution",
    )
)

# The same of a tpcc workload.
TPCC_DATA = frozenset(
    ("warehouses", "foreign_keys", "history_key", "engine", "create_options", "loaders")
)

# Settings that leave no mark in a data folder: caches, limits, threads, and when pages and logs go
# to disk. Arms that differ only in these share a snapshot. A setting that isn't listed is taken to
# change the data.
SETTINGS_OUTSIDE_DATA = frozenset(
    (
        "aria_pagecache_buffer_size",
        "back_log",
        "big_tables",
        "innodb_adaptive_flushing",
        "innodb_adaptive_hash_index",
        "innodb_adaptive_hash_index_parts",
        "innodb_buffer_pool_instances",
        "innodb_buffer_pool_size",
        "innodb_defragment",
        "innodb_defragment_fill_factor",
        "innodb_defragment_fill_factor_n_recs",
        "innodb_defragment_frequency",
        "innodb_defragment_n_pages",
        "innodb_flush_log_at_trx_commit",
        "innodb_flush_method",
        "innodb_flush_neighbors",
        "innodb_flushing_avg_loops",
        "innodb_io_capacity",
        "innodb_io_capacity_max",
        "innodb_lock_wait_timeout",
        "innodb_log_buffer_size",
        "innodb_lru_scan_depth",
        "innodb_max_dirty_pages_pct",
        "innodb_max_dirty_pages_pct_lwm",
        "innodb_online_alter_log_max_size",
        "innodb_page_cleaners",
        "innodb_purge_threads",
        "innodb_read_ahead_threshold",
        "innodb_read_io_threads",
        "innodb_sort_buffer_size",
        "innodb_spin_wait_delay",
        "innodb_stats_on_metadata",
        "innodb_sync_spin_loops",
        "innodb_thread_concurrency",
        "innodb_use_native_aio",
        "innodb_write_io_threads",
        "join_buffer_size",
        "key_buffer_size",
        "max_allowed_packet",
        "max_connections",
        "max_heap_table_size",
        "max_prepared_stmt_count",
        "metadata_locks_hash_instances",
        "myisam_sort_buffer_size",
        "performance_schema",
        "query_cache_size",
        "query_cache_type",
        "read_buffer_size",
        "read_rnd_buffer_size",
        "skip_name_resolve",
        "sort_buffer_size",
        "sync_binlog",
        "table_definition_cache",
        "table_open_cache",
        "table_open_cache_instances",
        "thread_cache_size",
        "thread_handling",
        "thread_pool_max_threads",
        "thread_pool_size",
        "thread_pool_stall_limit",
        "thread_stack",
        "tmp_table_size",
        "transaction_isolation",
        "wait_timeout",
    )
)


def data_settings(arm: Arm) -> Settings:
    """The arm's settings that its data may depend on."""
    return {k: v for k, v in arm.settings.items() if k not in SETTINGS_OUTSIDE_DATA}


def data_parts(
    workload: AnyWorkload, engine: str | None, create_options: str | None = None
) -> dict[str, Any]:
    """What of a workload its tables and rows depend on, with an arm's engine and options of CREATE
    TABLE, ready for JSON; seed and settings aside.
    """
    load = load_workload(workload, engine, create_options)
    if isinstance(load, LoadWorkload):
        return {"tables": [table.model_dump(mode="json") for table in load.tables]}
    if isinstance(load, LoadAccessLog):
        # The log by what is in it, wherever it lies.
        found = load.model_dump(mode="json", exclude={"rows_per_insert", "log"})
        return found | {"log_sha256": getattr(workload, "log_sha256", None)}
    if isinstance(load, LoadSlap):
        return load.model_dump(mode="json", exclude={"load_type", "unique_queries"})
    if isinstance(load, LoadTpcc):
        return load.model_dump(mode="json", include={*TPCC_DATA, "kind"})
    if isinstance(load, LoadLinkbench):
        # All keys shape the rows or their order, but for the file's place. Of the properties it is
        # not known here.
        found = load.model_dump(mode="json", exclude={"distribution"})
        return found | {"distribution_sha256": getattr(workload, "distribution_sha256", None)}
    keys = load.model_dump(mode="json", include={*OLTP_DATA, "kind"}, exclude_none=True)
    # bulk_insert has tables of its own shape; oltp_insert begins with none of the rows where it
    # draws ids itself.
    return keys | ({"script": load.script} if load.begins_empty else {})
