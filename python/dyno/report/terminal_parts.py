"""What the parts of the terminal's report are made of: headings, tables, cells of a comparison."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from dyno.analysis.model import Compared
from dyno.report import numbers


def heading(title: str, says: str) -> Text:
    """The head of a part, and what it says in short."""
    return Text.assemble("\n", (title, "bold"), "  ", (says, "dim"))


def table(*columns: tuple[str, bool]) -> Table:
    """An empty table; a column that is numeric stands to the right and is never wrapped."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, numeric in columns:
        made.add_column(
            name, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold"
        )
    return made


def estimate(compared: Compared) -> list[Text]:
    """Ratio, interval, n and state of a comparison."""
    known = compared.ratio_low is not None and compared.ratio_high is not None
    bounds = numbers.interval(compared.ratio_low, compared.ratio_high)
    state = compared.state + (", tail-driven" if compared.tail_driven else "")
    return [
        Text(numbers.ratio(compared.ratio), style="bold"),
        Text(bounds if known else numbers.MISSING),
        Text(str(compared.n)),
        Text(state, style="" if compared.state == "different" else "dim"),
    ]
