"""`dyno report`: findings and reports of a stored run; the end of `dyno run`, too."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dyno.analysis import find
from dyno.analysis.model import FINDINGS_SCHEMA, Findings
from dyno.cli import options as o
from dyno.cli.causes import conclude_causes, print_causes
from dyno.cli.concluded import show_conclusion, write_conclusion
from dyno.cli.find import find_run
from dyno.cli.images import write_images
from dyno.cli.losses import conclude_losses, print_losses
from dyno.cli.profiles import write_profiles
from dyno.cli.screen import print_text
from dyno.errors import SpecError
from dyno.recorded.record import file_late
from dyno.report import charts, render_html, render_markdown, render_terminal
from dyno.report.causes import causes_markdown, shares
from dyno.report.losses import losses_markdown, pictures
from dyno.store.run import RunFolder
from dyno.store.series import SeriesFolder, is_series


class Form(StrEnum):
    """What `dyno report` prints."""

    terminal = "terminal"
    markdown = "markdown"
    json = "json"


def report(
    run: Annotated[
        str, typer.Argument(help="A run folder, or an experiment's name: its newest run.")
    ],
    form: Annotated[Form, typer.Option("--format", help="What to print.")] = Form.terminal,
    images: Annotated[
        Path | None, typer.Option("--images", help="Also write each chart as SVG and PNG here.")
    ] = None,
    profiles: Annotated[
        Path | None,
        typer.Option(
            "--profiles",
            help="Also write the profiles here, as folded stacks and for speedscope.",
        ),
    ] = None,
    as_json: o.Json = False,
    runs: o.Out = Path("runs"),
) -> None:
    """Judge a stored run again and write its findings.json and report.html.

    Nothing is measured: it works on any machine that holds the folder. --json is the same as
    --format json.
    """
    if as_json:
        form = _as_json(form)
    path = find_run(run, runs)
    if profiles is not None:
        write_profiles(RunFolder.open(path), profiles)
    if is_series(path):
        _report_losses(SeriesFolder(path), form, images)
        return
    folder = RunFolder.open(path)
    if folder.plan().explains is not None:
        _report_causes(folder, form, images)
        return
    file_late(folder)
    findings = conclude(folder)
    if images is not None:
        write_images(charts(findings), images)
    if form is Form.markdown:
        print_text(render_markdown(findings))
    else:
        print_conclusion(folder, findings, json=form is Form.json)


def _as_json(form: Form) -> Form:
    if form is Form.markdown:
        raise SpecError("--json: --format asks for markdown", hint="give only one of them")
    return Form.json


def _report_causes(folder: RunFolder, form: Form, images: Path | None) -> None:
    causes = conclude_causes(folder)
    picture = shares(causes)
    if images is not None:
        write_images([picture] if picture else [], images)
    if form is Form.markdown:
        print_text(causes_markdown(causes))
    else:
        print_causes(folder, causes, json=form is Form.json)


def _report_losses(folder: SeriesFolder, form: Form, images: Path | None) -> None:
    losses = conclude_losses(folder)
    if images is not None:
        write_images(pictures(losses), images)
    if form is Form.markdown:
        print_text(losses_markdown(losses))
    else:
        print_losses(folder, losses, json=form is Form.json)


def conclude(folder: RunFolder) -> Findings:
    """Make the findings and write findings.json and report.html into the run folder."""
    findings = find(folder)
    write_conclusion(folder.path, findings, render_html(findings), schema=FINDINGS_SCHEMA)
    return findings


def print_conclusion(folder: RunFolder, findings: Findings, *, json: bool) -> None:
    """The findings on stdout, and where the report is on stderr."""
    show_conclusion(folder.path, findings, render_terminal, schema=FINDINGS_SCHEMA, json=json)
