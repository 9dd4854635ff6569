"""A search within a task: the least value of a global variable at which its SQL succeeds.

Only the keys of a file, and how many attempts they take. Nothing is tried here.
"""

from __future__ import annotations

import math
import re

from pydantic import ConfigDict, Field, model_validator

from dyno.spec.strict import Strict, mistake
from dyno.spec.units import SizeBytes, format_bytes

_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)


class Least(Strict):
    """The SQL of a task is tried at several values of a global variable, within one trial, until
    the least value at which it succeeds is known:
    [how it is searched](../guides/maintenance.md#the-least-value-that-does).
    """

    model_config = ConfigDict(serialize_by_alias=True)

    variable: str = Field(description="What is set, with SET GLOBAL.")
    from_: SizeBytes = Field(alias="from", ge=1, description="The lowest value that is tried.")
    to: SizeBytes = Field(description="The highest value, which is tried first.")
    within: float = Field(
        default=0.25,
        gt=0,
        le=1,
        description="How close is close enough, as a fraction: the value that does is at most this "
        "much above one that doesn't.",
    )

    @model_validator(mode="after")
    def _is_a_search(self) -> Least:
        if not _NAME.fullmatch(self.variable):
            raise mistake(
                f"least: {self.variable!r} is no name of a variable",
                hint="write it as SHOW GLOBAL VARIABLES does",
            )
        if self.from_ >= self.to:
            raise mistake(
                f"least: from is {self.shown(self.from_)}, which isn't below to, "
                f"{self.shown(self.to)}",
                hint='write the lowest value as from, the highest as to: from = "64K", to = "64M"',
            )
        return self

    @property
    def in_bytes(self) -> bool:
        """Whether the values are sizes, by the variable's name."""
        return self.variable.lower().endswith("_size")

    def shown(self, value: int) -> str:
        """A value for people."""
        return format_bytes(value) if self.in_bytes else f"{value:,}"

    @property
    def attempts(self) -> int:
        """How many attempts it takes: both ends, then as often as the span is halved. It may take
        one more if whole numbers can't be halved evenly.
        """
        halves = math.log(self.to / self.from_) / math.log1p(self.within)
        return 2 + max(math.ceil(math.log2(halves)), 0)
