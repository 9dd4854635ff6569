"""The part of the Markdown report that only runs of `linkbench` have."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.model import Findings
from dyno.report import linkbench, load
from dyno.report.markup import own_part


def section(f: Findings) -> Iterator[str]:
    """Rates and lists, ops, what was asked, deviations; nothing for other runs."""
    if f.linkbench is None:
        return
    yield from own_part(
        linkbench.TITLE,
        linkbench.says(f),
        linkbench.problems(f),
        [
            ("", linkbench.POINTS_MEAN, linkbench.points(f)),
            ("Ops", f"{linkbench.OPS_MEAN} {load.points_shown(f)}", linkbench.ops(f)),
            ("Asked as it should be", linkbench.DRAWS_MEAN, linkbench.draws(f)),
        ],
        ("Deviations from the original", f.linkbench.deviations),
    )
