"""What `dyno hosts check` sees of a load host."""

from __future__ import annotations

from typing import Any

from dyno.store.load_host import NetworkRead
from dyno.store.part import Stored


class HostLook(Stored):
    """One load host. `problem`: why it can't be used, None if it can. Its wall clock is ahead of
    this host's by `ahead_ms`, wrong by at most `bound_ms` either way. `network`: the way from it to
    this host; `most_per_s`: point selects that its load generator makes where no server limits it;
    `agent_cpu_share_pct`: CPU time of its agent at rest, per cent of one core.
    """

    name: str
    address: str
    problem: str | None = None
    facts: dict[str, Any] = {}
    ahead_ms: float | None = None
    bound_ms: float | None = None
    network: NetworkRead | None = None
    most_per_s: float | None = None
    agent_cpu_share_pct: float | None = None
