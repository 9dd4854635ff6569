"""What `dyno hosts check` sees of a load host."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class HostLook:
    """One load host. `problem`: why it can't be used, None if it can; its clock is ahead of this
    host's by `ahead_ms`, wrong by at most `bound_ms` either way.
    """

    name: str
    address: str
    problem: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    ahead_ms: float | None = None
    bound_ms: float | None = None
