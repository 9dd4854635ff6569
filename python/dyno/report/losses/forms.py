"""HTML, Markdown and terminal of a report about losses. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from dyno.analysis.durability import Losses, Mark
from dyno.report import numbers, view
from dyno.report.charts.chart import Chart
from dyno.report.forms import html, markup
from dyno.report.forms.terminal_parts import heading, section, table
from dyno.report.losses.matrix import LEGEND, Matrix, matrix
from dyno.report.losses.picture import last_seconds
from dyno.report.losses.price_picture import prices
from dyno.report.losses.sections import sections, tally
from dyno.report.numbers import MISSING
from dyno.spec.units import format_duration, plural

_STYLES: dict[Mark, str] = {
    "loses": "red",
    "breaks": "bold red",
    "keeps": "green",
    "not tested": "yellow",
    "no crash": "dim",
}


def run_facts(losses: Losses) -> list[str]:
    """How large the series was, in short."""
    run = losses.run
    found = [
        plural(len(losses.crashes), "crash"),
        plural(len(losses.arms), "arm"),
        f"{format_duration(run.elapsed_s)} in all",
    ]
    return [*found, *(["quick form"] if run.quick else []), f"started {run.started}"]


def ending(losses: Losses) -> str:
    """Why the run ended, as a sentence."""
    reason = f": {losses.run.reason}" if losses.run.reason else ""
    return f"The run is {losses.run.state}{reason}."


def pictures(losses: Losses) -> list[Chart]:
    """Those that there is something for."""
    return [chart for chart in (prices(losses), last_seconds(losses)) if chart is not None]


def losses_html(losses: Losses) -> str:
    """The whole page."""
    return (
        html.environment()
        .get_template("losses.html")
        .render(
            f=losses,
            facts=run_facts(losses),
            ending=ending(losses),
            matrix=matrix(losses),
            legend=LEGEND,
            pictures=[html.picture(chart) for chart in pictures(losses)],
            sections=[made for made in sections(losses) if made.name != "claims"],
            tally=tally(losses),
            view=view,
            missing=MISSING,
            numbers=numbers,
            findings_uri=html.gzipped(losses),
        )
    )


def losses_markdown(losses: Losses) -> str:
    """The whole report without its picture."""
    return markup.page(_markdown(losses))


def _markdown(losses: Losses) -> Iterator[str]:
    text = markup.text
    yield from (f"# {text(losses.title)}", "", f"*{text(losses.question)}*", "")
    first, *others = losses.answer
    yield from (f"**{text(first)}**", "")
    for line in others:
        yield from (text(line), "")
    yield from (text(", ".join(run_facts(losses)) + "."), "")
    yield from ("## What is lost", "")
    drawn = matrix(losses)
    rows = (
        [
            text(name),
            *(f"**{c.letter}** {text(c.below)}".strip() if c else MISSING for c in cells),
        ]
        for name, cells in drawn.rows
    )
    yield from markup.table(["Arm", *map(text, drawn.headings)], rows)
    yield from (text(LEGEND), "")
    for made in sections(losses):
        yield from (*markup.section(made), "")
    yield from ("## Repeat it", "", "```sh", losses.run.repeat, "```", "")
    yield f"Dyno {text(losses.run.dyno)}, run {text(losses.run.id)}."


def losses_terminal(losses: Losses) -> RenderableType:
    """The short form: the answer, the matrix, the claims."""
    parts: list[RenderableType] = [
        Text(losses.title, style="bold"),
        Text(losses.question, style="dim"),
        Text(""),
        *(Text(line, style="" if i else "bold") for i, line in enumerate(losses.answer)),
        Text(""),
        Text(f"{', '.join(run_facts(losses))}. {ending(losses)}", style="dim"),
        heading("What is lost", ""),
        _drawn(matrix(losses)),
        Text(LEGEND, style="dim"),
    ]
    for made in sections(losses):
        parts += section(made)
    return Group(*parts)


def _drawn(made: Matrix) -> RenderableType:
    drawn = table(("arm", False), *((name, False) for name in made.headings))
    for name, cells in made.rows:
        shown = [
            Text(f"{cell.letter}  {cell.below}".strip(), style=_STYLES[cell.mark])
            if cell
            else Text(MISSING, style="dim")
            for cell in cells
        ]
        drawn.add_row(Text(name), *shown)
    return drawn
