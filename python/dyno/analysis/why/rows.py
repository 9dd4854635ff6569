"""From a row of A's and B's values to the arm that has them."""

from __future__ import annotations

from collections.abc import Sequence

from dyno.analysis.why.factors import joined
from dyno.spec.changed import changed
from dyno.spec.experiment import Arm, Settings
from dyno.spec.renamed import all_names, normal_name
from dyno.spec.why import ROW, Explained, Factor

# What stands for the servers themselves, and all that goes with them.
SERVERS = "the servers"


def names_of(explained: Explained) -> tuple[str, ...]:
    """The factors in the order of a row's letters."""
    names = tuple(factor.name for factor in explained.factors)
    return (*names, SERVERS) if explained.server else names


def arm_name(row: str, explained: Explained) -> str:
    """The name of a row's arm."""
    ends = {"A": explained.first, "B": explained.second}
    return ends[row[0]] if len(set(row)) == 1 else ROW + row


def arm_of(row: str, explained: Explained, first: Arm, second: Arm) -> Arm:
    """The arm of a row of `A` and `B`. A row of one letter is the arm itself, as it was measured;
    every other one has each factor set, and the rest of its server's arm.
    """
    name = arm_name(row, explained)
    base = second if explained.base_of(name) == second.name else first
    if name == base.name:
        return base
    return with_values(base, name, row[: len(explained.factors)], explained.factors)


def with_values(base: Arm, name: str, letters: str, factors: Sequence[Factor]) -> Arm:
    """The arm with each of these factors set to A's or B's value, by its letter."""
    chosen = list(zip(letters, factors, strict=True))
    settings = [f.first if letter == "A" else f.second for letter, f in chosen]
    session = [f.first_session if letter == "A" else f.second_session for letter, f in chosen]
    keys = [f.first_keys if letter == "A" else f.second_keys for letter, f in chosen]
    return changed(
        base,
        name=name,
        baseline=False,
        floor=None,
        settings=without(base.settings, factors) | joined(*settings),
        session=without(base.session, factors) | joined(*session),
        **{key: value for part in keys for key, value in part.items()},
    )


def without(settings: Settings, factors: Sequence[Factor]) -> Settings:
    """Those that no factor sets, under any of their names."""
    parts = [p for f in factors for p in (f.first, f.second, f.first_session, f.second_session)]
    taken = all_names(normal_name(name) for part in parts for name in part)
    return {
        name: value
        for name, value in settings.items()
        if not all_names([normal_name(name)]) & taken
    }
