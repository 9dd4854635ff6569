"""The result of checking a schema's data, as stored and printed. Nothing is checked here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from dyno.spec.units import plural

EVERY_TRIAL: Final = "every_trial"
FIRST_BLOCK: Final = "first_block"
NEVER: Final = "never"
CheckData = Literal["every_trial", "first_block", "never"]


class DataCheck(BaseModel):
    """One rule of a workload's data, and whether the rows follow it.

    `bad_rows` and `example` say what broke it, `reason` why that was to be expected, if it was; if
    the check couldn't be made, `reason` says why. Unknown is not ok, so `bad_rows` is None there
    and never 0.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    says: str
    state: Literal["ok", "broken", "not checked"]
    bad_rows: int | None = None
    example: str | None = None
    reason: str | None = None
    duration_s: float = 0.0

    @property
    def line(self) -> str:
        """In words: "condition 3: 2 bad rows, such as w_id 1, d_id 4: …"."""
        if self.state == "ok":
            return f"{self.name}: ok"
        if self.state == "not checked":
            return f"{self.name}: not checked, {self.reason or 'for no known reason'}"
        such = f", such as {self.example}" if self.example else ""
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.name}: {plural(self.bad_rows or 0, 'bad row')}{such}{why}"


def broken(checks: Iterable[DataCheck]) -> list[DataCheck]:
    """Those whose rule some row breaks."""
    return [check for check in checks if check.state == "broken"]


def unknown(checks: Iterable[DataCheck]) -> list[DataCheck]:
    """Those that couldn't be made."""
    return [check for check in checks if check.state == "not checked"]
