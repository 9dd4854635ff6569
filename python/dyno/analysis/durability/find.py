"""The folder of a series -> Losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any

from dyno.analysis.durability.claims import judge_claim
from dyno.analysis.durability.model import ArmLost, CellRead, Losses, Mark, SeriesRead
from dyno.analysis.durability.price import price_list
from dyno.analysis.durability.words import (
    behind_words,
    broken_words,
    harmed_lines,
    kept_words,
    line_of,
    lossy_words,
)
from dyno.spec.experiment import Arm
from dyno.spec.series import Cell, Series
from dyno.spec.units import plural
from dyno.stats import bounded, clopper_pearson
from dyno.store.crash import Crash, Rig
from dyno.store.series import SeriesFolder

# So few crashes of a control that lost nothing say nothing yet.
CONTROL_LEAST = 3
# How many arms a headline names.
_NAMED_MOST = 3
_HOST = {
    "distribution": "system",
    "kernel": "kernel",
    "cpu_model": "CPU",
    "filesystem": "file system around the images",
}


def find_losses(folder: SeriesFolder) -> Losses:
    """Everything that the folder shows. Raises StoreError for one that can't be read."""
    series, crashes, rigs = folder.series(), list(folder.crashes()), folder.rigs()
    untested = _untested(series, crashes)
    cells = [_cell(cell, crashes, rigs, untested, series.load.one) for cell in series.cells]
    return Losses(
        name=series.name,
        title=series.title,
        question=series.question,
        published=series.published,
        run=_run(folder, series),
        answer=list(_answer(series, cells, crashes)),
        kinds=series.crashes.kinds,
        load=series.load,
        control=series.control,
        arms=[_arm(arm, crashes) for arm in series.arms],
        cells=cells,
        price=price_list(series, list(folder.prices()), cells),
        claims=[judge_claim(claim, cells) for claim in series.claims],
        rigs=rigs,
        crashes=crashes,
    )


def _untested(series: Series, crashes: Sequence[Crash]) -> set[str]:
    """The kinds at which the control, which must lose, lost nothing."""
    if series.control is None:
        return set()
    found: set[str] = set()
    for kind in series.crashes.kinds:
        own = [crash for crash in crashes if (crash.arm, crash.kind) == (series.control, kind)]
        harmless = not any(crash.is_lossy or crash.is_broken for crash in own)
        if kind != "kill" and len(own) >= CONTROL_LEAST and harmless:
            found.add(kind)
    return found


def _cell(
    cell: Cell, crashes: Sequence[Crash], rigs: dict[str, Rig], untested: set[str], one: str
) -> CellRead:
    """`one` of what may be lost: an op, a new order."""
    own = [crash for crash in crashes if (crash.arm, crash.kind) == (cell.arm, cell.kind)]
    lossy = [crash for crash in own if crash.is_lossy]
    broken = [crash for crash in own if crash.is_broken]
    harmed = sum(crash.is_lossy or crash.is_broken for crash in own)
    ahead = sum(crash.ahead or 0 for crash in lossy)
    behind = sum(crash.behind or 0 for crash in own)
    share = bounded(harmed / len(own), *clopper_pearson(harmed, len(own))) if own else None
    mark: Mark = "keeps"
    if share is None:
        problem = rigs[cell.kind].problem if cell.kind in rigs else None
        mark, says = "no crash", problem or "there was no crash of this kind yet"
    elif broken:
        mark, says = "breaks", broken_words(own)
        if any(crash.lost for crash in lossy):
            says += f"; {lossy_words(cell.kind, own, ahead, one)}"
    elif lossy:
        mark, says = "loses", lossy_words(cell.kind, own, ahead, one)
    elif cell.kind in untested:
        mark, says = "not tested", "the control lost nothing either, so nothing was tested"
    else:
        says = kept_words(len(own), share)
    says += behind_words(behind, one)
    lost = [crash.lost for crash in lossy if crash.lost is not None]
    lost_s = [crash.lost_s for crash in lossy if crash.lost_s is not None]
    recovery_s = [crash.recovery_s for crash in own if crash.recovery_s is not None]
    return CellRead(
        arm=cell.arm,
        kind=cell.kind,
        mark=mark,
        says=says,
        n=len(own),
        lossy=len(lossy),
        broken=len(broken),
        share=share,
        acknowledged=sum(crash.acknowledged for crash in own),
        lost_median=median(lost) if lost else None,
        lost_most=max(lost, default=None),
        lost_s_median=median(lost_s) if lost_s else None,
        lost_s_most=max(lost_s, default=None),
        ahead=ahead,
        behind=behind,
        recovery_s_median=median(recovery_s) if recovery_s else None,
        recovery_s_most=max(recovery_s, default=None),
        ops_per_s_median=median(crash.ops_per_s for crash in own) if own else None,
    )


def _answer(series: Series, cells: list[CellRead], crashes: list[Crash]) -> Iterator[str]:
    """What was found, the worst first."""
    if not crashes:
        yield "No crash is over, so nothing is known."
        return
    yield _headline(cells)
    for mark in ("breaks", "loses", "not tested"):
        for kind in series.crashes.kinds:
            own = [cell for cell in cells if (cell.mark, cell.kind) == (mark, kind)]
            yield from harmed_lines(own, series.load.one)
    kept = [cell for cell in cells if cell.mark == "keeps"]
    for kind in series.crashes.kinds:
        own = [cell for cell in kept if cell.kind == kind]
        if own:
            fewest = min(own, key=lambda cell: cell.n)
            assert fewest.share is not None
            words = kept_words(fewest.n, fewest.share, each=len(own) > 1)
            yield line_of(kind, [cell.arm for cell in own], words)


def _headline(cells: list[CellRead]) -> str:
    """How many arms lost or broke something, and which didn't, as far as was seen."""
    tried = list(dict.fromkeys(cell.arm for cell in cells if cell.n))
    harmed = {cell.arm for cell in cells if cell.mark in ("loses", "breaks")}
    kept = [arm for arm in tried if arm not in harmed]
    words = f"{len(harmed)} of {plural(len(tried), 'arm')} lost or broke something"
    if len(kept) > _NAMED_MOST:
        return f"{words}; in the other {len(kept)} no loss was seen."
    return f"{words}; no loss was seen with {'; '.join(kept)}." if kept else f"{words}."


def _arm(arm: Arm, crashes: Sequence[Crash]) -> ArmLost:
    own = next((crash for crash in crashes if crash.arm == arm.name), None)
    return ArmLost(
        name=arm.name,
        server=str(arm.server),
        product=own.product if own else None,
        version=own.version if own else None,
        engine=arm.engine or "InnoDB",
        settings=arm.settings,
        read_back=own.settings if own else {},
    )


def _run(folder: SeriesFolder, series: Series) -> SeriesRead:
    state, host = folder.state(), folder.host()
    started = datetime.fromtimestamp(state.started_unix_ms / 1000, UTC)
    return SeriesRead(
        id=folder.path.name,
        state=state.state,
        reason=state.reason,
        elapsed_s=state.elapsed_s,
        started=f"{started:%Y-%m-%d %H:%M} UTC",
        dyno=state.dyno,
        seed=series.seed,
        quick=series.quick,
        repeat=state.command,
        host=list(_host(host)),
    )


def _host(host: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, name in _HOST.items():
        if host.get(key):
            yield name, str(host[key])
