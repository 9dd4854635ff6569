"""Which settings affect a data folder, and which don't."""

from __future__ import annotations

from dyno.spec.experiment import Arm, Settings
from dyno.spec.renamed import normal_name

# Settings that don't affect a data folder: caches, limits, threads, and when pages and logs go to
# disk. Arms that differ only in these share a snapshot. A setting that isn't listed is assumed to
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
        "transaction_read_only",
        "tx_isolation",
        "tx_read_only",
        "wait_timeout",
    )
)


def data_settings(arm: Arm) -> Settings:
    """The arm's settings that its data may depend on."""
    return {k: v for k, v in arm.settings.items() if normal_name(k) not in SETTINGS_OUTSIDE_DATA}
