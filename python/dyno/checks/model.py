"""A check: a name, a rule in words, and one statement that counts the rows that break it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """A rule. `sql` gives one row: how many rows break it, and one of them in words or NULL.

    `just_loaded`: the rule holds only right after the load, not once ops have run.
    """

    name: str
    says: str
    sql: str
    just_loaded: bool = False


@dataclass(frozen=True)
class Growth:
    """A rule between two times: the figure that `sql` gives grows by one with each op of the kind
    `op` that clients saw committed.
    """

    name: str
    says: str
    sql: str
    op: str


@dataclass(frozen=True)
class Checks:
    """The checks of a workload. A schema belongs to it if it has all `tables`; if `filled` has no
    rows there is nothing to check.
    """

    tables: frozenset[str]
    filled: str
    checks: tuple[Check, ...]
    growths: tuple[Growth, ...] = ()

    def that_apply(self, *, just_loaded: bool) -> list[Check]:
        """The checks that apply at this time, in order."""
        return [check for check in self.checks if just_loaded or not check.just_loaded]
