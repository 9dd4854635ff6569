"""The part of the Markdown report that only runs of `tpcc` have."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.model import Findings
from dyno.report import load, tpcc
from dyno.report.markup import own_part


def section(f: Findings) -> Iterator[str]:
    """New orders/min, response times, audit ranges and deviations; nothing for other runs."""
    if f.tpcc is None:
        return
    yield from own_part(
        tpcc.TITLE,
        tpcc.says(f),
        tpcc.problems(f),
        [
            ("", tpcc.ORDERS_MEAN, tpcc.orders(f)),
            ("Response times", f"{tpcc.TYPES_MEAN} {load.points_shown(f)}", tpcc.types(f)),
            ("Audit ranges", tpcc.AUDIT_MEANS, tpcc.audit(f)),
        ],
        ("Deviations from the specification", f.tpcc.deviations),
    )
