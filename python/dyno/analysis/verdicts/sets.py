"""What each set of a pool of hosts says: blocks lie wholly on one set, so it has ratios of its own,
which should agree with those of the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.values import over_blocks
from dyno.analysis.verdicts.model import Compared, SetRatio
from dyno.spec.units import plural
from dyno.stats.groups import same_mean_p
from dyno.store.hosts import HostsUsed
from dyno.store.trial import Trial

NAME = "sets of hosts"
# The chance of a false warning where the sets agree.
LEVEL = 0.01


def set_of_blocks(used: HostsUsed | None, trials: Sequence[Trial]) -> dict[int, str]:
    """The set on which each block lay; none without a pool."""
    if used is None or len(used.chosen) < 2:
        return {}
    of_host = {name: each.name for each in used.chosen for name in each.load}
    return {
        trial.block: of_host[host.name]
        for trial in trials
        for host in trial.load_hosts
        if host.name in of_host
    }


def by_set(compared: Sequence[Compared], sets: Mapping[int, str]) -> Iterator[SetRatio]:
    """The ratios of the primary comparisons, a set each."""
    for place, each in enumerate(compared):
        for name in sorted(set(sets.values())) if each.primary else ():
            values = _values(each, sets, name)
            ratio = over_blocks(values)
            if ratio is not None:
                yield SetRatio(compared=place, set=name, n=len(values), ratio=ratio)


def check(compared: Sequence[Compared], sets: Mapping[int, str]) -> Iterator[Fairness]:
    """Whether they agree; none without a pool."""
    names = sorted(set(sets.values()))
    if len(names) < 2:
        return
    primary = [each for each in compared if each.primary]
    found = {
        each.sentence: same_mean_p(
            [[math.log(value) for value in _values(each, sets, name)] for name in names]
        )
        for each in primary
    }
    known = {said: p for said, p in found.items() if p is not None}
    apart = [said for said, p in known.items() if p < LEVEL / len(known)]
    if apart:
        says = "The sets of hosts don't agree: a ratio depends on the machines."
        yield Fairness(name=NAME, check="warning", says=says, details=apart)
    elif known:
        count = plural(len(known), "main comparison")
        says = f"The {len(names)} sets of hosts agree in {count}."
        yield Fairness(name=NAME, check="ok", says=says)
    else:
        says = "Each set of hosts has too few blocks to say whether they agree."
        yield Fairness(name=NAME, check="unknown", says=says)


def _values(compared: Compared, sets: Mapping[int, str], name: str) -> list[float]:
    return [each.value for each in compared.blocks if sets.get(each.block) == name]
