"""The measure phase of one load trial as arrays: ops by second, by tenth of a second, warm-up.

Reads one trial's time series and nothing of other trials. Histograms are handled in `histograms`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from dyno.spec.events import PhaseSummary
from dyno.stats import Cut, Floats, Steadiness, mser5, steadiness
from dyno.store.run import BIN_S, RunFolder
from dyno.store.trial import Trial

MEASURE = "measure"
STEPS = 100
# About ten in each of MSER-5's batches.
FEWEST_OPS = 200
_FULL = 0.999
# With tasks beside the load nothing is cut: MSER-5 would take their effect for a warm-up.
_NONE = (Cut(values=0, known=False), 0.0)


@dataclass(frozen=True)
class LoadTrial:
    """One trial's measure phase; everything in seconds from the phase's beginning.

    `ok[op][i]` are the ok ops that ended in the full interval i, which is `width_s` long. `bins`
    are ops (ok and failed) that ended, by tenth of a second; `late_ms` is how late the load host
    was in each, NaN if unknown; both are None if not recorded. `begin_s` is when the phase began,
    after hello.
    """

    trial: Trial
    begin_s: float
    width_s: float
    ok: dict[str, Floats]
    bins: Floats | None
    late_ms: Floats | None
    cut: Cut
    cut_s: float

    @property
    def intervals(self) -> int:
        """How many full intervals there are."""
        return len(next(iter(self.ok.values())))

    @property
    def ok_per_s(self) -> Floats:
        """Ok ops a second of all kinds, by full interval."""
        total: Floats = np.sum(list(self.ok.values()), axis=0) / self.width_s
        return total

    @cached_property
    def steadiness(self) -> Steadiness:
        """Judged by its own cut, which is no later than the cut of the figures."""
        return steadiness(self.ok_per_s[self.after(self.cut_s) :], cut=self.cut)

    def after(self, cut_s: float) -> int:
        """The first full interval that begins at `cut_s` or later."""
        return min(math.ceil(cut_s / self.width_s - 1e-6), self.intervals)

    def throughput(self, op: str, *, cut_s: float) -> float | None:
        """Ok ops a second in the full intervals after the cut; None if none is left."""
        counted = self.ok[op][self.after(cut_s) :] if op in self.ok else np.empty(0)
        return float(counted.mean()) / self.width_s if len(counted) else None


def measured(trial: Trial) -> PhaseSummary | None:
    """The account of the measure phase, None if the trial has none."""
    return trial.summary.phase(MEASURE) if trial.summary else None


def read_load(folder: RunFolder, trial: Trial, *, duration_s: float) -> LoadTrial | None:
    """The trial's measure phase, of which `duration_s` counts; None if it has no full interval.

    What ended later ended while no new ops were started: it counts only towards latencies.
    """
    frame = folder.intervals(trial.number)
    if frame is None:
        return None
    rows = (
        frame.filter(pl.col("phase") == MEASURE)
        .select("index", "t_s", "duration_s", "op", "outcome", "count")
        .rows()
    )
    if not rows:
        return None
    width_s = max(row[2] for row in rows)
    begin_s = min(row[1] - row[0] * width_s for row in rows)
    end_s = duration_s + (1 - _FULL) * width_s
    full = [row for row in rows if row[2] >= _FULL * width_s and (row[0] + 1) * width_s <= end_s]
    if not full:
        return None
    size = 1 + max(row[0] for row in full)
    ok: dict[str, Floats] = {}
    for index, _, _, op, outcome, count in full:
        if op and outcome == "ok":
            ok.setdefault(op, np.zeros(size))[index] += count
    if not ok:
        ok[""] = np.zeros(size)
    bins, late_ms = _bins(folder, trial, size=round(size * width_s / BIN_S))
    disturbed = any(run.start_s is not None for run in trial.tasks)
    cut, cut_s = _NONE if disturbed else _cut(ok, width_s, bins)
    return LoadTrial(
        trial=trial,
        begin_s=begin_s,
        width_s=width_s,
        ok=ok,
        bins=bins,
        late_ms=late_ms,
        cut=cut,
        cut_s=cut_s,
    )


def _bins(
    folder: RunFolder, trial: Trial, *, size: int
) -> tuple[Floats, Floats] | tuple[None, None]:
    """The tenths of a second of the full intervals, in order."""
    frame = folder.bins(trial.number)
    if frame is None:
        return None, None
    measured = frame.filter(pl.col("phase") == MEASURE).sort("t_s").head(size)
    if len(measured) < size:
        return None, None
    ended, late = measured["ended"], measured["heartbeat_late_ms"].fill_null(math.nan)
    return ended.to_numpy().astype(np.float64), late.to_numpy().astype(np.float64)


def _cut(ok: dict[str, Floats], width_s: float, bins: Floats | None) -> tuple[Cut, float]:
    """Where the warm-up ended: MSER-5 over about a hundred steps of equal length, or over
    intervals.

    Thirty seconds are six batches of five, so few that MSER-5 cuts off steady halves. In tenths of
    a second there are enough, but noise hides the end of the transient. So tenths are summed up to
    about 100 steps of at most a second each. If ops are so rare that a batch has only a few, MSER-5
    would cut at random: paced terminals show no transient in a minute.
    """
    if sum(counts.sum() for counts in ok.values()) < FEWEST_OPS:
        return _NONE
    if bins is None:
        cut = mser5(np.sum(list(ok.values()), axis=0))
        return cut, cut.values * width_s
    tenths = min(max(1, len(bins) // STEPS), round(1 / BIN_S))
    steps = len(bins) // tenths
    cut = mser5(bins[: steps * tenths].reshape(steps, tenths).sum(axis=1))
    return cut, cut.values * tenths * BIN_S
