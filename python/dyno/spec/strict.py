"""What all parts of an experiment have in common: how strictly they are read, and settings."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

SettingValue = bool | int | float | str
Settings = dict[str, SettingValue]


class Strict(BaseModel):
    """A part of the experiment: immutable, no unknown keys, no silent conversions of text."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def mistake(message: str, *, hint: str) -> PydanticCustomError:
    """What a validator raises where it can say what to do next: `read.explain` keeps the hint."""
    return PydanticCustomError("mistake", "{message}", {"message": message, "hint": hint})
