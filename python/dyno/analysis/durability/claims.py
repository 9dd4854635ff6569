"""Verdicts on what is asserted of an arm at a kind of crash."""

from __future__ import annotations

from collections.abc import Sequence

from dyno.analysis.durability.model import CellRead, LossClaim, Verdict
from dyno.analysis.durability.words import KINDS
from dyno.spec.durability import DurabilityClaim, Says

_SAYS: dict[Says, str] = {
    "loses": "{arm} loses acknowledged commits, {kind}",
    "keeps": "{arm} loses nothing above {below:.2g} % of the crashes, {kind}",
    "breaks": "{arm} doesn't come back whole, {kind}",
}


def judge_claim(claim: DurabilityClaim, cells: Sequence[CellRead]) -> LossClaim:
    """What the cell says of it. A loss or a break is proven by one crash, and repeated by a second;
    that there is none is only ever bounded.
    """
    cell = next((c for c in cells if (c.arm, c.kind) == (claim.arm, claim.crash)), None)
    verdict, why = ("inconclusive", "no crash of it") if cell is None else _verdict(claim, cell)
    words = _SAYS[claim.says].format(
        arm=claim.arm, kind=KINDS[claim.crash], below=100 * claim.below
    )
    return LossClaim(
        arm=claim.arm,
        crash=claim.crash,
        says=claim.says,
        words=words,
        published=claim.published,
        verdict=verdict,
        why=why,
    )


def _verdict(claim: DurabilityClaim, cell: CellRead) -> tuple[Verdict, str]:
    if cell.share is None or cell.mark == "not tested":
        return "inconclusive", cell.says
    assert cell.share.interval is not None
    harmed = cell.share.value > 0
    is_bounded = not harmed and cell.share.interval[1] <= claim.below + 1e-9
    if claim.says == "keeps":
        verdict: Verdict = "not reproduced" if harmed else "inconclusive"
        return "reproduced" if is_bounded else verdict, cell.says
    found = cell.lossy if claim.says == "loses" else cell.broken
    if found:
        return "reproduced", cell.says
    return "not reproduced" if is_bounded else "inconclusive", cell.says
