"""The end of every run: its findings and report are written, then shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel
from rich.console import RenderableType
from rich.markup import escape

from dyno.cli.screen import err, out, print_json
from dyno.store.files import write_atomic, write_json

REPORT = "report.html"
Shown = TypeVar("Shown", bound=BaseModel)


def write_conclusion(folder: Path, findings: BaseModel, page: str, *, schema: int) -> None:
    """Write findings.json and report.html into a run folder. Raises StoreError."""
    write_json(folder / "findings.json", findings.model_dump(mode="json"), schema=schema)
    write_atomic(folder / REPORT, page.encode())


def show_conclusion(
    folder: Path,
    findings: Shown,
    render: Callable[[Shown], RenderableType],
    *,
    schema: int,
    json: bool,
) -> None:
    """The findings on stdout, as JSON or rendered, and where the report is on stderr."""
    if json:
        print_json({"schema": schema, **findings.model_dump(mode="json")})
    else:
        out.print(render(findings))
    err.print(f"\nreport: {escape(str(folder / REPORT))}", soft_wrap=True)
