"""The parts of the Markdown report that only loads have: what an op cost, and the generator."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.model import Findings
from dyno.report import costs_per_op, load
from dyno.report.markup import sheet, text
from dyno.report.sheets import Sheet


def why(f: Findings) -> Iterator[str]:
    """What an op cost on each arm, and the profiles."""
    if f.per_op:
        says = (
            "Less is better. Medians over trials, in brackets relative to the baseline where they "
            f"differ. {load.points_shown(f)}"
        )
        yield from _section("What one op cost", says, costs_per_op.costs_per_op(f), level=3)
    if f.profiles:
        profiles = costs_per_op.profiles(f)
        title = "Where the server's CPU time went"
        yield from _head(title, "Share of the server's CPU samples by function.", level=3)
        if profiles.rows:
            yield from sheet(profiles)
        for arms, reason in costs_per_op.unprofiled(f):
            yield f"- No profile of {text(arms)}: {text(reason)}"
        yield ""


def self_check(f: Findings) -> Iterator[str]:
    """Whether the load generator was the limit."""
    if f.generator:
        yield ""
        title = "The load generator's self-check"
        says = f"{costs_per_op.generator_says(f)} {load.points_shown(f)}"
        yield from _section(title, says, costs_per_op.generator(f), level=3)


def _section(title: str, says: str, made: Sheet, *, level: int = 2) -> Iterator[str]:
    yield from _head(title, says, level=level)
    yield from sheet(made)


def _head(title: str, says: str, *, level: int = 2) -> Iterator[str]:
    yield f"{'#' * level} {title}"
    yield ""
    yield text(says)
    yield ""
