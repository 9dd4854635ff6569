"""What a dataset depends on: which settings leave a mark in a data folder, and which don't."""

from __future__ import annotations

from dyno.spec.experiment import Arm, Settings

# Settings that leave no mark in a data folder: caches and limits in memory. Arms that differ only
# in these share a snapshot. A setting that isn't listed is taken to change the data.
SETTINGS_OUTSIDE_DATA = frozenset(
    (
        "aria_pagecache_buffer_size",
        "big_tables",
        "innodb_buffer_pool_instances",
        "innodb_buffer_pool_size",
        "join_buffer_size",
        "key_buffer_size",
        "max_connections",
        "max_heap_table_size",
        "myisam_sort_buffer_size",
        "performance_schema",
        "query_cache_size",
        "query_cache_type",
        "read_buffer_size",
        "read_rnd_buffer_size",
        "sort_buffer_size",
        "table_open_cache",
        "thread_cache_size",
        "tmp_table_size",
    )
)


def data_settings(arm: Arm) -> Settings:
    """The arm's settings that its data may depend on."""
    return {k: v for k, v in arm.settings.items() if k not in SETTINGS_OUTSIDE_DATA}
