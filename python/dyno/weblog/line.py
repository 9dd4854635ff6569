"""One line of a log in Common or Combined Log Format, as Apache and nginx write it -> a row.

`client ident user [day/month/year:h:m:s zone] "method target protocol" status bytes`, then maybe
`"referer" "agent"`, maybe with `host:port ` in front (Apache's vhost_combined). `-` is NULL. The
agent has no column, and is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

COLUMN_BYTES = 255
LINE_BYTES_MOST = 65_536
NULL = "\\N"

_INNER = r'(?:[^"\\]|\\.)*'
_LINE = re.compile(
    r"^(?:(?P<host>\S+):\d+ )?(?P<client>\S+) \S+ (?P<user>.+?) "
    r"\[(?P<day>\d\d)/(?P<month>[A-Z][a-z]{2})/(?P<year>\d{4}):(?P<time>\d\d:\d\d:\d\d) "
    r"(?P<sign>[+-])(?P<zone_h>\d\d)(?P<zone_m>\d\d)\] "
    rf'"(?P<request>{_INNER})" (?P<status>\d{{3}}) (?P<bytes>\d+|-)'
    rf'(?: "(?P<referer>{_INNER})"(?: "{_INNER}")?)?\s*$'
)
_REQUEST = re.compile(r"^([A-Z][A-Z_-]*) (\S+)(?: (HTTP/[\d.]+))?$")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# What a row must not hold unescaped: neither LOAD DATA nor INSERT then needs to escape anything.
_UNSAFE = re.compile(r"""[^ -~]|["'\\]""")


class MalformedLineError(ValueError):
    """A line that isn't in the format; says which part of it isn't."""


@dataclass(frozen=True)
class Row:
    """A row without its id: method, bytes_sent, protocol, uri, args, hostname, client, Referer,
    slash_user, e2_node, time (UTC). `cut`: how many values were longer than their columns.
    """

    values: list[str]
    cut: int


def row_of(line: bytes) -> Row:
    """Parse one line. Raises MalformedLineError."""
    if len(line) > LINE_BYTES_MOST:
        raise MalformedLineError(f"longer than {LINE_BYTES_MOST:,} bytes")
    text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
    found = _LINE.match(text)
    if found is None:
        raise MalformedLineError("not in Common or Combined Log Format")
    method, target, protocol = _request(found["request"])
    uri, mark, args = target.partition("?") if target is not None else ("-", "", "")
    values = [
        method,
        found["bytes"],
        protocol,
        uri,
        args if mark else None,
        found["host"],
        found["client"],
        found["referer"],
        found["user"],
        None,
    ]
    plain = [_plain(value) for value in values]
    return Row(
        values=[*(value[:COLUMN_BYTES] for value in plain), _utc(found)],
        cut=sum(len(value) > COLUMN_BYTES for value in plain),
    )


def _request(text: str) -> tuple[str | None, str | None, str | None]:
    """For a request that isn't HTTP, such as a handshake on the wrong port, nothing is known."""
    found = _REQUEST.match(text)
    return (found[1], found[2], found[3]) if found else (None, None, None)


def _plain(value: str | None) -> str:
    """A value as plain ASCII; unsafe bytes become %XX."""
    return NULL if value is None or value in ("", "-") else _UNSAFE.sub(_escaped, value)


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found.group().encode("utf-8", "surrogateescape"))


def _utc(found: re.Match[str]) -> str:
    try:
        month = _MONTHS.index(found["month"]) + 1
        away = timedelta(hours=int(found["zone_h"]), minutes=int(found["zone_m"]))
        zone = timezone(away if found["sign"] == "+" else -away)
        hour, minute, second = map(int, found["time"].split(":"))
        local = datetime(
            # A leap second counts as the last second of its minute.
            int(found["year"]), month, int(found["day"]), hour, minute, min(second, 59),
            tzinfo=zone,
        )  # fmt: skip
        return local.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError) as error:
        raise MalformedLineError(f"no such time: {error}") from None
