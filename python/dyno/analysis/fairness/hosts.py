"""Whether the hosts that made the load are alike, and were at their best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dyno.analysis.fairness.model import Fairness
from dyno.spec.units import plural

NAME = "load hosts"
# What decides how much load a host can make.
_ALIKE = {"cpu_model": "CPU", "cores_logical": "CPUs", "kernel": "kernel"}


def checks(host: Mapping[str, Any]) -> Iterator[Fairness]:
    """One check, by host.json; none where the server's own host made the load."""
    found: Mapping[str, Mapping[str, Any]] = host.get("load_hosts") or {}
    if not found:
        return
    unlike = [
        f"{what}: " + "; ".join(f"{facts.get(key)} ({name})" for name, facts in found.items())
        for key, what in _ALIKE.items()
        if len({facts.get(key) for facts in found.values()}) > 1
    ]
    warned = [
        f"{name}: {line}" for name, facts in found.items() for line in facts.get("warnings") or []
    ]
    count = plural(len(found), "host")
    if unlike:
        says = f"The {count} that made the load differ. They were the same for all arms."
        yield Fairness(name=NAME, check="warning", says=says, details=unlike + warned)
    elif warned:
        says = f"Of the {count} that made the load, not all were at their best."
        yield Fairness(name=NAME, check="warning", says=says, details=warned)
    else:
        says = f"{count} made the load, all alike, and the same for all arms."
        yield Fairness(name=NAME, check="ok", says=says)
