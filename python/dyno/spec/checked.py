"""Which trials' data are checked against the workload's rules. The rules are in `checks`."""

from __future__ import annotations

from dyno.spec.data_check import EVERY_TRIAL, NEVER, CheckData
from dyno.spec.plan import Plan


def check_data_of(plan: Plan) -> CheckData:
    """The plan's setting; never if the workload has no rules."""
    return plan.own_workload.data_rules or NEVER


def shares_data(plan: Plan) -> bool:
    """Whether an arm's trials of a block use one copy of the data, one after the other."""
    return plan.protocol.restart != "trial"


def checks_in_first_block(plan: Plan) -> int:
    """How many trials of the first block are followed by a check."""
    asked = check_data_of(plan)
    each = asked == EVERY_TRIAL or not shares_data(plan)
    return 0 if asked == NEVER else plan.block_trials if each else len(plan.arms)


def is_checked(plan: Plan, arm: str, *, block: int, position: int) -> bool:
    """Whether the data are checked after this trial (block and position from 0).

    In the first block, each copy of the data is checked once, when nothing uses it any more: what
    any of its trials broke is still broken then, and a check can take longer than a trial.
    """
    asked = check_data_of(plan)
    if asked in (EVERY_TRIAL, NEVER):
        return asked == EVERY_TRIAL
    last = not shares_data(plan) or plan.is_arms_last(arm, block=block, position=position)
    return block == 0 and last
