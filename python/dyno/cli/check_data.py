"""`dyno check-data` and `dyno check-isolation`: are the data of a workload whole, and does a server
keep transactions apart? They measure nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Annotated, Literal

import typer
from rich.markup import escape
from rich.table import Table

from dyno.checks import KINDS, Check, find_kind, run_checks
from dyno.checks.isolation import LEVELS, IsolationTest, Level
from dyno.cli.login import login
from dyno.cli.options import Json, engine_from, seconds_from
from dyno.cli.screen import out, plain_table, print_json, telling
from dyno.errors import BrokenDataError, ServerError, SpecError
from dyno.runner.isolation import check_isolation as run_isolation
from dyno.servers import WORK_S, reach
from dyno.spec.data_check import DataCheck
from dyno.spec.server_ref import parse_server
from dyno.spec.units import plural

STATES = {"ok": "[green]ok[/]", "broken": "[bold red]broken[/]", "not checked": "not checked"}
Server = Annotated[
    str,
    typer.Option(
        "--server",
        help="mysql://user@host:port/ or mysql://user@/?socket=/path (password as with dyno run), "
        "or the name of a server that dyno servers start runs.",
    ),
]


def check_data(
    server: Server,
    schema: Annotated[str, typer.Option("--schema", help="The schema with the workload's tables.")],
    just_loaded: Annotated[
        bool, typer.Option("--just-loaded", help="Also what holds right after the load only.")
    ] = False,
    timeout: Annotated[
        str, typer.Option("--timeout", help="Give a check up after this long, e.g. 10m.")
    ] = "6h",
    json: Json = False,
) -> None:
    """Check the rules of a workload's data on a snapshot of a schema; nothing is changed."""
    answer_s = seconds_from("--timeout", timeout) or WORK_S
    found = reach(parse_server(server), login=login())
    connected = found.admin(schema, answer_s=answer_s)
    with contextlib.closing(connected) as connection, telling("connecting") as say:
        kind = find_kind(connection)

        def on_check(check: Check, number: int, count: int) -> None:
            say(f"{number} of {count}: {check.name}, {check.says}")

        checks = run_checks(connection, kind, just_loaded=just_loaded, on_check=on_check)
    if json:
        rows = [check.model_dump(mode="json") for check in checks]
        print_json({"workload": kind, "just_loaded": just_loaded, "checks": rows})
    else:
        out.print(_checks_table(kind, checks))
        left_out = [check.name for check in KINDS[kind].checks if check.just_loaded]
        if left_out and not just_loaded:
            out.print(
                f"\n{plural(len(left_out), 'more check')} hold right after the load only: "
                "--just-loaded"
            )
    _end("checks of the data", [(check.name, check.state) for check in checks])


def check_isolation(
    server: Server,
    schema: Annotated[
        str | None,
        typer.Option("--schema", help="A schema of Dyno's with the tables; default: a new one."),
    ] = None,
    isolation: Annotated[
        list[str] | None,
        typer.Option("--isolation", help=f"{', '.join(LEVELS)}. Repeatable; default: the first."),
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", help="The engine of the tables of the new schema.")
    ] = "InnoDB",
    json: Json = False,
) -> None:
    """Run the isolation tests 1 to 9 of TPC-C with two sessions, on rows made for them."""
    levels = _levels(isolation)
    if schema is not None and engine != "InnoDB":
        raise SpecError(
            f"--engine {engine}: the tables of {schema!r} have theirs", hint="leave --engine out"
        )
    engine_from("--engine", engine)
    found = reach(parse_server(server), login=login())
    with telling("connecting") as say:
        tests = run_isolation(
            found,
            schema=schema,
            engine=engine,
            levels=levels,
            where=str(found.address),
            on_test=lambda test: say(f"{test.isolation}, test {test.number}: {test.state}"),
        )
    if json:
        print_json([test.model_dump(mode="json") for test in tests])
    else:
        out.print(_tests_table(tests))
    _end("isolation tests", [(f"test {t.number} ({t.isolation})", t.state) for t in tests])


def _levels(given: list[str] | None) -> list[Level]:
    unknown = [name for name in given or [] if name not in LEVELS]
    if unknown:
        raise SpecError(
            f"--isolation: there is no level {unknown[0]!r}", hint=f"give {', '.join(LEVELS)}"
        )
    return [level for level in LEVELS if level in (given or LEVELS[:1])]


def _checks_table(kind: str, checks: Sequence[DataCheck]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title=f"Data of {kind}")
    table.title_justify = "left"
    for heading in ("check", "state", "bad rows", "s", "rule, and an example against it"):
        table.add_column(heading, justify="right" if heading in ("bad rows", "s") else "left")
    table.columns[4].overflow = "fold"
    for check in checks:
        seen = "; ".join(part for part in (check.example, check.reason) if part)
        table.add_row(
            escape(check.name),
            STATES[check.state],
            "—" if check.bad_rows is None else f"{check.bad_rows:,}",
            f"{check.duration_s:.2f}",
            escape(check.says + (f"; {seen}" if seen else "")),
        )
    return table


def _tests_table(tests: Sequence[IsolationTest]) -> Table:
    table = plain_table("test", "level", "state", "what must hold, and what was seen")
    table.columns[3].overflow = "fold"
    for test in tests:
        table.add_row(
            str(test.number),
            test.isolation,
            STATES[test.state],
            escape(f"{test.says}; {test.seen}"),
        )
    return table


State = Literal["ok", "broken", "not checked"]


def _end(what: str, states: Sequence[tuple[str, State]]) -> None:
    """Raise what decides the exit code: broken goes before not checked."""
    broken = [name for name, state in states if state == "broken"]
    unknown = [name for name, state in states if state == "not checked"]
    if broken:
        raise BrokenDataError(
            f"{len(broken)} of {len(states)} {what} are broken: {', '.join(broken)}",
            hint="docs/reference/data-checks.md says what each can see",
        )
    if unknown:
        raise ServerError(
            f"{len(unknown)} of {len(states)} {what} could not be made: {', '.join(unknown)}",
            hint="the reason stands beside each",
        )
