"""What the client of a linkbench run asked, compared with its profile: a test of our own client.

Ops, sizes and ids are drawn independently of each other, so shares and means have exact-enough
intervals at the n seen. What depends on the data is shown, but not judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dyno.analysis.linkbench.asked import Asked, Moments, asked
from dyno.analysis.linkbench.model import DrawState, LinkbenchDraw
from dyno.analysis.load.phases import Phases, counted, groups, ok_ops
from dyno.spec.linkbench import OPS, LinkbenchWorkload
from dyno.spec.plan import Plan
from dyno.spec.summary import PhaseSummary
from dyno.stats import mean_of_known_spread, wilson

# Means: their name, the counter of the sum (also the name in Asked), and the counter of the n.
MEANS = (
    ("ids of a multiget", "multiget_ids", "multigets"),
    ("bytes of a link's data", "link_bytes", "link_payloads"),
    ("bytes of a node's data", "node_bytes", "node_payloads"),
)
# The joint confidence of an arm's judged figures, including the lists from the history.
CONFIDENCE = 0.99
EACH = 1 - (1 - CONFIDENCE) / (len(OPS) + len(MEANS) + 1)


@dataclass(frozen=True)
class Seen:
    """A figure: `seen` (None: a trial lacks it) among `n`, and what was asked for.

    `of_mean` makes it a mean of draws with that spread, not a share.
    """

    figure: str
    seen: int | None
    n: int | None
    asked: float | None = None
    at_most: bool = False
    is_mean: bool = False
    of_mean: Moments | None = None


def draws(plan: Plan, workload: LinkbenchWorkload, phases: Phases) -> Iterator[LinkbenchDraw]:
    """For a sweep by arm over all points first, then by point and arm."""
    wanted = asked(workload)
    for arm, point, found in groups(plan, phases):
        for seen in (*_judged(found, wanted), *_told(found)):
            yield _draw(arm, point, seen)


def _judged(phases: list[PhaseSummary], wanted: Asked | None) -> Iterator[Seen]:
    """Ops are counted with those that failed: they were asked for, too."""
    counts = {
        name: sum(op.count for phase in phases for op in phase.ops if op.op == name) for name in OPS
    }
    total = sum(counts.values())
    for name in OPS:
        share = wanted.mix[name] if wanted else None
        yield Seen(f"{name} among all ops", counts[name], total, share)
    lists = counted(phases, "lists")
    yield Seen(
        "lists that read on from an earlier one",
        counted(phases, "history_lists"),
        lists,
        wanted.history_most if wanted else None,
        at_most=True,
    )
    for figure, total_of, among in MEANS:
        moments: Moments | None = getattr(wanted, total_of, None)
        mean = moments.mean if moments else None
        seen, n = counted(phases, total_of), counted(phases, among)
        yield Seen(figure, seen, n, mean, is_mean=True, of_mean=moments)


def _told(phases: list[PhaseSummary]) -> Iterator[Seen]:
    """What the data determine: it drifts, as links are added."""

    def ok(name: str) -> int:
        return sum(op.count for op in ok_ops(phases, name))

    def sum_of(*names: str) -> int | None:
        found = [counted(phases, name) for name in names]
        return None if None in found else sum(value or 0 for value in found)

    written = sum_of("links_inserted", "links_shown", "links_rewritten")
    hit = sum_of("links_hidden", "links_missed")
    inserted, hidden = counted(phases, "links_inserted"), counted(phases, "links_hidden")
    yield Seen("adds and updates that inserted a link", inserted, written)
    yield Seen("deletes that found their link", hidden, hit)
    yield Seen("counts that found a row", counted(phases, "counts_found"), ok("count_link"))
    yield Seen(
        "ids of multigets with a link",
        counted(phases, "multiget_rows"),
        counted(phases, "multiget_ids"),
    )
    yield Seen("node reads that found a node", counted(phases, "nodes_found"), ok("get_node"))


def _draw(arm: str, point: int | None, seen: Seen) -> LinkbenchDraw:
    n = seen.n or 0
    known = seen.seen is not None and n > 0
    sure = _interval(seen, seen.seen or 0, n) if known else None
    return LinkbenchDraw(
        arm=arm,
        point=point,
        figure=seen.figure,
        is_mean=seen.is_mean,
        value=(seen.seen or 0) / n if known else None,
        n=n,
        asked=seen.asked,
        at_most=seen.at_most,
        sure_low=sure[0] if sure else None,
        sure_high=sure[1] if sure else None,
        state=_state(seen, sure, known=known),
    )


def _interval(seen: Seen, total: int, n: int) -> tuple[float, float] | None:
    """None for more than all, which only a client that counts wrongly reports."""
    if not seen.is_mean:
        return wilson(total, n, confidence=EACH) if total <= n else None
    if seen.of_mean is None:
        return None
    return mean_of_known_spread(total, n, seen.of_mean.deviation, confidence=EACH)


def _state(seen: Seen, sure: tuple[float, float] | None, *, known: bool) -> DrawState:
    if seen.asked is None:
        return "only told"
    if not known:
        return "too few"
    if sure is None:
        return "not as asked"
    low, high = sure
    return (
        "as asked" if low <= seen.asked and (seen.at_most or seen.asked <= high) else "not as asked"
    )
