"""host.json: where a run took place, and the bogus difference that host showed (A/A)."""

from __future__ import annotations

import math

from pydantic import ConfigDict, Field

from dyno.store.part import Stored


class Floor(Stored):
    """The ratio that an A/A run measured, with its interval and n. `kind` of workload and
    `placement` are those of that run, None if an older run didn't record them.
    """

    run: str
    ratio: float = Field(gt=0)
    low: float = Field(gt=0)
    high: float = Field(gt=0)
    n: int = Field(ge=0)
    kind: str | None = None
    placement: str | None = None

    @property
    def bias(self) -> float:
        """The size of the bogus difference, as a log ratio."""
        return abs(math.log(self.ratio))


class Host(Stored):
    """The facts that Dyno uses; the others are only shown."""

    model_config = ConfigDict(extra="allow")

    cores_logical: int | None = Field(None, ge=1)
    warnings: list[str] | None = None
    floor: Floor | None = None
