"""Stored trials as figures: seconds by arm, op and block. Reads no files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

from dyno.spec.plan import Comparison, Quantity
from dyno.stats import Contrasts, block_contrasts
from dyno.store.trial import Trial


@dataclass
class Samples:
    """`seconds[(arm, op)][block]`: the median over a trial's rounds; failed trials have none."""

    seconds: dict[tuple[str, str], dict[int, float]] = field(default_factory=dict)
    trials: list[Trial] = field(default_factory=list)

    def of(self, quantity: Quantity) -> dict[int, float]:
        """Seconds by block of one op on one arm; empty if there are none."""
        return self.seconds.get((quantity.arm, quantity.op), {})

    def contrasts(self, comparison: Comparison) -> Contrasts:
        """Log-ratios by block, for the blocks in which both quantities were measured."""
        return block_contrasts(self.of(comparison.numerator), self.of(comparison.denominator))

    @property
    def ok(self) -> list[Trial]:
        """Trials that gave figures."""
        return [trial for trial in self.trials if trial.status == "ok"]


def gather(trials: Iterable[Trial]) -> Samples:
    """All trials of a run as samples."""
    samples = Samples()
    for trial in trials:
        samples.trials.append(trial)
        if trial.status != "ok":
            continue
        for op in {run.statement for run in trial.statements}:
            times_ns = trial.latencies_ns(op)
            if times_ns:
                by_block = samples.seconds.setdefault((trial.arm, op), {})
                by_block[trial.block] = median(times_ns) / 1e9
    return samples
