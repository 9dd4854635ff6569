"""Jobs and readings as tests of the watching need them."""

from __future__ import annotations

from typing import Any

from dyno.watch import Job, Reading


def make_job(**keys: Any) -> Job:
    plain: dict[str, Any] = {
        "id": 7,
        "user": "root",
        "kind": "alter",
        "table": "shop.orders",
        "sql": "ALTER TABLE orders ADD INDEX (k)",
        "state": "altering table",
        "elapsed_s": 10.0,
        "pct": 25.0,
        "stage": "altering table",
        "source": "onlineddl",
    }
    return Job(**plain | keys)


def make_reading(*jobs: Job, **keys: Any) -> Reading:
    plain: dict[str, Any] = {"rowlog_pct": None, "rowlog_rows": None, "waiting": (), "missing": {}}
    return Reading(jobs=jobs, **plain | keys)
