"""The report as one HTML file that loads nothing: styles, script, charts and data are inside.

Pure: the same findings give the same bytes. Every text is escaped by Jinja; only the drawn charts,
whose texts the drawing library has escaped, and our own style sheet and script are inserted as is.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from pydantic import BaseModel

from dyno.analysis.model import Findings
from dyno.report import numbers, view
from dyno.report.charts import Chart, charts, look
from dyno.report.section import FlameGraph, Section
from dyno.report.sections.registry import closing_of, reasons_of, sections_of
from dyno.spec.units import plural

NO_BREAK = "\N{NO-BREAK SPACE}"
ROOM = Path(__file__).parents[1]
# What a data URI in a quoted attribute can hold unescaped: all but quotes, &, %, #, < and >.
PLAIN_IN_URI = " !$()*+,-./:;=?@[]^_{|}~"
# The colours of the charts and what the style sheet calls them; see charts/look.py.
PALETTE = {
    look.PAPER: "paper",
    look.INK: "ink",
    look.MUTED: "muted",
    look.GRID: "grid",
    look.AXIS: "axis",
    look.LESS: "less",
    look.MORE: "more",
    look.EVEN: "even",
    look.BAND: "band",
    look.BAND_EDGE: "band-edge",
    look.DOT: "dot",
    look.BASE: "base",
    **{colour: f"arm-{place}" for place, colour in enumerate(look.ARMS, 1)},
}
_SVG_SIZE = re.compile(r'^(<svg[^>]*?) width="([\d.]+)" height="[\d.]+"')

FILTERS: dict[str, Callable[..., str]] = {
    "ratio": numbers.ratio,
    "seconds": lambda value: numbers.seconds(value).replace(" ", NO_BREAK),
    "count": numbers.count,
    "percent": lambda value: numbers.percent(value).replace(" ", NO_BREAK),
    "probability": numbers.probability,
    "settings": view.settings_text,
    "breakable": lambda name: escape(name).replace("_", Markup("_<wbr>")),
}


@dataclass(frozen=True)
class Picture:
    """A chart as it appears on the page, with its downloads."""

    chart: Chart
    wide: Markup
    narrow: Markup
    svg_uri: str
    spec_uri: str


def render_html(findings: Findings) -> str:
    """The whole report. Raises nothing of its own: whatever is missing is named."""
    sections, reasons = sections_of(findings), reasons_of(findings)
    return (
        environment()
        .get_template("report.html")
        .render(
            f=findings,
            numbers=numbers,
            plural=plural,
            view=view,
            load=view.is_load(findings),
            sections=sections,
            reasons=reasons,
            flame_script=_flame_script(reasons),
            closing=closing_of(findings),
            pictures=[picture(chart) for chart in charts(findings)],
            findings_uri=gzipped(findings),
        )
    )


def environment(*more: Path) -> Environment:
    """The templates of `more` folders before our own, with what every page contains."""
    made = Environment(
        loader=FileSystemLoader([*more, ROOM / "templates"]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters |= FILTERS
    made.globals |= {"style": Markup(_style()), "script": Markup(_asset("report.js"))}
    return made


def _flame_script(sections: list[Section]) -> Markup:
    """The library and what draws with it, if there is anything to draw."""
    drawn = any(block.form == FlameGraph.form for made in sections for block in made.blocks)
    return Markup(_asset("flames.js") + _asset("flame.js") if drawn else "")


def _asset(name: str) -> str:
    return (ROOM / "assets" / name).read_text(encoding="utf-8")


def _style() -> str:
    """The style sheet, with a rule for each chart colour in dark mode."""
    rules = [
        f'.drawn [{paint}="{colour}"] {{ {paint}: var(--{name}); }}'
        for colour, name in PALETTE.items()
        for paint in ("fill", "stroke")
    ]
    return _asset("report.css") + "\n".join(rules)


def picture(chart: Chart) -> Picture:
    wide, narrow = chart.svg(), chart.svg(narrow=True)
    spec = json.dumps(chart.spec, ensure_ascii=False, separators=(",", ":"))
    return Picture(
        chart=chart,
        wide=_inline(wide, f"{chart.name}-wide", chart),
        narrow=_inline(narrow, f"{chart.name}-narrow", chart),
        svg_uri=_text_uri("image/svg+xml", wide),
        spec_uri=_text_uri("application/json", spec),
    )


def _inline(svg: str, prefix: str, chart: Chart) -> Markup:
    """A drawn chart for inlining: own ids, a name for screen readers, width set by the page."""
    found = _SVG_SIZE.match(svg)
    width = found.group(2) if found else "930"
    svg = _SVG_SIZE.sub(r"\1", svg, count=1)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    label = Markup.escape(f"{chart.title}. {chart.caption}")
    head = f'<svg role="img" aria-label="{label}" style="max-width:{width}px"'
    return Markup(svg.replace("<svg", head, 1))


def gzipped(findings: BaseModel) -> str:
    """All findings, as the address of a download."""
    packed = gzip.compress(findings.model_dump_json().encode(), compresslevel=9, mtime=0)
    return data_uri("application/gzip", packed)


def _text_uri(kind: str, content: str) -> str:
    """Text in a data URI: percent-encoded, which is smaller than base64 and stays legible."""
    return f"data:{kind};charset=utf-8,{quote(content, safe=PLAIN_IN_URI)}"


def data_uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
