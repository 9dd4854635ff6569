"""One measurement of an arm's throughput in a series, as stored: prices/NNNN.json."""

from __future__ import annotations

from dyno.store.part import Stored

PRICED_SCHEMA = 1


class Priced(Stored):
    """What an arm did in a block (from 0): `ops` in `window_s`, at `ops_per_s`; `failed` of them
    failed.
    """

    number: int
    block: int
    arm: str
    ops: int
    failed: int
    window_s: float
    ops_per_s: float
