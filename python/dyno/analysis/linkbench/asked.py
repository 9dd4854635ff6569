"""What a run of `linkbench` asks for: op mix, ids of a multiget, sizes of data, by its profile.

The figures are from the original's shipped configuration and the fork of 2017, as the original's
code interprets them. Properties given in the experiment take precedence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dyno.analysis.load.histograms import Counts
from dyno.spec.linkbench import OPS, LinkbenchWorkload
from dyno.stats import Floats
from dyno.stats.distributions import normal_below

# The original's names for the shares of the ops, in the order of OPS, in percent.
MIX = (
    "addlink",
    "deletelink",
    "updatelink",
    "countlink",
    "getlink",
    "getlinklist",
    "addnode",
    "updatenode",
    "deletenode",
    "getnode",
)
FACEBOOK = {
    "addlink": "8.9886601",
    "deletelink": "2.9907664",
    "updatelink": "8.0122125",
    "countlink": "4.8863567",
    "getlink": "0.5261142",
    "getlinklist": "50.7119145",
    "addnode": "2.5732789",
    "updatenode": "7.366437",
    "deletenode": "1.0115914",
    "getnode": "12.9326683",
    "getlinklist_history": "0.3",
    "link_multiget_dist_min": "1",
    "link_multiget_dist_max": "128",
    "link_multiget_dist_prob": "0.382",
    "link_datasize": "8",
    "node_datasize": "128",
}
FORK = FACEBOOK | {
    "addlink": "5.35038",
    "deletelink": "0.98401",
    "updatelink": "4.75589",
    "countlink": "4.27898",
    "getlink": "12.14725",
    "getlinklist": "22.57039",
    "addnode": "2.61198",
    "updatenode": "3.06256",
    "deletenode": "0.25166",
    "getnode": "43.9869",
    "link_datasize": "23",
    "node_datasize": "168",
}
PROFILES = {"fb-as-coded": FACEBOOK, "fb-as-configured": FACEBOOK, "mc-2017": FORK}
# Data is clipped to this many bytes, and log-normal with this deviation of its logarithm.
LINK_BYTES_MOST, NODE_BYTES_MOST = 254, 2**20 - 1
SIGMA = 1.0


@dataclass(frozen=True)
class Moments:
    """Mean and standard deviation of a draw."""

    mean: float
    deviation: float


# Without a distribution a multiget asks for one id.
ONE = Moments(mean=1.0, deviation=0.0)


@dataclass(frozen=True)
class Asked:
    """Shares of all ops by op, the largest allowed share of lists from the history, and draws."""

    mix: dict[str, float]
    history_most: float
    multiget_ids: Moments
    link_bytes: Moments
    node_bytes: Moments


def asked(workload: LinkbenchWorkload) -> Asked | None:
    """None if a property isn't a number: such a run has no figures."""
    given = PROFILES[workload.profile] | workload.properties
    try:
        known = {name: float(given[name]) for name in FACEBOOK}
    except ValueError:
        return None
    return Asked(
        mix={op: known[name] / 100 for op, name in zip(OPS, MIX, strict=True)},
        history_most=known["getlinklist_history"] / 100,
        multiget_ids=ONE
        if not workload.properties.get("link_multiget_dist", "given").strip()
        else multiget_ids(
            round(known["link_multiget_dist_min"]),
            round(known["link_multiget_dist_max"]),
            known["link_multiget_dist_prob"],
        ),
        link_bytes=data_bytes(known["link_datasize"], LINK_BYTES_MOST),
        node_bytes=data_bytes(known["node_datasize"], NODE_BYTES_MOST),
    )


def multiget_ids(least: int, end: int, prob: float) -> Moments:
    """How many ids a multiget has, as the original is coded: one more than a geometric distribution
    from `least` on would give, cut off below `end`.
    """
    steps = np.arange(least + 1, max(end, least + 2))
    # The probability of each number of ids or more.
    reached = np.asarray((1 - prob) ** (steps - least - 1.0), dtype=np.float64)
    return _moments(least, steps, reached)


@lru_cache(maxsize=16)
def data_bytes(median: float, most: int) -> Moments:
    """How long data is: log-normal around a median, rounded, and clipped."""
    steps = np.arange(1, most + 1)
    above = (np.log(steps - 0.5) - np.log(median)) / SIGMA
    return _moments(0, steps, normal_below(-above))


def _moments(least: int, steps: Counts, reached: Floats) -> Moments:
    """For whole numbers from `least` on, given the probability that each step is reached."""
    above = steps - least
    mean = float(np.sum(reached))
    square = float(np.sum((2 * above - 1) * reached))
    return Moments(mean=least + mean, deviation=(square - mean * mean) ** 0.5)
