"""What findings tell of how fair the comparison was."""

from __future__ import annotations

from typing import Literal

from dyno.analysis.part import FindingsPart

Check = Literal["ok", "warning", "failed", "unknown"]


class Fairness(FindingsPart):
    """One check, in words, with what it rests on; `details` are lines for whoever doubts it."""

    name: str
    check: Check
    says: str
    details: list[str] = []
