"""What the arms of a series cost: their throughput under its load, on the plain disk, in blocks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from dyno.errors import LoadError, ServerError
from dyno.home import remove_tree
from dyno.runner.crashes.template import Template
from dyno.runner.crashes.watch import Watch
from dyno.runner.durability.crash import PHASE, ended_in
from dyno.runner.load import run_load
from dyno.servers.datadir import copy_folder
from dyno.spec.durability import Price
from dyno.spec.events import Interval
from dyno.spec.series import Series
from dyno.store.priced import Priced
from dyno.store.run import BIN_S
from dyno.store.series import SeriesFolder

_START_S = 300.0
# Bins begin at sums of tenths, which aren't exact.
_NEAR_S = 1e-6


def measure_prices(
    folder: SeriesFolder,
    series: Series,
    watch: Watch,
    place: Path,
    template_of: Callable[[str], Template],
) -> None:
    """Measure what is left of a series' blocks, in `place`. An arm that fails has no price in its
    block.
    """
    done = {priced.number for priced in folder.prices()}
    turns = list(series.price_turns())
    left = [turn for turn in turns if turn[0] not in done]
    begun_s = time.monotonic()
    for turn, (number, block, arm) in enumerate(left, 1):
        assert series.price is not None
        watch.say(f"price of {arm.name}, block {block + 1} of {series.price.blocks}")
        own = place / "price"
        own.mkdir()
        try:
            found = price_once(
                template_of(arm.name),
                series.price,
                own,
                number=number,
                block=block,
                seed=series.ops_seed(-number),
            )
        except (ServerError, LoadError) as error:
            watch.note(f"{arm.name} has no price in block {block + 1}: {error.message}")
            continue
        finally:
            remove_tree(own)
        folder.keep_price(found)
        rest = len(left) - turn
        eta_s = rest * (time.monotonic() - begun_s) / turn
        watch.priced(found, done=len(turns) - rest, most=len(turns), eta_s=eta_s)


def price_once(
    template: Template, price: Price, folder: Path, *, number: int, block: int, seed: int
) -> Priced:
    """Measure an arm once, on a fresh copy of its data in `folder`, which must be empty. Nobody
    notes what is acknowledged. Raises ServerError or LoadError.
    """
    data = folder / "data"
    copy_folder(template.path, data)
    server = template.start(data, folder / "logs", timeout_s=_START_S)
    # One phase: ids are the numbers of its ops, and a second one would insert them again.
    phase = template.phase(price.warmup + price.window)
    try:
        plan = template.plan(server, phase, seed=seed, notes=None)
        result = run_load(plan, folder, disk=folder)
    finally:
        server.kill()
    if result.failure:
        raise LoadError(f"measuring {template.arm.name!r}: {result.failure}")
    ops, window_s = ended(result.log.intervals, after_s=price.warmup, window_s=price.window)
    measured = result.log.summary.phase(PHASE) if result.log.summary else None
    if not ops or measured is None:
        raise LoadError(
            f"measuring {template.arm.name!r}: no op ended in {price.window:g} s",
            hint="give a longer window in [price]",
        )
    return Priced(
        number=number,
        block=block,
        arm=template.arm.name,
        ops=ops,
        failed=sum(measured.failed.values()),
        window_s=round(window_s, 3),
        ops_per_s=round(ops / window_s, 2),
    )


def ended(intervals: Sequence[Interval], *, after_s: float, window_s: float) -> tuple[int, float]:
    """How many ops ended from `after_s` on, counted from the beginning of the first interval, and
    in how many seconds: whole bins, at most `window_s`.
    """
    begin_s = intervals[0].t_s + after_s if intervals else 0.0
    return ended_in(intervals, begin_s - _NEAR_S, begin_s + window_s - BIN_S + _NEAR_S)
