"""What a command says of itself in `dyno --help`, read without loading it.

Loading every command takes a second, most of it for reports that nobody asked for.
"""

from __future__ import annotations

import ast
from importlib.resources import files

from typer.core import TyperCommand


def listed(name: str, module: str, attribute: str) -> TyperCommand:
    """A command with a name and a help text alone.

    The text is the docstring of the function `attribute` of a module of this room, or the `help` of
    the group of that name.
    """
    source = files("dyno.cli").joinpath(f"{module}.py").read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        match node:
            case ast.FunctionDef(name=found) if found == attribute:
                return TyperCommand(name, help=ast.get_docstring(node))
            case ast.Assign([ast.Name(id=found)], ast.Call(keywords=given)) if found == attribute:
                (text,) = [word.value for word in given if word.arg == "help"]
                return TyperCommand(name, help=ast.literal_eval(text))
    raise LookupError(f"{attribute} is not in {module}")
