"""The part of the Markdown report about how tables are kept and written."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.model import Findings
from dyno.report import load, storage
from dyno.report.markup import sheet, text


def section(f: Findings) -> Iterator[str]:
    """Tables, indexes, bytes of an op, packing, loads; nothing where no trial told them."""
    made = storage.parts(f)
    if not made:
        return
    yield from (f"## {storage.TITLE}", "")
    for title, means, table in made:
        more = f" {load.points_shown(f)}" if title == "Written for an op" else ""
        yield from (f"### {title}", "", text(f"{means}{more}"), "", *sheet(table), "")
    yield from (f"- {text(line)}" for line in storage.unavailable(f))
