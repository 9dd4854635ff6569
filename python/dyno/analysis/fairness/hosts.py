"""Whether the hosts that made the load are alike, and were at their best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dyno.analysis.fairness.model import Fairness
from dyno.spec.units import plural
from dyno.store.load_parts import load_parts
from dyno.store.trial import Trial

NAME = "load hosts"
# What decides how much load a host can make.
_ALIKE = {"cpu_model": "CPU", "cores_logical": "CPUs", "kernel": "kernel"}
# Of all CPUs of a load host. The kernel's work for its network is less.
_OTHERS_MAX_PCT = 25.0


def checks(host: Mapping[str, Any], trials: Sequence[Trial] = ()) -> Iterator[Fairness]:
    """One check, by host.json and the trials; none where the server's own host made the load."""
    found: Mapping[str, Mapping[str, Any]] = host.get("load_hosts") or {}
    if not found:
        return
    unlike = [*_unlike(found), *_unlike(host.get("server_hosts") or {})]
    warned = [
        f"{name}: {line}" for name, facts in found.items() for line in facts.get("warnings") or []
    ]
    warned += _others(trials)
    count = plural(len(found), "host")
    if unlike:
        says = "The load hosts or server hosts differ from each other. All arms used the same ones."
        yield Fairness(name=NAME, check="warning", says=says, details=unlike + warned)
    elif warned:
        says = f"Of the {count} that made the load, not all were at their best."
        yield Fairness(name=NAME, check="warning", says=says, details=warned)
    else:
        says = f"{count} made the load, all alike, and the same for all arms."
        yield Fairness(name=NAME, check="ok", says=says)


def _unlike(found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What differs between hosts, by their facts."""
    for key, what in _ALIKE.items():
        if len({facts.get(key) for facts in found.values()}) > 1:
            each = (f"{facts.get(key)} ({name})" for name, facts in found.items())
            yield f"{what}: " + "; ".join(each)


def _others(trials: Sequence[Trial]) -> Iterator[str]:
    """The trials in which something besides the load generator kept a load host busy."""
    for trial in trials:
        shares = {part.host: part.cpu_share_pct for part in load_parts(trial, host_cpus=None)}
        for host in trial.load_hosts:
            own_pct = shares.get(host.name)
            # A host that is the servers' own is busy with them.
            if host.is_here or host.cpu_busy_pct is None or own_pct is None:
                continue
            if (others_pct := host.cpu_busy_pct - own_pct) > _OTHERS_MAX_PCT:
                yield (
                    f"{host.name}, trial {trial.number}: others took {others_pct:.0f} % of its "
                    f"CPU time, the load generator {own_pct:.0f} %"
                )
