"""What a claim is about: a ratio of two quantities, or a figure that each trial must show.

A quantity is named by "ARM", if the claim names the op or there is only one, or by "ARM @ OP".
"""

from __future__ import annotations

from dataclasses import dataclass

from dyno.spec.metrics import TrialFigure


@dataclass(frozen=True)
class Ratio:
    """One metric of two quantities."""

    numerator: str
    denominator: str

    @property
    def names(self) -> list[str]:
        """What it names."""
        return [self.numerator, self.denominator]


@dataclass(frozen=True)
class OfTrials:
    """A status counter, or a figure of a task."""

    figure: TrialFigure
    of: str

    @property
    def names(self) -> list[str]:
        """What it names."""
        return [self.of]


Subject = Ratio | OfTrials
