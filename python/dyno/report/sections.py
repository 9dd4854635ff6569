"""The sections of a report, in their order, for all its forms.

A new one is a function that makes a `Section` of findings, or None where a run has nothing for it,
and a line here.
"""

from __future__ import annotations

from collections.abc import Callable

from dyno.analysis.model import Findings
from dyno.report import engine, linkbench, load_sections, storage, tasks, tpcc
from dyno.report.section import Section

SECTIONS: tuple[Callable[[Findings], Section | None], ...] = (
    load_sections.figures,
    load_sections.scaling,
    load_sections.stability,
    tpcc.section,
    linkbench.section,
    tasks.section,
    engine.costs_section,
    engine.sizes_section,
    storage.section,
)


def sections_of(findings: Findings) -> list[Section]:
    """Those that this run has."""
    made = (make(findings) for make in SECTIONS)
    return [section for section in made if section is not None]
