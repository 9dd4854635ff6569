"""`dyno host`: what makes this host unsteady, and settings that steady it."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from dyno.cli.options import Json
from dyno.cli.screen import err, out, plain_table, print_json
from dyno.errors import SpecError
from dyno.home import find_home
from dyno.host import KNOBS, Change, Finding, changes, look, restore, tune
from dyno.spec.units import plural
from dyno.spec.words import refuse_unknown

app = typer.Typer(
    help="See what makes this host unsteady, and set it so that it is steady.",
    no_args_is_help=True,
)

STYLES = {"ok": "green", "warning": "yellow", "unknown": "dim"}


@app.command()
def check(json: Json = False) -> None:
    """Say what makes this host unsteady and how much it matters here. Changes nothing."""
    found = list(look(lambda text: err.print(f"[dim]{escape(text)} …[/]")))
    if json:
        print_json([asdict(finding) for finding in found])
        return
    out.print(_table(found))
    for finding in found:
        if finding.effect:
            out.print(f"{finding.name}: {escape(finding.effect)}")
    warned = [finding for finding in found if finding.state == "warning"]
    if not warned:
        out.print("\nNothing here makes this host unsteady.")
        return
    out.print("\n[bold]Why it matters[/]")
    for finding in warned:
        out.print(f"{finding.name}: {escape(finding.matters)}")
    if any(finding.tunable for finding in warned):
        out.print("\ndyno host tune changes the settings that help, and asks before each.")


def _table(found: list[Finding]) -> Table:
    table = plain_table("", "what", "here")
    for finding in found:
        state = f"[{STYLES[finding.state]}]{finding.state}[/]"
        table.add_row(state, finding.name, escape(finding.value))
    return table


@app.command("tune")
def tune_command(
    yes: Annotated[bool, typer.Option("--yes", help="Agree to all of them.")] = False,
    only: Annotated[
        str | None, typer.Option("--only", help="Only these, with commas between them.")
    ] = None,
) -> None:
    """Set what you agree to, and keep what was there before for dyno host restore."""
    home = find_home().root
    wanted = changes(only=_named(only))
    if not wanted:
        out.print("Nothing to set: every setting is right already, or this host doesn't have it.")
        return
    agreed = [change for name in _names(wanted) for change in _agreed(name, wanted, yes=yes)]
    if not agreed:
        out.print("Nothing was changed.")
        return
    done = tune(agreed, home)
    for name in _names(done):
        out.print(f"{name}: {_values([c for c in done if c.knob == name])}")
    for name in _names([change for change in agreed if change not in done]):
        err.print(f"[yellow]{name}: the kernel didn't accept the value[/]")
    out.print("dyno host restore puts back what was there. A reboot does, too.")


@app.command("restore")
def restore_command() -> None:
    """Put back what dyno host tune has changed."""
    kept = restore(find_home().root)
    if not kept:
        out.print("Nothing to put back.")
    for one in kept:
        done = f"{one.change.before} again" if one.put_back else f"left as it is: {one.why}"
        out.print(f"{one.change.path}: {done}", soft_wrap=True)


def _named(only: str | None) -> list[str] | None:
    if only is None:
        return None
    names = [name.strip() for name in only.split(",")]
    for name in names:
        refuse_unknown(name, [knob.name for knob in KNOBS], what="setting", where="--only: ")
    return names


def _names(some: list[Change]) -> list[str]:
    return list(dict.fromkeys(change.knob for change in some))


def _agreed(name: str, wanted: list[Change], *, yes: bool) -> list[Change]:
    """The knob's changes, if the user wants them."""
    own = [change for change in wanted if change.knob == name]
    matters = next(knob.matters for knob in KNOBS if knob.name == name)
    out.print(f"[bold]{name}[/]: {_values(own)}\n  {escape(matters)}")
    if yes:
        return own
    if not sys.stdin.isatty():
        raise SpecError(
            "standard input isn't a terminal, and dyno host tune asks before each change",
            hint="agree to all with --yes",
        )
    return own if typer.confirm("  set it?", default=False) else []


def _values(some: list[Change]) -> str:
    """From what to what, in how many files."""
    pairs = dict.fromkeys(f"{change.before} → {change.wanted}" for change in some)
    files = f" ({plural(len(some), 'file')})" if len(some) > 1 else ""
    return escape(", ".join(pairs)) + files
