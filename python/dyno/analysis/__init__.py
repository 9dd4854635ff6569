"""Stored trials -> findings, verdicts, fairness, why. Reads run folders only; draws nothing."""

from dyno.analysis.find import find
from dyno.analysis.stored import read_findings, widest
from dyno.analysis.verdicts.floor import FLOOR_EXPERIMENT, read_floor
from dyno.analysis.verdicts.live import LiveJudge

__all__ = ["FLOOR_EXPERIMENT", "LiveJudge", "find", "read_findings", "read_floor", "widest"]
