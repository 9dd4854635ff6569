"""The driver's end of what a load host measures of the way between them: it sends back echoes, and
counts the bytes of a stream.

It listens for as long as a run has load hosts, and answers those alone that know its token.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import struct
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field

TOKEN_BYTES = 16
MESSAGE_BYTES = 32
ECHO, STREAM = b"e".ljust(MESSAGE_BYTES), b"s".ljust(MESSAGE_BYTES)
# To an echo: when it came and when its answer went; to a stream: its bytes, and in how long.
ANSWER = struct.Struct("<QQ16x")
PIPE_BYTES = 1 << 20
# A load host that has vanished.
PATIENCE_S = 10.0


@dataclass(frozen=True)
class EchoAddress:
    """Where echoes are sent back, to those that begin with the token."""

    host: str
    port: int
    token: bytes = field(repr=False)


class EchoServer:
    """Answers on a free port of an address until it is closed."""

    def __init__(self, host: str) -> None:
        """Raises OSError for an address that this host doesn't have."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family)
        port = self._listener.getsockname()[1]
        self.address = EchoAddress(host, port, secrets.token_bytes(TOKEN_BYTES))
        threading.Thread(target=self._accept, name="dyno-echo", daemon=True).start()

    def close(self) -> None:
        """Answer nobody any more."""
        # A thread that waits in accept isn't woken by close alone.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE_S)
        # Whoever breaks off has what it wanted, or finds out itself.
        with connection, suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if not hmac.compare_digest(received(connection, TOKEN_BYTES), self.address.token):
                return
            while message := received(connection, MESSAGE_BYTES):
                came_ns = time.monotonic_ns()
                if message == STREAM:
                    connection.sendall(ANSWER.pack(*_drained(connection)))
                    return
                connection.sendall(ANSWER.pack(came_ns, time.monotonic_ns()))


def received(connection: socket.socket, count: int) -> bytes:
    """This number of bytes; none if the other end has closed before all were there."""
    parts = bytearray()
    while len(parts) < count:
        part = connection.recv(count - len(parts))
        if not part:
            return b""
        parts += part
    return bytes(parts)


def _drained(connection: socket.socket) -> tuple[int, int]:
    """All that comes until the other end has written all: bytes, and nanoseconds since the first
    of them came.
    """
    buffer = bytearray(PIPE_BYTES)
    total, begun_ns, ended_ns = 0, 0, 0
    while count := connection.recv_into(buffer):
        ended_ns = time.monotonic_ns()
        # The first bytes came before they were read: they start the clock, and don't count.
        if not begun_ns:
            begun_ns = ended_ns
        else:
            total += count
    return total, ended_ns - begun_ns
