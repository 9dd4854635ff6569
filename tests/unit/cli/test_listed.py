"""`dyno --help` lists commands in their own words, and without loading them."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from dyno.cli.app import COMMANDS, Commands, app
from dyno.cli.doors import DOORS
from dyno.cli.listed import listed

HELP = """
import sys
from dyno.cli.app import run
run(["--help"])
print([name for name in sys.modules if name.startswith(("dyno.analysis", "dyno.spec", "polars"))])
"""


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in DOORS])
def test_a_listed_command_says_what_the_loaded_one_says(name: str) -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, Commands)
    loaded = group.get_command(None, name)
    assert loaded.help
    assert listed(name, *COMMANDS[name]).help == loaded.help


def test_what_is_not_there_is_not_listed() -> None:
    with pytest.raises(LookupError, match="walk is not in run"):
        listed("walk", "run", "walk")


def test_nothing_of_the_commands_is_loaded() -> None:
    said = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True)
    assert "check-durability" in said.stdout
    assert said.stdout.splitlines()[-1] == "[]"
