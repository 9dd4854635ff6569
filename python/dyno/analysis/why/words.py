"""What a search for causes says, in sentences. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from dyno.analysis.signed import more_digits, number
from dyno.analysis.why.model import CauseRead
from dyno.spec.experiment import Settings
from dyno.spec.metrics import METRICS
from dyno.spec.sysbench import EVENT
from dyno.spec.units import plural
from dyno.spec.why import Explained, Factor
from dyno.stats.mirror import Ending, Outcome


def answer(
    target: Explained,
    outcome: Outcome | None,
    causes: Sequence[CauseRead],
    *,
    trials: int,
    lost: Sequence[str],
) -> Iterator[str]:
    """The answer, then what is to be known with it. `lost` has why a trial gave no figure, for each
    one that gave none.
    """
    yield _headline(target, outcome, causes, nothing=trials == len(lost))
    if outcome is not None and lost:
        reason, often = Counter(lost).most_common(1)[0]
        yield (
            f"{len(lost)} of {plural(trials, 'trial')} gave no figure; "
            f"the most common reason ({often}): {reason}"
        )
    yield from _how(target, outcome, trials)
    for cause in causes:
        if cause.standing == "named" and cause.added and cause.removed:
            yield (
                f"{cause.name}: alone on {target.first} {number(cause.added.value, sign='+')} %, "
                f"taken from {target.second} {number(cause.removed.value, sign='+')} %."
            )
    for cause in causes:
        if cause.standing == "open":
            yield f"{cause.name}: not decided in {plural(cause.n, 'block')}."
    if target.left:
        count = plural(len(target.left), "variable")
        yield f"The servers' part has {count} that can't be set on both."


def _headline(
    target: Explained, outcome: Outcome | None, causes: Sequence[CauseRead], *, nothing: bool
) -> str:
    if outcome is None:
        return "The search isn't over, so nothing is named."
    if outcome.ending is Ending.NO_DIFFERENCE:
        return "There is no difference to explain."
    found = whole(target)
    if outcome.ending is Ending.ONE_FACTOR:
        return f"{found} There is only one factor, so it explains all of that."
    if outcome.ending is Ending.TOO_FEW and nothing:
        return f"{found} No trial gave a figure, so no setting can be named."
    if outcome.ending is Ending.TOO_FEW:
        return f"{found} The budget was too small to name a setting."
    if outcome.ending is Ending.NONE_FOUND:
        screened = outcome.first.screened if outcome.first else None
        size = f" above {100 * math.expm1(screened.resolution):.2g} %" if screened else ""
        return f"{found} No setting{size} was found."
    rows = [cause for cause in causes if cause.points is not None]
    total = sum(cause.points.value for cause in rows if cause.points)
    intervals = [cause.points.interval for cause in rows if cause.points]
    # The narrowest decides for all, so that a reader can compare and add them.
    digits = max((more_digits(*ends, number) for ends in intervals if ends), default=0)
    parts = ", ".join(_row(cause, digits) for cause in rows)
    return f"{_of(target, total)} Of these {abs(total):.{digits}f} points: {parts}."


def _row(cause: CauseRead, digits: int) -> str:
    assert cause.points is not None
    size = cause.points.value
    if not digits and cause.rounded is not None:
        # Rounded so that they add up; more digits would show that it was rounded.
        size = cause.rounded
    if cause.points.interval is None:
        return f"{cause.name} {number(size, digits)} (no interval)"
    low, high = cause.points.interval
    return f"{cause.name} {number(size, digits)} ({number(low, digits)} to {number(high, digits)})"


def _how(target: Explained, outcome: Outcome | None, trials: int) -> Iterator[str]:
    if outcome is None or outcome.first is None:
        return
    found = outcome.first.confirmed
    if found is None:
        yield f"The search took {plural(trials, 'trial')}."
        return
    fresh = plural(found.blocks, "fresh block")
    yield f"Found in {plural(trials, 'trial')}, confirmed in {fresh}."
    if found.cut_short:
        yield "The budget ended the search before its last look."


def whole(target: Explained) -> str:
    """The difference as the run that is explained found it."""
    return _of(target, 100 * math.expm1(target.cost))


def _of(target: Explained, pct: float) -> str:
    """The whole difference: "B needs 23 % more time than A (point_select, throughput)."."""
    way = "more" if pct > 0 else "less"
    quantity = target.comparison.numerator
    # The point of a sweep over scripts says which script's event it is.
    is_said = bool(target.point) and quantity.op in (EVENT, *target.point.split(", "))
    names = ("" if is_said else quantity.op, target.point)
    of = ", ".join(filter(None, (*names, f"by {METRICS[quantity.metric].noun}")))
    return f"{target.second} needs {abs(pct):.0f} % {way} time than {target.first} ({of})."


def values_of(name: str, target: Explained) -> str:
    """What a factor is on each arm; "" for what isn't one."""
    found = next((factor for factor in target.factors if factor.name == name), None)
    return " / ".join(sides(found)) if found else ""


def sides(factor: Factor) -> tuple[str, str]:
    """What a factor sets on each side; of a single setting its value alone."""

    def text(settings: Settings) -> str:
        if len(settings) == 1:
            ((name, value),) = settings.items()
            if name == factor.name:
                return str(value)
            switch, _, on = str(value).partition("=")
            if factor.name == f"{name}.{switch}":
                return on
        return ", ".join(f"{name} = {value}" for name, value in settings.items())

    def named(keys: Mapping[str, str | None]) -> Settings:
        return {key: value or "not set" for key, value in keys.items()}

    return (
        text(factor.first | factor.first_session | named(factor.first_keys)),
        text(factor.second | factor.second_session | named(factor.second_keys)),
    )
