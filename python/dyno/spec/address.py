"""The address of somebody else's server, as people write it: mysql://… . Never with a password.

A mistyped address may contain a password anywhere: nothing after a colon is ever repeated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from dyno.errors import SpecError

SCHEME = "mysql://"
FORMS = f"{SCHEME}user@host:port/ or {SCHEME}user@/?socket=/path"
PORT = 3306
Tls = Literal["off", "required", "verify-ca", "verify-identity"]
Compression = Literal["zlib", "zstd"]
_MODES: tuple[Tls, ...] = get_args(Tls)
_COMPRESSIONS: tuple[Compression, ...] = get_args(Compression)
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f-\x9f]*")
_SECRET = re.compile("[:?]")
_ANY_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/{1,3}")


@dataclass(frozen=True)
class Address:
    """Where a server listens, and as which user to log in: host and port, or a socket.

    `tls`: `required` encrypts and checks nothing; the other two check the server's certificate
    against the authorities in `ca` (PEM), and `verify-identity` checks its name as well.
    `compression`: of what the load sends; None: none.
    """

    user: str
    host: str | None
    port: int | None
    socket: Path | None
    tls: Tls = "off"
    ca: Path | None = None
    compression: Compression | None = None

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read mysql://user@host:port/?tls=MODE&ca=FILE&compression=zlib or
        mysql://user@/?socket=/path.

        Raises SpecError, which shows nothing that may be a password.
        """
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
            query = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        except ValueError:
            raise _wrong(text) from None
        if parts.password is not None:
            raise SpecError(
                f"the address {_head(text)} holds a password, which would end up in files and "
                "process lists",
                hint="leave it out and set the environment variable DYNO_PASSWORD, "
                "or give an option file",
            )
        keys = ("socket", "tls", "ca", "compression")
        socket, tls, ca, compression = (query.pop(key, None) for key in keys)
        is_plain = not (query or parts.fragment or parts.path.removeprefix("/") or port == 0)
        is_ours = parts.scheme == "mysql" and _PRINTABLE.fullmatch(unquote(text)) is not None
        one_place = bool(host) != bool(socket) and not (socket and port)
        if not (parts.username and is_plain and is_ours and one_place):
            raise _wrong(text)
        user = unquote(parts.username)
        if socket:
            _refuse_tls(tls or ca)
            return cls(user, None, None, Path(socket), compression=_compression(compression))
        encryption = _encryption(tls, ca)
        return cls(user, host, port or PORT, None, *encryption, _compression(compression))

    @property
    def place(self) -> str:
        """The location without the user: "host:port", or the socket's path."""
        if self.socket is not None:
            return str(self.socket)
        host = f"[{self.host}]" if ":" in (self.host or "") else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        """The address as it is written."""
        user = quote(self.user, safe="")
        place = "" if self.socket is not None else self.place
        query = [f"socket={quote(str(self.socket))}"] if self.socket is not None else []
        query += [f"tls={self.tls}"] if self.tls != "off" else []
        query += [f"ca={quote(str(self.ca))}"] if self.ca is not None else []
        query += [f"compression={self.compression}"] if self.compression is not None else []
        return f"{SCHEME}{user}@{place}/{'?' * bool(query)}{'&'.join(query)}"


def _head(text: str) -> str:
    """The part of an invalid address that may be repeated: what comes before its first colon or
    question mark (not counting the scheme's).
    """
    scheme = _ANY_SCHEME.match(text)
    end = _SECRET.search(text, scheme.end() if scheme else 0)
    return text if end is None else f"{text[: end.end()]}…"


def _wrong(text: str) -> SpecError:
    return SpecError(f"not a server's address: {_head(text)}", hint=f"write {FORMS}")


def _refuse_tls(given: str | None) -> None:
    if given:
        raise SpecError(
            "tls and ca are for addresses with a host: a socket doesn't leave this machine",
            hint="leave them out",
        )


def _compression(given: str | None) -> Compression | None:
    found = next((word for word in _COMPRESSIONS if word == given), None)
    if found != given:
        raise SpecError(
            f"the address has compression={given}, which is unknown",
            hint=f"write {' or '.join(_COMPRESSIONS)}, or leave it out",
        )
    return found


def _encryption(tls: str | None, ca: str | None) -> tuple[Tls, Path | None]:
    """The mode, and the file that goes with it."""
    mode = next((mode for mode in _MODES if mode == (tls or "off")), None)
    if mode is None:
        raise SpecError(
            f"the address has tls={tls}, which is unknown", hint=f"write {', '.join(_MODES)}"
        )
    checks = mode.startswith("verify")
    if checks != bool(ca):
        raise SpecError(
            f"the address has tls={mode} {'without' if checks else 'with'} a ca",
            hint="tls=verify-ca and tls=verify-identity need ca=FILE, the others have none",
        )
    if ca and not Path(ca).is_absolute():
        raise SpecError(f"the address has ca={ca}", hint="write the absolute path of a PEM file")
    return mode, Path(ca) if ca else None
