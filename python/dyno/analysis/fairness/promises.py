"""What values of the settings that decide durability promise, in words. From the servers' manuals,
and from the bundled experiments durability-innodb and durability-doublewrite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dyno.analysis.fairness.read_back import Difference, normal

_FLUSH = {
    "0": "up to a second of commits is lost when the server crashes, without a power cut",
    "1": "each commit is on the disk before it is acknowledged",
    "2": "up to a second of commits is lost at a power cut, none at a crash of the server alone",
}
_PROMISES: Mapping[str, Mapping[str, str]] = {
    "innodb_flush_log_at_trx_commit": _FLUSH,
    "rocksdb_flush_log_at_trx_commit": _FLUSH
    | {"2": "up to a second of commits is lost when the server crashes, without a power cut"},
    "innodb_doublewrite": {
        "0": "a page that a power cut leaves half written can't be restored",
        "detect_only": "a page that a power cut leaves half written is found, and not restored",
    },
    "innodb_flush_method": {
        "o_direct_no_fsync": "on a disk with a volatile cache a power cut may break data files",
    },
    "sync_binlog": {
        "0": "a power cut may lose the end of the binary log: replicas differ, and a server that "
        "recovers by its binary log loses those commits",
    },
}


def meanings(differences: list[Difference]) -> Iterator[str]:
    """For each difference what its values promise, as far as that is known."""
    for difference in differences:
        arms_by_value: dict[str, list[str]] = {}
        for arm, value in difference.values.items():
            if value is not None:
                arms_by_value.setdefault(normal(value), []).append(arm)
        for value, arms in arms_by_value.items():
            promise = _PROMISES.get(difference.name, {}).get(value)
            if promise:
                yield f"{', '.join(arms)} ({difference.name} = {value}): {promise}"
