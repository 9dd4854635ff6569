"""Stored trials -> findings, verdicts, fairness, why. Reads run folders only; draws nothing."""

from dyno.analysis.find import find
from dyno.analysis.live import LiveJudge

__all__ = ["LiveJudge", "find"]
