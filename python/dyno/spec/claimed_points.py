"""At which points of a sweep a claim is made."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.errors import SpecError
from dyno.spec.changed import changed
from dyno.spec.choose import Options, choose_points
from dyno.spec.claim import Claim
from dyno.spec.experiment import Experiment
from dyno.spec.metrics import METRICS
from dyno.spec.point import At, Point
from dyno.spec.strict import LINE_MAX
from dyno.spec.words import near, shortened


def claimed_points(
    claim: Claim, experiment: Experiment, points: list[Point]
) -> Iterator[tuple[Claim, int | None]]:
    """The claim at each point that it is about, by its index in `points`, those of a run; None if
    the run leaves that point out. A claim about several points gets their labels.

    Raises SpecError for a claim about what the experiment's sweep hasn't got.
    """
    if claim.metric is not None and not METRICS[claim.metric].has_level:
        if claim.at is not None:
            raise SpecError(
                f"claim {claim.says!r}: {claim.metric} is the same at all levels",
                hint="leave at out",
            )
        yield claim, 0
        return
    if claim.at is not None and experiment.sweep is None:
        raise SpecError(
            f"claim {claim.says!r}: at names a level, and there is no sweep",
            hint="leave at out, or add a [sweep]",
        )
    places = {_place(point): index for index, point in enumerate(points)}
    wanted = points if claim.at == "each" else _wanted(claim, experiment)
    for point in wanted:
        is_one = claim.at != "each" and len(wanted) == 1
        yield (claim if is_one else _only(claim, point)), places.get(_place(point))


def _place(point: Point) -> tuple[str, int, float | None]:
    """What distinguishes it from all others, also from those that a run leaves out."""
    return point.variant.name if point.variant else "", point.connections, point.rate_per_s


def _only(claim: Claim, point: Point) -> Claim:
    """The claim at one of its points."""
    at = point.level if point.variant is None else At.only(point)
    return changed(
        claim, says=f"{shortened(claim.says, LINE_MAX - 80)} (at {point.label})"[:LINE_MAX], at=at
    )


def _wanted(claim: Claim, experiment: Experiment) -> list[Point]:
    """The points of the whole experiment that the claim is about."""
    known = choose_points(experiment, Options())
    labels = [point.label for point in known]
    if claim.at is None:
        if len(known) > 1:
            raise SpecError(
                f"claim {claim.says!r}: it names no level of the sweep",
                hint=f'add at = one of {", ".join(_short(known))}, or at = "each"',
            )
        return known
    at = _in_full(claim, experiment)
    found = [point for point in known if at.has(point)]
    if not found:
        what = "level" if isinstance(claim.at, float) else "point with"
        said = f"{claim.at:g}" if isinstance(claim.at, float) else _said(claim.at)
        raise SpecError(
            f"claim {claim.says!r}: the sweep has no {what} {said}",
            hint=near(said, _short(known) if isinstance(claim.at, float) else labels),
        )
    return found


def _short(points: list[Point]) -> list[str]:
    """How claims name them."""
    return [f"{p.level:g}" if p.variant is None else repr(p.label) for p in points]


def _said(at: object) -> str:
    """What a claim gave, as it wrote it."""
    if isinstance(at, At):
        return ", ".join(f"{k} {v}" for k, v in at.model_dump(exclude_unset=True).items())
    return str(at)


def _in_full(claim: Claim, experiment: Experiment) -> At:
    """The point that a claim means. A number is a level if the sweep has levels. Anything else is a
    script if the sweep is over scripts, else an option's value.
    """
    sweep = experiment.sweep
    assert sweep is not None, "claims without a sweep have no at"
    match claim.at:
        case At():
            return claim.at
        case float() | int() if sweep.over == "connections":
            return At(connections=int(claim.at))
        case float() | int() if sweep.over == "rate":
            return At(rate=claim.at)
        case str() if not sweep.variants:
            raise SpecError(
                f"claim {claim.says!r}: at is {claim.at!r}",
                hint='write a level of the sweep, or "each"',
            )
    return At(script=claim.at) if sweep.script else At(option=claim.at)
