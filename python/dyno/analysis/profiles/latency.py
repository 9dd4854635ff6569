"""Where the time of an op goes: on a CPU, waiting for one, blocked, waiting for the client.

In a closed load, threads x seconds = ops x (all of these). CPU time and the time in the run queue
are exact, from the kernel's accounts of each thread (`schedstat`). What is left is split by samples
of the threads' states, or by the server's own wait instruments where both arms have them on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dyno.analysis.profiles.model import LatencyPart, LatencySplit
from dyno.spec.protocol import PROFILED_BLOCKS_LEAST
from dyno.stats import (
    Floats,
    Sampled,
    benjamini_hochberg,
    counting_noise,
    differences,
    floored_t,
    student_mean,
)
from dyno.stats.floored import LEVEL_MISSED

CPU = "CPU"
RUN_QUEUE = "waiting for a CPU"
BLOCKED = "blocked"
CLIENT = "waiting for the client"
# Accounts and clocks aren't read at the same instant.
SLACK = 0.01


@dataclass(frozen=True, kw_only=True)
class LatencyTrial:
    """What the server's threads of one trial did in its measure phase of `seconds`.

    `threads` is the number that served connections, `cpu_s` their CPU time and `run_queue_s` their
    time in the run queue, both summed. `states`: how many samples found a thread off the CPU and
    not in the run queue, by what it waited for ("row locks"; `CLIENT` for the next statement).
    """

    block: int
    ops: int
    threads: int
    seconds: float
    cpu_s: float
    run_queue_s: float
    states: Mapping[str, int]

    @property
    def us_per_op(self) -> float:
        """Thread time per op, in microseconds: in a closed load, the time from op to op."""
        return self.threads * self.seconds * 1e6 / self.ops

    @property
    def _left_s(self) -> float:
        return self.threads * self.seconds - self.cpu_s - self.run_queue_s

    @property
    def is_possible(self) -> bool:
        """Whether the exact parts are at most 1 % more than all time there was."""
        return self._left_s >= -SLACK * self.threads * self.seconds

    @property
    def left_us(self) -> float:
        """What is neither CPU time nor in the run queue, in microseconds per op.

        Raises ValueError for a trial that isn't possible.
        """
        if not self.is_possible:
            raise ValueError(
                f"block {self.block}: {self.threads} threads in {self.seconds:g} s can't have "
                f"{self.cpu_s:g} s of CPU and {self.run_queue_s:g} s in the run queue"
            )
        return max(0.0, self._left_s) * 1e6 / self.ops


def compare_latency(
    arm: Sequence[LatencyTrial],
    baseline: Sequence[LatencyTrial],
    *,
    names: tuple[str, str],
    point: int = 0,
) -> LatencySplit:
    """How much longer an op of the arm takes, split by what it did; the parts sum to the total.

    Where one trial has no samples of states, those of its arm's other trials stand for them. If an
    arm has none, all that is left is one part, `BLOCKED`, in both arms.
    Raises ValueError for fewer than 3 blocks with both arms, two trials of an arm in a block, a
    trial without ops, threads or time, or like `LatencyTrial.left_us`.
    """
    ours, theirs = _by_block(arm), _by_block(baseline)
    blocks = sorted(ours.keys() & theirs.keys())
    if len(blocks) < PROFILED_BLOCKS_LEAST:
        raise ValueError(f"it takes {PROFILED_BLOCKS_LEAST} blocks of both arms, not {len(blocks)}")
    sides = [[trials[block] for block in blocks] for trials in (ours, theirs)]
    split = all(any(any(trial.states.values()) for trial in side) for side in sides)
    seen = {state for side in sides for trial in side for state in trial.states}
    states = sorted(seen) if split else [BLOCKED]
    exact, exact_before = (_exact(side) for side in sides)
    left, left_before = (_sampled(side, states, split=split) for side in sides)
    apart = np.hstack([exact - exact_before, differences(left, left_before)])
    noise = np.hstack([np.zeros_like(exact), counting_noise(left, left_before)])
    result = floored_t(apart, noise)
    p = benjamini_hochberg(result.p)
    costs = np.hstack([exact_before, left_before.costs]).mean(axis=0)
    whole = student_mean(apart.sum(axis=1), p_star=LEVEL_MISSED)
    return LatencySplit(
        arm=names[0],
        baseline=names[1],
        point=point,
        blocks=blocks,
        total=whole,
        baseline_us=float(costs.sum()),
        parts=[
            LatencyPart(
                name=name,
                exact=at < 2 or not split,
                us=result.estimate(at),
                baseline_us=float(costs[at]),
                p=float(p[at]),
            )
            for at, name in enumerate((CPU, RUN_QUEUE, *states))
        ],
    )


def _exact(side: Sequence[LatencyTrial]) -> Floats:
    """CPU and run queue, microseconds per op, shape (blocks, 2)."""
    return np.array([(t.cpu_s * 1e6 / t.ops, t.run_queue_s * 1e6 / t.ops) for t in side])


def _sampled(side: Sequence[LatencyTrial], states: Sequence[str], *, split: bool) -> Sampled:
    """What is left of each trial, by state."""
    counts = np.array(
        [[float(t.states.get(s, 0)) for s in states] if split else [1.0] for t in side]
    )
    counts[counts.sum(axis=1) == 0] = counts.sum(axis=0)
    return Sampled(
        per_op=np.array([trial.left_us for trial in side]),
        counts=counts,
        totals=counts.sum(axis=1),
    )


def _by_block(trials: Sequence[LatencyTrial]) -> dict[int, LatencyTrial]:
    found: dict[int, LatencyTrial] = {}
    for trial in trials:
        if trial.block in found:
            raise ValueError(f"block {trial.block} has two trials of one arm")
        if trial.ops < 1 or trial.threads < 1 or not 0 < trial.seconds < math.inf:
            raise ValueError(
                f"block {trial.block}: no time per op of {trial.ops} ops by {trial.threads} "
                f"threads in {trial.seconds} s"
            )
        found[trial.block] = trial
    return found
