"""The part of the Markdown report that only runs of `tpcc` have."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.model import Findings
from dyno.report import load, tpcc
from dyno.report.markup import sheet, text


def section(f: Findings) -> Iterator[str]:
    """New orders/min, response times, audit ranges and deviations; nothing for other runs."""
    if f.tpcc is None:
        return
    yield f"## {tpcc.TITLE}"
    yield ""
    yield text(tpcc.says(f))
    yield ""
    yield from (f"- ! {text(line)}" for line in tpcc.problems(f))
    yield ""
    for title, says, made in (
        ("", tpcc.ORDERS_MEAN, tpcc.orders(f)),
        ("Response times", f"{tpcc.TYPES_MEAN} {load.points_shown(f)}", tpcc.types(f)),
        ("Audit ranges", tpcc.AUDIT_MEANS, tpcc.audit(f)),
    ):
        if title:
            yield f"### {title}"
            yield ""
        yield text(says)
        yield ""
        yield from sheet(made)
        yield ""
    yield "### Deviations from the specification"
    yield ""
    yield from (f"- {text(line)}" for line in f.tpcc.deviations)
