"""The subcommands of `dyno`, each loaded when it is asked for, and the options before their names.

Loading all of them takes two seconds, of which most go to what only reports need.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from copy import copy
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from dyno import __version__
from dyno.cli.doors import DOORS
from dyno.cli.listed import listed
from dyno.errors import SpecError

EPILOG = (
    "Exit codes: 0 done · 1 internal error · 2 wrong arguments or experiment · 3 a server can't "
    "be fetched, started or reached · 4 the load failed, or a load host was lost · 5 the run "
    "folder can't be read or written · 6 no usable result · 7 broken data · 8 power cuts can't be "
    "made here · 130 interrupted. Data goes to stdout, messages to stderr; NO_COLOR is honoured."
)
# Every command in the order of --help, and where it is: a module of this room, and a function or a
# group of commands in it.
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("run", "run"),
    "check": ("check", "check"),
    "check-data": ("check_data", "check_data"),
    "check-isolation": ("check_data", "check_isolation"),
    "check-durability": ("check_durability", "check_durability"),
    "experiments": ("experiments", "experiments"),
    "report": ("report", "report"),
    "why": ("why", "why"),
    "graph": ("graph", "graph"),
    "import-log": ("import_log", "import_log"),
    "watch": ("watch", "watch"),
    **dict.fromkeys(DOORS, ("doors", "passed_on")),
    "servers": ("servers", "app"),
    "host": ("host", "app"),
    "hosts": ("hosts", "app"),
}


class Commands(TyperGroup):
    """The commands of the table above."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load one."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _load(cmd_name)
        return self.commands[cmd_name]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """List them without loading them."""
        group = copy(self)
        group.commands = {name: _listed(name) for name in COMMANDS}
        super(Commands, group).format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command of a command line; one that isn't there is named with the nearest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise SpecError(f"there is no command {args[0]!r}", hint=_hint_for(args[0]))
        return super().resolve_command(ctx, args)


def _hint_for(name: str) -> str:
    # It takes time to load, as all that only a mistake needs.
    from dyno.spec.words import near

    return near(name, COMMANDS)


def _listed(name: str) -> TyperCommand:
    if name in DOORS:
        return TyperCommand(name, help=DOORS[name])
    return listed(name, *COMMANDS[name])


def _load(name: str) -> Any:
    """The command or group `name`, from a function or from an app with several."""
    module, attribute = COMMANDS[name]
    # Loaded objects stay alive; a garbage collector that scans them takes a tenth of the time.
    gc.disable()
    found = getattr(import_module(f"dyno.cli.{module}"), attribute)
    gc.freeze()
    gc.enable()
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(found)
        group.name = name
        return group
    one = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    is_door = name in DOORS
    one.command(name, help=DOORS.get(name), add_help_option=not is_door, context_settings=_HELP)(
        found
    )
    return typer.main.get_command(one)


_HELP = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    name="dyno",
    cls=Commands,
    help="A test bench for database storage engines: real servers, interleaved trials, "
    "an interval with every figure.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings=_HELP,
)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"dyno {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before the subcommand."""


def run(arguments: Sequence[str]) -> int:
    """Run a command line; gives the exit code. Raises DynoError, also for what can't be parsed."""
    command = typer.main.get_command(app)
    try:
        code = command.main(args=list(arguments), prog_name="dyno", standalone_mode=False)
    except _UsageError as error:
        path = error.ctx.command_path if error.ctx is not None else _path_in(arguments)
        error.message = _with_the_value(error)
        said = error.format_message().strip().rstrip(".")
        if not said:  # A group without a command, which wants to show its help.
            error.show()
            return int(error.exit_code)
        raise SpecError(said[:1].lower() + said[1:], hint=f"{path} --help") from None
    except SystemExit as ended:
        # typer ends with 1 where the reader of the output went away, which is no error.
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        raise
    return code if isinstance(code, int) else 0


def _with_the_value(error: Any) -> str:
    """What is wrong with an argument, and the value seen, which typer leaves out."""
    from pydantic import BaseModel, ValidationError

    from dyno.spec.explain import explain

    cause = error.__cause__
    return explain(cause, BaseModel)[0] if isinstance(cause, ValidationError) else error.message


def _path_in(arguments: Sequence[str]) -> str:
    """The command that a line begins with. An option without its value doesn't say whose it is."""
    return " ".join(["dyno", *(word for word in arguments[:1] if word in COMMANDS)])


# Whatever is wrong with a command line; typer has no public name for it.
_UsageError: Any = typer.BadParameter.__base__
