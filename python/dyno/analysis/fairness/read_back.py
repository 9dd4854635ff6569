"""Settings as read back on the measuring connection: are they what was declared, and what else
differs between arms? Compares texts of SHOW VARIABLES; knows no server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from dyno.spec.experiment import Arm, SettingValue
from dyno.spec.renamed import all_names, is_loose, normal_name, seen_as
from dyno.spec.units import parse_bytes

Variables = Mapping[str, str]

# Variables that say where or when a server runs, not how it behaves.
OF_THE_PLACE = re.compile(
    r"^(socket|port|pid_file|datadir|basedir|tmpdir|(slave|replica)_load_tmpdir|hostname|"
    r"server_uuid|log_error|general_log_file|slow_query_log_file|innodb_version|version.*|"
    r"timestamp|pseudo_thread_id|rand_seed\d|last_insert_id|insert_id|identity|lc_messages_dir|"
    r"character_sets_dir|plugin_dir|external_user|proxy_user|server_id|in_transaction|"
    r"gtid_(?!mode|strict_mode|ignore).*|"
    r"error_count|warning_count|license|protocol_version|wsrep_.*|performance_schema_.*|"
    r".*_path|ssl_.*|have_.*|system_time_zone|log_bin_basename|log_bin_index|report_.*|"
    r"secure_file_priv|init_file|relay_log.*|innodb_ft_.*|userstat|core_file|"
    r"last_gtid|skip_parallel_replication|skip_replication|read_only_compat)$"
)

# What decides durability; unequal values make a comparison of writes unfair.
DURABILITY = (
    "innodb_flush_log_at_trx_commit",
    "innodb_doublewrite",
    "sync_binlog",
    "log_bin",
    "innodb_flush_method",
    "rocksdb_flush_log_at_trx_commit",
    "flush",
    "aria_group_commit",
)

# What most often decides a result; named first among the differences.
WEIGHTY = frozenset(
    (
        *DURABILITY,
        "aria_block_size",
        "aria_pagecache_buffer_size",
        "big_tables",
        "character_set_server",
        "collation_server",
        "default_storage_engine",
        "default_tmp_storage_engine",
        "gtid_mode",
        "gtid_strict_mode",
        "innodb_adaptive_hash_index",
        "innodb_data_file_buffering",
        "innodb_log_file_buffering",
        "innodb_buffer_pool_size",
        "innodb_log_file_size",
        "innodb_redo_log_capacity",
        "innodb_snapshot_isolation",
        "internal_tmp_disk_storage_engine",
        "internal_tmp_mem_storage_engine",
        "join_buffer_size",
        "key_buffer_size",
        "max_heap_table_size",
        "optimizer_switch",
        "performance_schema",
        "query_cache_size",
        "query_cache_type",
        "read_buffer_size",
        "read_rnd_buffer_size",
        "sort_buffer_size",
        "sql_mode",
        "tmp_memory_table_size",
        "tmp_table_size",
        "tx_isolation",
        "transaction_isolation",
    )
)

_WORDS = {"on": "1", "off": "0", "true": "1", "false": "0", "yes": "1", "no": "0"}


@dataclass(frozen=True)
class Mismatch:
    """A declared setting that the measuring session doesn't see."""

    arm: str
    name: str
    declared: str
    session: str | None
    global_: str | None


def normal(value: SettingValue | str) -> str:
    """A value as servers compare it: sizes in bytes, switches as 0 and 1, words in lower case, and
    folders without a slash at their end.
    """
    if isinstance(value, bool):
        return "1" if value else "0"
    text = str(value).strip().lower()
    with suppress(ValueError):
        return str(parse_bytes(text))
    if re.fullmatch(r"-?\d+\.\d+", text):
        return f"{float(text):g}"
    if text.endswith("/"):
        return text.rstrip("/") or "/"
    return _WORDS.get(text, text)


def mismatches(arm: Arm, *, session: Variables, global_: Variables) -> list[Mismatch]:
    """Declared settings that don't hold in the measuring session.

    A server may round a size down to its block size: within 1 % is the same.
    """
    found = []
    for name, value in (arm.settings | arm.session).items():
        key = normal_name(name)
        of_session = seen_as(key, session)
        seen = of_session if of_session is not None else seen_as(key, global_)
        if seen is None and is_loose(name):
            continue
        if seen is None or not _same(_wanted(key, value), normal(seen)):
            found.append(
                Mismatch(
                    arm=arm.name,
                    name=key,
                    declared=str(value),
                    session=of_session,
                    global_=seen_as(key, global_),
                )
            )
    return found


def _wanted(name: str, value: SettingValue) -> str:
    """A declared value as it is read back: a name for the binary log's files turns it on."""
    text = normal(value)
    return "1" if name == "log_bin" and text != "0" else text


def _same(declared: str, seen: str) -> bool:
    if declared == seen:
        return True
    if declared.isdigit() and seen.isdigit():
        return 0.99 * int(declared) <= int(seen) <= int(declared)
    return False


@dataclass(frozen=True)
class Difference:
    """A variable that differs between arms: its value by arm, None where the server lacks it."""

    name: str
    values: Mapping[str, str | None]
    declared: bool

    def __str__(self) -> str:
        """The difference as one line: each value once, with the arms that have it."""
        common = set.intersection(*(_items(v) for v in self.values.values() if v is not None))
        arms_by_value: dict[str, list[str]] = {}
        for arm, value in self.values.items():
            arms_by_value.setdefault(_short(value, common), []).append(arm)
        shown = "; ".join(f"{value} ({', '.join(arms)})" for value, arms in arms_by_value.items())
        return f"{self.name}: {shown}"


def _in_force(name: str, variables: Variables) -> str | None:
    """The value, None where it has no effect: how often a log is synced that isn't written."""
    is_idle = name == "sync_binlog" and normal(variables.get("log_bin", "1")) == "0"
    return None if is_idle else variables.get(name)


def differences(arms: list[Arm], sessions: Mapping[str, Variables]) -> list[Difference]:
    """Variables known to at least two arms that differ, weighty ones first.

    `declared` is true if an arm names the variable in its settings or session, under any name.
    """
    declared = all_names(
        normal_name(name) for arm in arms for name in (*arm.settings, *arm.session)
    )
    names = {name for variables in sessions.values() for name in variables}
    found = []
    for name in sorted(names, key=lambda n: (n not in WEIGHTY, n)):
        if OF_THE_PLACE.match(name):
            continue
        values = {arm: _in_force(name, variables) for arm, variables in sessions.items()}
        known = [normal(value) for value in values.values() if value is not None]
        if len(known) > 1 and len(set(known)) > 1:
            found.append(Difference(name=name, values=values, declared=name in declared))
    return found


def _items(value: str) -> set[str]:
    return set(value.split(","))


def _short(value: str | None, common: set[str]) -> str:
    """A value to read: of a list such as optimizer_switch, only what not all arms share."""
    if value is None:
        return "not known there"
    own = [item for item in value.split(",") if item not in common]
    text = value if "," not in value else ",".join(own) or "nothing more"
    return (text if len(text) <= 120 else text[:117] + "…") or "empty"
