"""Tasks that search, as words and cells: the least value found, and what attempts cost.

The section on maintenance puts them into its tables; nothing is estimated here.
"""

from __future__ import annotations

from functools import partial

from dyno.analysis.tasks.model import TaskSearch
from dyno.report import numbers
from dyno.report.sections.points import codes
from dyno.report.sheets import Cell, Column, estimated, given, missing
from dyno.spec.units import format_bytes, plural

TITLE = "Searches"
MEAN = (
    "The least value of a variable at which the task's SQL succeeds, bisected in every "
    "good trial: the median of the blocks, and below it the 95 % interval of that arm alone, where "
    "there are three blocks. A trial in which the SQL never failed, or always failed, only bounds "
    "the value and isn't among the blocks. Attempts are the median over trials. What a failure "
    "took is work that was thrown away: the median of all failed attempts; below it is that of the "
    "successful ones. The time to undo attempts isn't counted."
)
NO_ANSWER = "no good trial found one"
NO_FAILURE = "no attempt failed"
COLUMNS = [
    Column("Least value", "less is better"),
    Column("Lowest to highest"),
    Column("Answered"),
    Column("Attempts"),
    Column("A failure took", "less is better"),
    Column("Failed with"),
    Column("n"),
]


def said(search: TaskSearch) -> str:
    """The answer in words, and what failures cost."""
    if search.least is None:
        answer = f"{search.variable}: {_bound(search) or NO_ANSWER}"
    else:
        least = numbers.estimate(search.least, plural(search.n, "block"), partial(_shown, search))
        answer = f"{search.variable} needs {least}"
        answer += "".join(f", {words}" for words in _bounded(search))
    return "; ".join(filter(None, (answer, _cost_said(search))))


def _cost_said(search: TaskSearch) -> str:
    if search.failed_s is None:
        return ""
    took = numbers.seconds(search.failed_s)
    times = _times(search)
    compared = f", {times} the time of those that succeeded" if times else ""
    attempts = plural(search.failed, "failed attempt")
    return f"{attempts} took {took} in the median{compared}"


def cells(search: TaskSearch, *, answered: Cell) -> list[Cell]:
    """A row of the table; `answered` shows how its trials ended."""
    span = numbers.span(search.least_min, search.least_max, partial(_shown, search))
    return [
        _least(search),
        given(span) if span else missing(NO_ANSWER),
        answered,
        missing(NO_ANSWER) if search.attempts is None else given(f"{search.attempts:g}"),
        _failure(search),
        codes(search.failed_codes),
        given(str(search.n), warn=search.n == 0),
    ]


def _least(search: TaskSearch) -> Cell:
    if search.least is None:
        bound = _bound(search)
        return given(bound, warn=True) if bound else missing(NO_ANSWER)
    found = estimated(search.least, partial(_shown, search), why=NO_ANSWER)
    also = _bounded(search)
    return given(found.text, ", ".join(filter(None, (found.below, *also))), warn=bool(also))


def _bound(search: TaskSearch) -> str:
    """What is known if no trial found it; "" if nothing is, or the trials disagree."""
    low, high = _shown(search, search.tried_from), _shown(search, search.tried_to)
    if search.never_failed and not search.always_failed:
        return f"never failed, down to {low}"
    if search.always_failed and not search.never_failed:
        return f"always failed, up to {high}"
    return ""


def _bounded(search: TaskSearch) -> list[str]:
    """The trials that only bound it, in words."""
    found = {"never failed": search.never_failed, "always failed": search.always_failed}
    return [f"{plural(count, 'trial')} {words}" for words, count in found.items() if count]


def _failure(search: TaskSearch) -> Cell:
    if search.failed_s is None:
        return missing(NO_FAILURE)
    times = _times(search)
    below = f"{times} the {numbers.seconds(search.ended_s)} of the others" if times else ""
    return given(numbers.seconds(search.failed_s), below)


def _times(search: TaskSearch) -> str:
    """How long a failure took as a multiple of a success; "" without successes."""
    if search.failed_s is None or not search.ended_s:
        return ""
    return f"{numbers.significant(search.failed_s / search.ended_s, 2)} times"


def _shown(search: TaskSearch, value: float) -> str:
    return format_bytes(round(value)) if search.in_bytes else numbers.count(round(value))
