"""A socket between pymysql and a server that ends what takes too long or gets too large.

pymysql's own limits apply to a single read, so a server that sends a byte now and then holds it
forever, and it joins packets and keeps rows without bound. Here a whole answer has a time and size.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Callable
from typing import Any

from dyno.client.error import SqlError

# Settings, counts and names; the longest answer, a processlist, takes less.
ANSWER_BYTES = 8 << 20
_TLS_HINT = (
    "ca must name the authority that signed the server's certificate; with tls=verify-identity the "
    "certificate must hold the host's name; TLS must be 1.2 or later"
)


class Guard:
    """The part of a socket that pymysql uses, with limits.

    An answer is everything received between two sends. `answer_s`: how long an answer, or a send,
    may take; None: no limit. The login has one limit, `login_s`, for all its round trips.
    """

    def __init__(self, sock: socket.socket, login_s: float) -> None:
        self._sock = sock
        self._limit_s: float | None = login_s
        self._deadline_s: float | None = time.monotonic() + login_s
        self._is_login = True
        self._received = 0

    def logged_in(self, answer_s: float | None) -> None:
        """The login is over: from now on each answer has its own limit."""
        self._is_login = False
        self._limit_s = answer_s

    def begin_answer(self) -> None:
        """A new answer begins here."""
        self._received = 0
        if not self._is_login:
            limit_s = self._limit_s
            self._deadline_s = None if limit_s is None else time.monotonic() + limit_s

    def sendall(self, data: bytes) -> None:
        """Send, and start a new answer."""
        self.begin_answer()
        self._sock.settimeout(self._left_s())
        try:
            self._sock.sendall(data)
        except TimeoutError:
            raise self._too_late() from None

    def receive(self, into: Any) -> int:
        """Receive what is available, waiting within the limit; 0 at the end of the stream."""
        self._sock.settimeout(self._left_s())
        try:
            count = self._sock.recv_into(into)
        except TimeoutError:
            raise self._too_late() from None
        self._received += count
        if self._received > ANSWER_BYTES:
            raise SqlError(
                f"the server's answer is longer than {ANSWER_BYTES >> 20} MiB",
                hint="nothing that Dyno asks has such an answer: look at what listens there",
            )
        return count

    def encrypt(self, wrap: Callable[[socket.socket], ssl.SSLSocket]) -> None:
        """Use TLS from here on; `wrap` does the handshake."""
        self._sock.settimeout(self._left_s())
        try:
            self._sock = wrap(self._sock)
        except TimeoutError:
            raise self._too_late() from None
        except OSError as error:
            raise SqlError(f"TLS: {error}", hint=_TLS_HINT) from error

    def makefile(self, mode: str) -> io.BufferedReader:
        """The stream that pymysql reads from."""
        assert mode == "rb", mode
        return io.BufferedReader(_Reading(self), 1 << 16)

    def settimeout(self, seconds: float | None) -> None:
        """Ignored: the limits here apply."""

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()

    def _left_s(self) -> float | None:
        if self._deadline_s is None:
            return None
        left_s = self._deadline_s - time.monotonic()
        if left_s <= 0:
            raise self._too_late()
        return left_s

    def _too_late(self) -> SqlError:
        what = "no login" if self._is_login else "no whole answer"
        return SqlError(
            f"{what} within {self._limit_s:g} s",
            hint="look at what the server waits for (SHOW PROCESSLIST), and what listens there",
        )


class _Reading(io.RawIOBase):
    """The bytes of a guard's answers."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        return self._guard.receive(into)
