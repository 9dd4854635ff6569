"""The shapes of the checks' statements, for servers from MySQL 5.5 on. No table is known here.

Two sides that must agree are not joined: MySQL 5.5 has neither hash joins nor indexes on derived
tables. Instead UNION ALL stacks both sides, each with its figure in its own column, and one GROUP
BY over the keys compares the sums. That is an outer join as well: a key that only one side has
counts as 0 on the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """What one side of a comparison adds up: `value` of the rows of `source`, a figure a key.

    `keys` are its expressions for the keys of the comparison. `grouped`: `value` is an aggregate
    over each key's rows. Worth it where keys come in the order of an index or are few; other rows
    are summed up once, in the comparison.
    """

    name: str
    keys: tuple[str, ...]
    value: str
    source: str
    grouped: bool = False


def bad_rows(example: str, rows: str, *, big: bool = False) -> str:
    """How many rows `rows` (FROM … on) gives, and the least of their examples.

    `big`: there are many groups, to be sorted: a key on a temporary table gets slow with them.
    """
    hint = "SQL_BIG_RESULT " if big else ""
    return f"SELECT COUNT(*), MIN(example) FROM (SELECT {hint}{example} AS example {rows}) AS bad"


def balanced(keys: Sequence[str], left: Sequence[Term], right: Sequence[Term]) -> str:
    """The keys for which the terms of `left` don't sum up to those of `right`.

    Exact where the columns are. A figure that is NULL breaks the rule: nobody knows it.
    """
    terms = [*left, *right]
    names = [f"term_{place}" for place in range(len(terms))]
    sides = " UNION ALL ".join(_side(keys, term, place, names) for place, term in enumerate(terms))
    sums = [f"SUM({name})" for name in names]
    ours, theirs = " + ".join(sums[: len(left)]), " + ".join(sums[len(left) :])
    figures = [(term.name, total) for term, total in zip(terms, sums, strict=True)]
    return bad_rows(
        described(keys, figures),
        f"FROM ({sides}) AS sides GROUP BY {', '.join(keys)} "
        f"HAVING {ours} <> {theirs} OR COUNT({' + '.join(names)}) < COUNT(*)",
        big=True,
    )


def described(keys: Sequence[str], figures: Sequence[tuple[str, str]]) -> str:
    """An SQL expression for a text such as "w_id 1, d_id 2: d_ytd 30000.00, payments 29990.00"."""
    of = [f"'{', ' * (place > 0)}{key} ', {_shown(key)}" for place, key in enumerate(keys)]
    said = [
        f"'{', ' if place else ': '}{name} ', {_shown(value)}"
        for place, (name, value) in enumerate(figures)
    ]
    return f"CONCAT({', '.join([*of, *said])})"


def _side(keys: Sequence[str], term: Term, place: int, names: Sequence[str]) -> str:
    """A term's SELECT: the keys, its figure in its own column, 0 in all others."""
    columns = [f"{own} AS {key}" for own, key in zip(term.keys, keys, strict=True)]
    columns += [
        f"{term.value if other == place else 0} AS {name}" for other, name in enumerate(names)
    ]
    grouped = f" GROUP BY {', '.join(term.keys)}" if term.grouped else ""
    return f"SELECT {', '.join(columns)} FROM {term.source}{grouped}"


def _shown(value: str) -> str:
    return f"COALESCE({value}, 'NULL')"
