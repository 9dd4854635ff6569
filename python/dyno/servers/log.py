"""Reads a server's error log: errors and warnings, but those known to be harmless.

An unexpected line makes a trial suspect, so the list of harmless ones is short, and each has a
reason.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from dyno.spec.bounded import open_regular


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
    # MySQL 5.7 and later: what Dyno chose, a folder for the socket that only the server's user can
    # enter, in one that all can, and no folder that files are kept to; and a key made by itself.
    re.compile(r"Insecure configuration for --pid-file: Location '\S+' in the path"),
    re.compile(r"Insecure configuration for --secure-file-priv: Current value does not restrict"),
    re.compile(r"CA certificate ca.pem is self signed"),
    # MariaDB 10.11 and later: the host's limit. If it costs a setting, "Changed limits" follows.
    re.compile(r"Could not increase number of max_open_files"),
)


# A server in trouble may fill gigabytes with one complaint, of which these are enough.
FINDINGS_MAX = 500
LINE_BYTES_MAX = 4000
_END_BYTES_MAX = 8 * 1024**2


def log_findings(error_log: Path) -> list[LogLine]:
    """Give the errors and warnings of an error log that aren't known to be harmless, the first 500
    of them, and of each line its first 4,000 bytes. An absent log has none.
    """
    try:
        with open_regular(error_log) as file:
            return list(itertools.islice(_findings(file), FINDINGS_MAX))
    except FileNotFoundError:
        return []


def _findings(file: BinaryIO) -> Iterator[LogLine]:
    number, begins = 1, True
    while part := file.readline(LINE_BYTES_MAX):
        line = part.decode("utf-8", errors="replace")
        severity = _severity(line) if begins else None
        if severity is not None and not any(pattern.search(line) for pattern in HARMLESS):
            yield LogLine(severity, number, line.strip())
        begins = part.endswith(b"\n")
        number += begins


def read_log(error_log: Path, *, since: int = 0) -> str:
    """Give a log's text from a byte on, or its last 8 MiB; what isn't UTF-8 is replaced, an absent
    file is empty.
    """
    try:
        with open_regular(error_log) as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(since, end - _END_BYTES_MAX))
            return file.read(_END_BYTES_MAX).decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def _severity(line: str) -> Literal["error", "warning"] | None:
    if _ERROR.search(line):
        return "error"
    return "warning" if _WARNING.search(line) else None
