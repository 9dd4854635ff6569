"""A server may refuse a value that it has itself, once it is set: some defaults are out of range.
No row could have such a value, so it is found before rows are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dyno.analysis.why.factors import Found
from dyno.analysis.why.plan import differ_beyond_settings
from dyno.analysis.why.rows import with_values
from dyno.errors import SpecError
from dyno.spec.experiment import Arm
from dyno.spec.why import Factor


def settable(found: Found, first: Arm, second: Arm, starts: Callable[[Arm], bool]) -> Found:
    """The factors whose own values both servers take; the names of the others are with what
    belongs to the servers. `starts` says whether the server of an arm starts.

    Raises SpecError if the arms have one server, to which nothing can be left.
    """
    factors: Sequence[Factor] = found.factors
    for letter, arm in (("A", first), ("B", second)):
        factors = _taken(factors, [], _starts_with(arm, letter, starts))
    refused = [factor.name for factor in found.factors if factor not in factors]
    if refused and not differ_beyond_settings(first, second):
        raise SpecError(
            f"the server doesn't start once {', '.join(refused)} is set to the value it reported",
            hint="declare it in a form that the server reports as it takes it, or not at all",
        )
    return Found(list(factors), [*found.left, *refused])


def _starts_with(
    arm: Arm, letter: str, starts: Callable[[Arm], bool]
) -> Callable[[Sequence[Factor]], bool]:
    def tried(factors: Sequence[Factor]) -> bool:
        return starts(with_values(arm, arm.name, letter * len(factors), factors))

    return tried


def _taken(
    factors: Sequence[Factor],
    before: Sequence[Factor],
    starts: Callable[[Sequence[Factor]], bool],
) -> Sequence[Factor]:
    """Those of the factors that can be set together with those `before`, by halving: one start if
    it is all of them, twice the logarithm of their number for each that can't.
    """
    if not factors or starts([*before, *factors]):
        return factors
    if len(factors) == 1:
        return []
    half = len(factors) // 2
    first = _taken(factors[:half], before, starts)
    return [*first, *_taken(factors[half:], [*before, *first], starts)]
