"""What every part of a stored file is: it never changes, and keys of later versions don't hurt."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Stored(BaseModel):
    """A part of a stored file."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)
