"""The two consoles, and how errors and JSON are printed. NO_COLOR is honoured by rich."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.markup import escape

from dyno.errors import DynoError

out = Console(highlight=False, soft_wrap=False)
err = Console(stderr=True, highlight=False)


def print_error(error: DynoError) -> None:
    """One line that says what failed, a blank line, and the hint."""
    err.print(f"[bold red]error:[/] {escape(error.message)}", soft_wrap=True)
    if error.hint:
        err.print(f"\n[bold cyan]hint:[/] {escape(error.hint)}", soft_wrap=True)


def print_json(document: Any) -> None:
    """A document for scripts, alone on stdout."""
    sys.stdout.write(json.dumps(document, indent=1, ensure_ascii=False, default=str) + "\n")
    sys.stdout.flush()
