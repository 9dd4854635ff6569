"""The base of every part of a stored file: immutable, and tolerant of keys from later versions."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Stored(BaseModel):
    """A part of a stored file."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)
