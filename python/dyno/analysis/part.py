"""What every part of the findings is: immutable, and without keys that nobody knows."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of the findings."""

    model_config = ConfigDict(extra="forbid", frozen=True)
