"""Watch: what a running server tells of the maintenance that other sessions do on it.

Reads over one connection, changes nothing, and needs no right but PROCESS. Knows nothing of run
folders and statistics.
"""

from __future__ import annotations

from dyno.watch.reading import Job, Reader, Reading, Waiting

__all__ = ["Job", "Reader", "Reading", "Waiting"]
