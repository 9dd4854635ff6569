"""A server that does wrong in one way, chosen by name: everything else it does about right.

Scripted, since no real server can be made to do these things. Each mode is a function in `modes`.
"""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from packets import EOF, OK, Cell, column, greeting, row

QUIT, QUERY, PREPARE, EXECUTE = 1, 3, 0x16, 0x17
Rows = list[tuple[Cell, ...]]

# What it answers to whom asks rightly; the first pattern that is found counts.
ANSWERS: list[tuple[str, Rows]] = [
    (r"(?i)^select version\(\)", [("5.7.44-hostile",)]),
    (r"(?i)select connection_id\(\)", [("77",)]),
    (r"(?i)count\(\*\) from information_schema", [("0",)]),
    (r"(?i)select database\(\), table_name", []),
    (r"(?i)^show (session |global )?variables", [("version", "5.7.44"), ("port", "3306")]),
    (r"(?i)^show (session |global )?status", [("Uptime", "77")]),
    (r"(?i)^show grants", [("GRANT ALL PRIVILEGES ON *.* TO 'u'@'%'",)]),
    (r"(?i)^select", []),
]


@dataclass
class Peer:
    """The server's end of a connection."""

    stream: socket.socket
    over: threading.Event
    heard: list[bytes] = field(default_factory=list)
    sequence: int = 0

    def read(self) -> bytes | None:
        """One packet; None at the end of the stream."""
        header = self._exactly(4)
        if header is None:
            return None
        payload = self._exactly(int.from_bytes(header[:3], "little"))
        if payload is None:
            return None
        self.sequence = (header[3] + 1) % 256
        self.heard.append(payload)
        return payload

    def send(self, payload: bytes) -> None:
        """One packet with the number that is due."""
        self.raw(struct.pack("<I", len(payload))[:3] + bytes([self.sequence]) + payload)
        self.sequence = (self.sequence + 1) % 256

    def raw(self, data: bytes) -> None:
        self.stream.sendall(data)

    def drip(self, data: bytes) -> None:
        """Byte by byte, each well within what a client may wait for the next."""
        for byte in data:
            self.raw(bytes([byte]))
            self.sleep(0.5)

    def sleep(self, seconds: float) -> None:
        """Do nothing, unless the test is over."""
        if self.over.wait(seconds):
            raise ConnectionAbortedError

    def silence(self) -> None:
        """Say nothing more until the client has gone."""
        with contextlib.suppress(OSError):
            while self.stream.recv(65536):
                pass

    def log_in(self) -> None:
        """Greet and let everybody in."""
        self.send(greeting())
        self.read()
        self.send(OK)

    def rows(self, names: Sequence[str], rows: Rows, *, end: bytes = EOF) -> None:
        self.send(bytes([len(names)]))
        for name in names:
            self.send(column(name.encode()))
        self.send(EOF)
        for cells in rows:
            self.send(row(cells))
        self.send(end)

    def prepared(self, parameters: int) -> None:
        """A statement of number 1 that has no rows."""
        self.send(struct.pack("<BIHHBH", 0, 1, 0, parameters, 0, 0))
        for _ in range(parameters):
            self.send(column(b"?"))
        if parameters:
            self.send(EOF)

    def commands(self) -> Iterator[bytes]:
        """What the client asks, until it says goodbye."""
        while True:
            self.sequence = 0
            packet = self.read()
            if packet is None or packet[:1] == bytes([QUIT]):
                return
            yield packet

    def answer(self, packet: bytes) -> None:
        """About right."""
        sql = packet[1:].decode(errors="replace")
        found = next((rows for pattern, rows in ANSWERS if re.search(pattern, sql)), None)
        if packet[0] == PREPARE:
            self.prepared(sql.count("?"))
        elif packet[0] != QUERY or found is None:
            self.send(OK)
        else:
            width = len(found[0]) if found else 2
            self.rows([f"c{place}" for place in range(width)], found)

    def serve(self) -> None:
        """Answer all commands."""
        for packet in self.commands():
            self.answer(packet)

    def _exactly(self, size: int) -> bytes | None:
        parts = []
        while size:
            part = self.stream.recv(min(size, 65536))
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


Mode = Callable[[Peer], None]


@dataclass(frozen=True)
class Hostile:
    """A running one: where it listens, and what clients have sent it."""

    port: int
    heard: list[bytes]

    def was_sent(self, secret: bytes) -> bool:
        """Whether a client sent it this, as it is."""
        return any(secret in packet for packet in self.heard)


@contextmanager
def hostile(mode: Mode) -> Iterator[Hostile]:
    """Serve every connection in this mode, on a port of 127.0.0.1, until left."""
    over = threading.Event()
    heard: list[bytes] = []
    streams: list[socket.socket] = []

    def talk(stream: socket.socket) -> None:
        with contextlib.suppress(OSError, struct.error), stream:
            mode(Peer(stream, over, heard))

    def accept() -> None:
        while not over.is_set():
            try:
                stream, _ = listener.accept()
            except OSError:
                return
            streams.append(stream)
            threading.Thread(target=talk, args=(stream,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield Hostile(listener.getsockname()[1], heard)
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)
            for stream in streams:
                with contextlib.suppress(OSError):
                    stream.shutdown(socket.SHUT_RDWR)
            thread.join(5)
