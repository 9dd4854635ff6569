"""What a profiled trial gives: its stacks, the server's exact CPU time, the ops it was for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dyno.spec.protocol import PROFILED_BLOCKS_LEAST
from dyno.store.stacks import Stacks


@dataclass(frozen=True, kw_only=True)
class ProfiledTrial:
    """The profile of one trial's measure phase.

    `cpu_s` is the server process' CPU time in the phase, user and system, from the kernel's
    accounts and not from samples; `ops` the ops that succeeded in it.
    """

    block: int
    stacks: Stacks
    cpu_s: float
    ops: int

    @property
    def cpu_us_per_op(self) -> float:
        """The exact CPU time of an op in microseconds."""
        return self.cpu_s * 1e6 / self.ops

    @property
    def samples(self) -> int:
        """All samples of the trial."""
        return sum(self.stacks.values())


def paired(
    arm: Sequence[ProfiledTrial], baseline: Sequence[ProfiledTrial]
) -> list[tuple[ProfiledTrial, ProfiledTrial]]:
    """The trials of the blocks that both arms have, in the order of the blocks.

    Raises ValueError for two trials of one arm in a block, for a trial without samples, CPU time or
    ops, and for fewer than 3 blocks.
    """
    ours, theirs = _by_block(arm), _by_block(baseline)
    shared = sorted(ours.keys() & theirs.keys())
    if len(shared) < PROFILED_BLOCKS_LEAST:
        raise ValueError(
            f"profiles are compared over {PROFILED_BLOCKS_LEAST} blocks or more, and {len(shared)} "
            "have a profile of both arms"
        )
    return [(ours[block], theirs[block]) for block in shared]


def _by_block(trials: Sequence[ProfiledTrial]) -> Mapping[int, ProfiledTrial]:
    found: dict[int, ProfiledTrial] = {}
    for trial in trials:
        if trial.block in found:
            raise ValueError(f"block {trial.block} has two profiles of one arm")
        if trial.ops < 1 or not (math.isfinite(trial.cpu_s) and trial.cpu_s > 0):
            raise ValueError(
                f"block {trial.block}: a profile needs ops and CPU time, got {trial.ops} ops and "
                f"{trial.cpu_s} s"
            )
        if trial.samples < 1:
            raise ValueError(f"block {trial.block}: the profile has no samples")
        found[trial.block] = trial
    return found
