"""A sight as a JSON document, for scripts: `dyno watch --json` prints one per line.

docs/guides/watch.md has its keys, and a test compares the two.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from dyno.watch.eta import Estimate
from dyno.watch.follow import Gone, Sight
from dyno.watch.reading import Job

SCHEMA = 1


def sight_document(sight: Sight, *, at: str, address: str) -> dict[str, Any]:
    """All of a sight; `at` is its time of day. Unknown is null, never 0."""
    reading = sight.reading
    jobs = reading.jobs if reading else ()
    return {
        "schema": SCHEMA,
        "at": at,
        "address": address,
        "server": sight.server,
        "away": sight.away,
        "jobs": [_job(job) | _estimate(sight.estimates[job.id]) for job in jobs],
        "row_log": asdict(sight.fill) if sight.fill else None,
        "defragmented": reading.defragmented if reading else None,
        "waiting": [asdict(waiting) for waiting in reading.waiting] if reading else [],
        "gone": [_gone(gone) for gone in sight.gone],
        "missing": reading.missing if reading else {},
    }


def _job(job: Job) -> dict[str, Any]:
    shown = asdict(job)
    del shown["build"], shown["stages"]
    return shown


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "phase": estimate.phase,
        "rate_per_s": estimate.rate_per_s,
        "rate_unit": estimate.rate_unit,
        "left_s": estimate.left_s,
        "total_s": estimate.total_s,
        "at_most": estimate.at_most,
        "why_unknown": estimate.why,
    }


def _gone(gone: Gone) -> dict[str, Any]:
    return {"how": gone.how, "done_pct": gone.pct, "left_s": gone.left_s, **_job(gone.job)}
