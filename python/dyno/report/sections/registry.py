"""The sections of a report, in order, for all its forms.

A new one is a function that makes a `Section` of findings, or None if a run has nothing for it,
and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dyno.analysis.model import Findings
from dyno.report.section import Section
from dyno.report.sections import (
    control,
    costs_per_op,
    counters,
    engine,
    generator,
    linkbench,
    load,
    plans,
    profiles,
    scripts,
    setting,
    spread,
    storage,
    tasks,
    tpcc,
    waits,
    why,
)

SECTIONS: tuple[Callable[[Findings], Section | None], ...] = (
    scripts.section,
    load.figures,
    load.scaling,
    load.stability,
    tpcc.section,
    linkbench.section,
    tasks.section,
    engine.costs_section,
    engine.sizes_section,
    storage.section,
    generator.section,
    control.section,
)
# Why the results are as they are.
REASONS: tuple[Callable[[Findings], Section | None], ...] = (
    why.section,
    costs_per_op.section,
    profiles.section,
    waits.section,
    counters.section,
    plans.section,
)
# After everything else.
CLOSING: tuple[Callable[[Findings], Section | None], ...] = (
    spread.section,
    setting.costs,
    setting.host,
    setting.limits,
)


def sections_of(findings: Findings) -> list[Section]:
    """Those that this run has, up to the comparisons."""
    return _made(SECTIONS, findings)


def reasons_of(findings: Findings) -> list[Section]:
    """Those after the comparisons."""
    return _made(REASONS, findings)


def closing_of(findings: Findings) -> list[Section]:
    """Those at the end."""
    return _made(CLOSING, findings)


def _made(
    makers: Iterable[Callable[[Findings], Section | None]], findings: Findings
) -> list[Section]:
    made = (make(findings) for make in makers)
    return [section for section in made if section is not None]
