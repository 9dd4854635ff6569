"""The known formats, and how content reveals which one it is. Reads nothing itself."""

from __future__ import annotations

from dyno.errors import SpecError
from dyno.graph import benchbase, mysqlslap, pgbench, sysbench
from dyno.graph.text import Format, Text

FORMATS: tuple[Format, ...] = (
    mysqlslap.FORMAT,
    sysbench.FORMAT,
    benchbase.FORMAT,
    pgbench.FORMAT,
)
DYNO = "dyno"
NAMES = (*(each.name for each in FORMATS), DYNO)


def format_of(text: Text, wanted: str | None) -> Format:
    """The format of a text, or the `wanted` one. Raises SpecError if unknown or mixed."""
    if wanted is not None:
        return next(each for each in FORMATS if each.name == wanted)
    found: Format | None = None
    begin = 0
    for number, line in text.numbered():
        for each in FORMATS:
            if not each.mark.search(line):
                continue
            if found is None:
                found, begin = each, number
            elif each is not found:
                raise SpecError(
                    f"{text.name}:{number}: a line of {each.name} in output of {found.name}, "
                    f"which begins in line {begin}: {line.strip()[:60]!r}",
                    hint=f"split the file, or read only one part of it with --format {found.name}",
                )
    if found is None:
        raise SpecError(_unknown(text), hint=f"expected one of: {_known()}")
    return found


def _known() -> str:
    """All formats in words."""
    return "; ".join(f"{each.name} ({each.expects})" for each in FORMATS) + "; or a run folder"


def _unknown(text: Text) -> str:
    for number, line in text.numbered():
        return f"{text.name}:{number}: no known format: {line.strip()[:60]!r}"
    return f"{text.name}: it is empty"
