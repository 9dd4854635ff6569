"""What each load host of a trial did, and what it may use before the trial is void."""

from __future__ import annotations

from dyno.spec.summary import PhaseSummary
from dyno.store.part import Stored


class LoadHostRead(Stored):
    """One host of several, or the only one that isn't the server's. `cpus`: how many it may use;
    `is_here`: it is the server's own machine under another address; `measured`: its part of the
    measure phase, None if there was none.
    """

    name: str
    cpus: int | None = None
    is_here: bool = False
    measured: PhaseSummary | None = None
