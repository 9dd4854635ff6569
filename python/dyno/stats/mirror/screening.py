"""Before anything is proven: rows that don't start, and the many factors cut down to a few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dyno.stats.mirror.forward import Fit, first_replicates, forward, needed_replicates
from dyno.stats.mirror.hadamard import drawn
from dyno.stats.mirror.outcome import Merge, Screened, Suspect
from dyno.stats.mirror.question import Stage, Steps
from dyno.stats.mirror.session import Frame, Session
from dyno.stats.rank import Floats

AT_ONCE_MOST = 7
"""With at most this many factors none is screened: all are confirmed."""


@dataclass(frozen=True)
class Plan:
    """Designs of the first replicates, each of shape (m, units of the frame)."""

    frame: Frame
    designs: tuple[Floats, ...]

    @property
    def screens(self) -> bool:
        """Whether there are too many units to confirm them at once."""
        return len(self.frame.units) > AT_ONCE_MOST

    def rows(self, design: Floats) -> Floats:
        """The rows of a design for all units; the mirror image has A and B swapped within the
        frame.
        """
        return self.frame.table(design, [(unit,) for unit in self.frame.units])


def planned(session: Session, frame: Frame) -> Plan:
    """Draw the first replicates: 20 pairs at least. With few units, one design to try starts."""
    design = drawn(len(frame.units), session.rng)
    repeats = first_replicates(len(design)) if len(frame.units) > AT_ONCE_MOST else 1
    more = [drawn(len(frame.units), session.rng) for _ in range(repeats - 1)]
    return Plan(frame, (design, *more))


def started(session: Session) -> Steps[tuple[Plan, tuple[Merge, ...]]]:
    """A plan all of whose rows start, and the merges that this took.

    A design and its mirror image hold all values of any three units, so that a rule about up to
    three factors refuses some row of it. Merged factors change together, and what refuses with the
    other server's build alone becomes part of the servers.
    """
    merges: list[Merge] = []
    while True:
        plan = planned(session, Frame(len(session.units), tuple(range(len(session.units)))))
        if not session.question.dry or len(session.units) == 1:
            return plan, tuple(merges)
        tables = [plan.rows(signs) for design in plan.designs for signs in (design, -design)]
        row = yield from session.refusing(session.words(np.concatenate(tables)))
        if row is None:
            return plan, tuple(merges)
        found = yield from session.refusal(row)
        session.merge(found.places)
        merges.append(
            Merge(
                factors=tuple(session.question.factors[place] for place in found.places),
                row=row,
                minimal=found.minimal,
                starts=found.starts,
            )
        )


def screened(session: Session, plan: Plan, *, spare: int) -> Steps[Screened | None]:
    """Measure the plan's pairs, as many more as effects worth finding need, and fit them.

    More replicates leave `spare` trials of the budget to confirming blocks. None if fewer pairs are
    left than units: by the budget, or by void trials.
    """
    pairs = _Pairs(session, plan)
    for design in plan.designs:
        yield from pairs.measure(design)
    fit = pairs.fit()
    if fit is None:
        return None
    first = len(plan.designs)
    replicates = needed_replicates(first, fit.resolution, session.question.worth)
    for _ in range(replicates - first):
        if not session.affords(2 * len(plan.designs[0]) + spare):
            break
        yield from pairs.measure(drawn(len(plan.frame.units), session.rng))
    return _named(session, plan.frame, pairs.fit() or fit, pairs)


class _Pairs:
    """Mirrored pairs that were measured."""

    def __init__(self, session: Session, plan: Plan) -> None:
        self.session, self.plan = session, plan
        self.replicates = 0
        self._design: list[Floats] = []
        self._differences: list[float] = []

    def __len__(self) -> int:
        return len(self._differences)

    def measure(self, design: Floats) -> Steps[None]:
        """A replicate: pairs in random order, as many as the budget has."""
        for row in self.session.rng.permutation(len(design)):
            if not self.session.affords(2):
                return
            pair = np.stack([design[row], -design[row]])
            costs = yield from self.session.measure(Stage.SCREEN, self.plan.rows(pair))
            if np.isfinite(costs).all():
                self._design.append(design[row])
                self._differences.append(float(costs[0] - costs[1]))
        self.replicates += 1

    def fit(self) -> Fit | None:
        """None for fewer pairs than units."""
        if len(self) < len(self.plan.frame.units):
            return None
        return forward(np.array(self._design), np.array(self._differences))


def _named(session: Session, frame: Frame, fit: Fit, pairs: _Pairs) -> Screened:
    """A fit by the names of the factors."""
    values = dict(zip((frame.units[i] for i in fit.chosen), map(float, fit.values), strict=True))
    server = None if session.server is None else values.pop(session.server, None)
    largest = sorted(values, key=lambda unit: -abs(values[unit]))
    return Screened(
        suspects=tuple(Suspect(factors=session.names([u]), value=values[u]) for u in largest),
        server=server,
        se=fit.se,
        resolution=fit.resolution,
        pairs=len(pairs),
        replicates=pairs.replicates,
    )
