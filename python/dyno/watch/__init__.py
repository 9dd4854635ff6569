"""Watch: what a running server reports about the maintenance that other sessions do on it.

Reads over one connection, changes nothing, and needs no right except PROCESS. Knows nothing of run
folders and statistics.
"""

from __future__ import annotations

from dyno.watch.document import sight_document
from dyno.watch.eta import Estimate, EtaModel, share_done
from dyno.watch.follow import Follower, Gone, Link, Sight
from dyno.watch.reading import Job, Reader, Reading, Waiting
from dyno.watch.rowlog import Fill

__all__ = [
    "Estimate",
    "EtaModel",
    "Fill",
    "Follower",
    "Gone",
    "Job",
    "Link",
    "Reader",
    "Reading",
    "Sight",
    "Waiting",
    "share_done",
    "sight_document",
]
