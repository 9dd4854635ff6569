"""HTML, Markdown and terminal of a report about causes. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from dyno.analysis.signed import number
from dyno.analysis.why import Causes
from dyno.report import numbers, view
from dyno.report.causes.picture import shares
from dyno.report.causes.sections import sections
from dyno.report.forms import html, markup
from dyno.report.forms.terminal_parts import section, table
from dyno.report.numbers import MISSING
from dyno.spec.units import format_duration, plural


def run_facts(causes: Causes) -> list[str]:
    """How large the search was, in short."""
    run = causes.run
    return [
        plural(run.trials, "trial"),
        plural(len(causes.factors), "factor"),
        f"{format_duration(run.elapsed_s)} in all",
        f"started {run.started}",
    ]


def causes_html(causes: Causes) -> str:
    """The whole page."""
    picture = shares(causes)
    return (
        html.environment()
        .get_template("causes.html")
        .render(
            f=causes,
            facts=run_facts(causes),
            pictures=[html.picture(picture)] if picture else [],
            sections=sections(causes),
            view=view,
            missing=MISSING,
            numbers=numbers,
            findings_uri=html.gzipped(causes),
        )
    )


def causes_markdown(causes: Causes) -> str:
    """The whole report without its picture."""
    return markup.page(_markdown(causes))


def _markdown(causes: Causes) -> Iterator[str]:
    text = markup.text
    yield from (f"# {text(causes.title)}", "")
    first, *others = causes.answer
    yield from (f"**{text(first)}**", "")
    for line in others:
        yield from (text(line), "")
    yield from (text(", ".join(run_facts(causes)) + "."), "")
    for made in sections(causes):
        yield from (*markup.section(made), "")
    yield from ("## Repeat it", "", "```sh", causes.run.repeat, "```", "")
    yield f"Dyno {text(causes.run.dyno)}, run {text(causes.run.id)}."


def causes_terminal(causes: Causes) -> RenderableType:
    """The short form: the answer and the shares."""
    parts: list[RenderableType] = [
        Text(causes.title, style="bold"),
        Text(""),
        *(Text(line, style="" if i else "bold") for i, line in enumerate(causes.answer)),
        Text(""),
    ]
    if causes.causes:
        drawn = table(("cause", False), ("points", True), ("", False), ("", False))
        for cause in causes.causes:
            value = numbers.point(cause.points, number)
            ends = numbers.ends(cause.points, number)
            drawn.add_row(*map(Text, (cause.name, value, ends, cause.standing)))
        parts += [drawn, Text("")]
    for made in sections(causes):
        parts += section(made)
    parts.append(Text(", ".join(run_facts(causes)) + ".", style="dim"))
    return Group(*parts)
