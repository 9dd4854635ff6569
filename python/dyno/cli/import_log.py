"""`dyno import-log`: a real access log as rows for the workload `accesslog`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from dyno.cli.options import Json
from dyno.cli.screen import err, print_json
from dyno.spec.units import plural
from dyno.weblog import convert


def import_log(
    logs: Annotated[list[Path], typer.Argument(help="Logs, packed by gzip or not; - is stdin.")],
    out: Annotated[Path, typer.Option("--out", help="Where the rows go.")] = Path("accesslog.tsv"),
    json: Json = False,
) -> None:
    """Turn web access logs into rows for the workload accesslog.

    Common and Combined Log Format. Lines that are neither are counted, and kept beside the rows in
    a file with the ending .rejected.
    """
    rejected = out.with_name(out.name + ".rejected")
    done = convert(logs, out, rejected=rejected)
    if json:
        print_json({"schema": 1, "out": str(out), "rejected": str(rejected), **asdict(done)})
        return
    err.print(f"{plural(done.rows, 'row')} in {escape(str(out))}", soft_wrap=True)
    if done.cut:
        err.print(f"{plural(done.cut, 'value')} cut to the 255 characters of a column")
    for reason, count in done.malformed.items():
        first = escape(done.first[reason])
        err.print(
            f"{plural(count, 'line')} left out: {escape(reason)} (the first is {first})",
            soft_wrap=True,
        )
    if done.malformed:
        err.print(f"they are kept in {escape(str(rejected))}", soft_wrap=True)
