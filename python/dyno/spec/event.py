"""What every event of the load generator and every part of one have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Event(BaseModel):
    """An event or a part of one. Unknown keys are kept out: both sides change together."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
