"""The durability test (clause 3.5.3 of TPC-C): a server is killed under load, and what it had
acknowledged must be there when it is back, orders of `tpcc` or nodes of `linkbench`.

It measures no speed, and makes no run folder.
"""

from __future__ import annotations

from dyno.runner.durability.account import FLUSH, READ_BACK, Durability, Kill
from dyno.runner.durability.run import DurabilityPlan, check_durability

__all__ = [
    "FLUSH",
    "READ_BACK",
    "Durability",
    "DurabilityPlan",
    "Kill",
    "check_durability",
]
