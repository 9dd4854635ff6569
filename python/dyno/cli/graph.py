"""`dyno graph`: output of load tools as charts. Reads files, measures nothing."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from dyno.cli.images import write_images
from dyno.cli.options import Json
from dyno.cli.screen import err, print_json
from dyno.errors import SpecError
from dyno.graph import NAMES, Graph, Wanted, charts, document, read, render_page
from dyno.spec.units import plural
from dyno.store.files import write_atomic

PAGE = "graph.html"


def graph(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Logs, CSV files or run folders, each as FILE or label=FILE; - is standard input.",
        ),
    ],
    labels: Annotated[
        list[str] | None,
        typer.Option("--label", help="The label of a file, in the order of the files. Repeatable."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help=f"All files are of this format: {', '.join(NAMES)}."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", help="The folder for graph.html and the charts.")
    ] = Path("graph"),
    json: Json = False,
) -> None:
    """Draw output of mysqlslap, sysbench, BenchBase, pgbench and Dyno: one page, SVG and PNG.

    The format is detected from the content. A log of several runs gives a line over connections.
    With --json nothing is drawn.
    """
    wanted = _wanted(files, labels or [], form)
    found = read(wanted)
    _tell(found)
    if json:
        print_json(document(found))
        return
    _write(found, out, _command(wanted, out))


def _wanted(files: list[str], labels: list[str], form: str | None) -> list[Wanted]:
    if form is not None and form not in NAMES:
        raise SpecError(f"--format: {form!r} is no format", hint=f"give one of {', '.join(NAMES)}")
    if len(labels) > len(files):
        raise SpecError(
            f"--label is given {len(labels)} times for {len(files)} files",
            hint="give at most one label a file",
        )
    found = []
    for place, argument in enumerate(files):
        file, label = _split(argument)
        if place < len(labels):
            label = labels[place]
        if label is not None and not label.strip():
            raise SpecError(f"{argument!r}: the label is empty", hint="write label=FILE")
        found.append(Wanted(file, label, form))
    return found


def _split(argument: str) -> tuple[str, str | None]:
    """A file's own name may hold a "=": what exists is a file."""
    label, sign, file = argument.partition("=")
    if not sign or Path(argument).exists():
        return argument, None
    return file, label


def _tell(found: Graph) -> None:
    """What was read, and what was passed over."""
    for reading in found.readings:
        runs, other = reading.found.runs, reading.found.other_lines
        said = f"{reading.file}: {reading.format}, {plural(len(runs), 'run')}"
        if other:
            said += f", {plural(len(other), 'other line')} skipped, the first is line {other[0]}"
        err.print(escape(said), soft_wrap=True)
        for note in reading.found.notes:
            err.print(escape(f"  note: {note}"), soft_wrap=True)


def _write(found: Graph, folder: Path, command: str) -> None:
    drawn = charts(found)
    if not drawn:
        raise SpecError(
            "there is nothing to draw: no run has a throughput, a latency or intervals",
            hint="dyno graph --json shows what was read",
        )
    write_images(drawn, folder)
    write_atomic(folder / PAGE, render_page(found, drawn, command).encode())
    names = ", ".join(chart.name for chart in drawn)
    err.print(escape(f"charts: {names} (.svg, .png)"), soft_wrap=True)
    err.print(f"\npage: {escape(str(folder / PAGE))}", soft_wrap=True)


def _command(wanted: list[Wanted], out: Path) -> str:
    """What repeats the page."""
    given = [f"{each.label}={each.file}" if each.label else each.file for each in wanted]
    form = ["--format", wanted[0].format] if wanted and wanted[0].format else []
    return shlex.join(["dyno", "graph", *given, *form, "--out", str(out)])
