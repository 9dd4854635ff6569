"""What the arms of a series cost: their throughput over the baseline's, block by block."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from dyno.analysis.durability.model import CellRead, PriceList, PriceRead
from dyno.analysis.durability.words import KINDS, lost_at_most
from dyno.analysis.part import Estimate
from dyno.spec.series import Series
from dyno.spec.units import plural, possessive
from dyno.stats import block_contrasts, signed_rank
from dyno.store.priced import Priced

_P_STAR = 0.05


def price_list(
    series: Series, prices: Sequence[Priced], cells: Sequence[CellRead]
) -> PriceList | None:
    """The price of each arm beside what it loses; None if the plan has no prices."""
    if series.price is None:
        return None
    by_arm: dict[str, dict[int, float]] = defaultdict(dict)
    for priced in prices:
        by_arm[priced.arm][priced.block] = priced.ops_per_s
    failed = {arm.name: sum(p.failed for p in prices if p.arm == arm.name) for arm in series.arms}
    baseline = series.price.baseline
    return PriceList(
        baseline=baseline,
        blocks=series.price.blocks,
        arms=[
            _read(arm.name, by_arm[arm.name], by_arm[baseline], baseline, cells, failed[arm.name])
            for arm in series.arms
        ],
    )


def _read(
    arm: str,
    own: dict[int, float],
    base: dict[int, float],
    baseline: str,
    cells: Sequence[CellRead],
    failed: int,
) -> PriceRead:
    is_base = arm == baseline
    contrasts = block_contrasts(own, base).values
    n = len(own) if is_base else len(contrasts)
    ratio = None
    if n and not is_base:
        ratio = signed_rank(contrasts, p_star=_P_STAR).estimate.through(math.exp)
    return PriceRead(
        arm=arm,
        n=n,
        ops_per_s_median=median(own.values()) if own else None,
        ratio=ratio,
        failed=failed,
        says=f"{_speed(ratio, n, baseline, is_base=is_base)}; {_promise(arm, cells)}",
    )


def _speed(ratio: Estimate | None, n: int, baseline: str, *, is_base: bool) -> str:
    if is_base:
        return "the baseline"
    if ratio is None:
        return "its throughput wasn't measured"
    blocks = plural(n, "block")
    if ratio.interval is None:
        return f"about {ratio.value:.2g} times as fast as {baseline}, {blocks}: no interval yet"
    low, high = ratio.interval
    size = f"({low:.3g} to {high:.3g}, {blocks})"
    if low <= 1 <= high:
        return f"can't tell its speed from {possessive(baseline)}: {ratio.value:.3g} times {size}"
    return f"{ratio.value:.3g} times as fast as {baseline} {size}"


def _promise(arm: str, cells: Sequence[CellRead]) -> str:
    """What an arm loses, by kind of crash, or that nothing was seen."""
    own = [cell for cell in cells if cell.arm == arm and cell.n]
    harmed = [cell for cell in own if cell.mark in ("loses", "breaks")]
    if harmed:
        return ", ".join(f"{lost_at_most(cell)} ({KINDS[cell.kind]})" for cell in harmed)
    return "no loss was seen" if own else "it wasn't crashed"
