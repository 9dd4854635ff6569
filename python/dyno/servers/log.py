"""Reads a server's error log: errors and warnings, but those known to be harmless.

An unexpected line makes a trial suspect, so the list of harmless ones is short, and each has a
reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class LogLine:
    """One error or warning of a server's error log; `line_number` counts from 1."""

    severity: Literal["error", "warning"]
    line_number: int
    text: str


_ERROR = re.compile(r"\[ERROR\]|InnoDB: Error|got signal \d+|Assertion failure|^dyno: ")
_WARNING = re.compile(r"\[Warning\]|InnoDB: Warning", re.IGNORECASE)
# Lines of a healthy start, by generation. A pattern names the whole cause, never a mere prefix.
HARMLESS: tuple[re.Pattern[str], ...] = (
    # MySQL 5.6: a notice about a default of the SQL dialect, once a start.
    re.compile(r"TIMESTAMP with implicit DEFAULT value is deprecated"),
    # MySQL 5.6 and later: a data folder that never ran before gets its UUID.
    re.compile(r"No existing UUID has been found"),
    # MariaDB 10.11 and later: the host's limit. If it costs a setting, "Changed limits" follows.
    re.compile(r"Could not increase number of max_open_files"),
)


def log_findings(error_log: Path) -> list[LogLine]:
    """Give the errors and warnings of an error log that aren't known to be harmless.

    An absent log has none.
    """
    findings = []
    for number, line in enumerate(read_log(error_log).splitlines(), start=1):
        severity = _severity(line)
        if severity is not None and not any(pattern.search(line) for pattern in HARMLESS):
            findings.append(LogLine(severity, number, line.strip()))
    return findings


def read_log(error_log: Path, *, since: int = 0) -> str:
    """Give a log's text from a byte on; what isn't UTF-8 is replaced, an absent file is empty."""
    try:
        return error_log.read_bytes()[since:].decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def _severity(line: str) -> Literal["error", "warning"] | None:
    if _ERROR.search(line):
        return "error"
    return "warning" if _WARNING.search(line) else None
