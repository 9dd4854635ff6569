"""The answer in words: verdicts counted, then the findings, the largest first.

For a sweep there is one sentence per arm, with its best and its worst point. No figure appears
without its interval and the number of blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from dyno.analysis.samples import Samples
from dyno.analysis.verdicts import wording
from dyno.analysis.verdicts.model import ClaimRead, Compared
from dyno.spec.metrics import METRICS
from dyno.spec.units import capital, plural, possessive

ANSWER_SENTENCES = 6
NOTHING = "No trial succeeded, so nothing can be said."
VERDICTS = ("reproduced", "direction only", "not reproduced", "inconclusive")

Group = list[Compared]


def answer(
    compared: list[Compared],
    verdicts: list[ClaimRead],
    samples: Samples,
    others: Sequence[str] = (),
) -> Iterator[str]:
    """The sentences, most important first; `others` is what to say besides ratios."""
    if not samples.ok:
        yield "No trial succeeded, so nothing can be compared." if others else NOTHING
        yield from others
        return
    if verdicts:
        counts = {word: sum(v.verdict == word for v in verdicts) for word in VERDICTS}
        said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        yield f"Of {plural(len(verdicts), 'claim')}: {said}."
    chosen = _chosen(compared)
    settled = [group for group in _groups(chosen) if any(map(_is_settled, group))]
    for group in sorted(settled, key=_size, reverse=True)[:ANSWER_SENTENCES]:
        yield capital(_sweep(group) if len(group) > 1 else group[0].sentence)
    yield from others
    left = sum(len(group) for group in settled[ANSWER_SENTENCES:])
    if left:
        yield f"{plural(left, 'more comparison')} {'is' if left == 1 else 'are'} in the table."
    open_count = sum(not _is_settled(c) for c in chosen)
    if open_count:
        yield f"Can't tell yet: {open_count} of {len(chosen)} comparisons."


def _chosen(compared: list[Compared]) -> list[Compared]:
    """The primary comparisons, or all if none is primary; for a sweep every point's throughput
    or new orders/min.

    A claim about one point makes only that one primary, but the question is about the sweep.
    """
    is_sweep = any(c.point for c in compared)
    chosen = [c for c in compared if c.primary or (is_sweep and METRICS[c.metric].is_rate)]
    return chosen or compared


def _groups(compared: list[Compared]) -> list[Group]:
    """Comparisons that differ only in their point."""
    found: dict[tuple[str, ...], Group] = {}
    for c in compared:
        key = (c.metric, c.numerator_arm, c.numerator_op, c.denominator_arm, c.denominator_op)
        found.setdefault(key, []).append(c)
    return list(found.values())


def _is_settled(result: Compared) -> bool:
    return result.state != "undecided" and result.ratio is not None


def _ratio(result: Compared) -> float:
    return result.ratio.value if result.ratio else 1.0


def _size(group: Group) -> float:
    return max(abs(math.log(c.ratio.value)) for c in group if _is_settled(c) and c.ratio)


def _sweep(group: Group) -> str:
    """One arm against another over all points of the sweep."""
    settled = sorted((c for c in group if _is_settled(c)), key=_ratio)
    lower, upper = settled[0], settled[-1]
    states = {
        _side(upper.metric, more=True): sum(_differs(c, 1) for c in settled),
        _side(upper.metric, more=False): sum(_differs(c, -1) for c in settled),
        "equal within the margin": sum(c.state == "equivalent" for c in settled),
        "measured precisely, without a difference that matters": sum(
            c.state == "precise" for c in settled
        ),
        "open": len(group) - len(settled),
    }
    counts = [(state, count) for state, count in states.items() if count]
    whole = "both" if len(group) == 2 else f"all {len(group)}"
    said = (
        f"{counts[0][0]} at {whole} points"
        if len(counts) == 1
        else ", ".join(
            f"{state} at {count}" + (f" of {len(group)} points" if i == 0 else "")
            for i, (state, count) in enumerate(counts)
        )
    )
    what = METRICS[upper.metric].noun
    ends = _at(upper) if lower is upper else f"from {_at(lower)} to {_at(upper)}"
    who, whom = _names(upper)
    task = f"{upper.numerator_op}: " if METRICS[upper.metric].owner == "task" else ""
    return f"{task}{possessive(who)} {what} against {possessive(whom)} is {said}: {ends}."


def _differs(result: Compared, sign: int) -> bool:
    return result.state == "different" and sign * math.log(_ratio(result)) > 0


def _side(metric: str, *, more: bool) -> str:
    if metric in wording.TIMES:
        return "more" if more else "less"
    return "higher" if more else "lower"


def _names(c: Compared) -> tuple[str, str]:
    if c.numerator_op == c.denominator_op:
        return c.numerator_arm, c.denominator_arm
    return f"{c.numerator_arm} on {c.numerator_op}", f"{c.denominator_arm} on {c.denominator_op}"


def _at(c: Compared) -> str:
    """One point's change, as "31 % higher at 64 connections (28 to 35 %; 12 blocks)"."""
    assert c.ratio is not None
    estimate = c.ratio.through(math.log)
    size = wording.percent(estimate.value)
    side = "" if c.ratio.value >= 2 else f" {_side(c.metric, more=estimate.value >= 0)}"
    basis = wording.basis(estimate, n=c.n)
    return f"{size}{side} at {c.point_label} ({basis})"
