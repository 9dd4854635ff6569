"""The judge of an ongoing run: what each comparison says so far, and whether to stop."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from dyno.analysis.samples import Samples, gather
from dyno.analysis.verdicts import wording
from dyno.analysis.verdicts.claims import verdict_of
from dyno.analysis.verdicts.compare import Judged, design_of, judge_all, judge_controls
from dyno.analysis.verdicts.floor import floor_of
from dyno.analysis.verdicts.spread import Trials
from dyno.spec.metrics import METRICS
from dyno.stats import State as LookState
from dyno.stats import so_far
from dyno.store.run import RunFolder


@dataclass(frozen=True)
class LiveVerdict:
    """Whether to stop at this look, why, and one line per comparison."""

    stop: bool
    reason: str
    lines: list[str]


class LiveJudge:
    """Reads the run folder after every block; keeps nothing between calls but the design."""

    def __init__(self, folder: RunFolder) -> None:
        self.plan = folder.plan()
        self.design = design_of(self.plan, floor_of(folder.host()))

    def __call__(self, folder: RunFolder, *, is_look: bool) -> LiveVerdict:
        """Judge everything on disk. `is_look`: the run may be stopped now."""
        samples = gather(self.plan, folder)
        judged = judge_all(self.plan, samples, self.design, over=False)
        open_ones = [
            j
            for i, j in enumerate(judged)
            if self._is_open(i, j) and not self._never_done(j, samples)
        ]
        stop = is_look and not open_ones
        proposals = [] if stop or not is_look else list(self._proposal(open_ones, samples))
        return LiveVerdict(
            stop=stop,
            reason=self._reason(judged) if stop else "",
            lines=[
                self._line(j)
                for j in [*judged, *judge_controls(self.plan, samples, self.design, over=False)]
                if j.comparison.primary or not self.plan.is_load
            ]
            + proposals,
        )

    def _reason(self, judged: list[Judged]) -> str:
        given_up = sum(
            j.look is not None and j.look.state in (LookState.FUTILE, LookState.INCONCLUSIVE)
            for j in judged
            if j.comparison.primary
        )
        if given_up:
            return f"{given_up} of the comparisons can't be settled with the blocks there are"
        return "every comparison and claim is settled"

    def _is_open(self, index: int, judged: Judged) -> bool:
        """Primary and not settled yet; a claim's band may need more than a difference."""
        if not judged.comparison.primary:
            return False
        has_level = METRICS[judged.comparison.metric].has_level
        if not has_level and judged.n >= self.plan.protocol.loads:
            return False  # There will be no more loads.
        if judged.settled is None or judged.look is None:
            return True
        if judged.look.state in (LookState.PRECISE, LookState.FUTILE, LookState.INCONCLUSIVE):
            return False
        if judged.look.estimate.half_width <= self.design.target:
            return False
        return any(
            verdict_of(planned, judged, self.design) == "inconclusive"
            for planned in self.plan.claims
            if planned.comparison == index
        )

    def _never_done(self, judged: Judged, samples: Samples) -> bool:
        """Whether a task always fails on one of the arms, so that no block will have both times."""
        if METRICS[judged.comparison.metric].owner != "task" or judged.n:
            return False
        quantities = (judged.comparison.numerator, judged.comparison.denominator)
        return any(
            sum((trial.arm, trial.point) == (q.arm, q.point) for trial in samples.ok)
            >= self.design.looks[0]
            and not samples.of(q)
            for q in quantities
        )

    def _proposal(self, open_ones: list[Judged], samples: Samples) -> Iterator[str]:
        """What would narrow the open comparison whose blocks differ most."""
        trials = Trials.of(self.plan, samples)
        found = [(j, spread) for j in open_ones if (spread := j.spread(trials, self.design))]
        if found:
            judged, spread = max(found, key=lambda pair: pair[1].block)
            words = wording.words(judged.comparison, self.plan)
            yield f"{words.head}{words.who} / {words.whom}: {spread.says}"

    def _line(self, judged: Judged) -> str:
        words = wording.words(judged.comparison, self.plan)
        head = f"{words.head}{words.who} / {words.whom}"
        if not judged.n:
            return f"{head}  no block yet"
        now = so_far(judged.contrasts.values, self.design)
        ratio = now.estimate.through(math.exp)
        low, high = ratio.bounds
        ends = f"{low:.3f} to {high:.3f}" if ratio.interval else "no interval yet"
        state = f"  {judged.look.state.value}" if judged.look and judged.look.stops else ""
        return f"{head}  {ratio.value:.3f}  ({ends}, n = {now.n}){state}"
