"""The way between a load host and its driver, as the load host measures it: bare TCP, because a
call of the engine takes longer than the way, and would hide it.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dyno.errors import LoadError
from dyno.hosts.clock import Echo, Offset, offset_of
from dyno.hosts.echo import ANSWER, ECHO, MESSAGE_BYTES, PIPE_BYTES, STREAM, EchoAddress, received

# Before each phase, while all hosts wait for its begin.
CLOCK_ECHOES, CLOCK_S = 200, 0.05
# Before each block.
NETWORK_ECHOES, NETWORK_S = 2000, 1.0
STREAM_S = 1.0
ANSWER_S = 5.0


@dataclass(frozen=True)
class Way:
    """What `NetworkRead` keeps of it, by the same names."""

    round_trip_us: float
    round_trip_p99_us: float
    echoes: int
    bytes_per_s: float | None


def measure_offset(at: EchoAddress) -> Offset:
    """How far the driver's clock is ahead of this host's. Raises LoadError if it doesn't answer."""
    with _connected(at) as connection:
        return offset_of(_echoes(connection, CLOCK_ECHOES, CLOCK_S))


def measure_network(at: EchoAddress) -> Way:
    """Round trips, then one stream from here to the driver. Raises LoadError as above."""
    with _connected(at) as connection:
        echoes = _echoes(connection, NETWORK_ECHOES, NETWORK_S)
        ways_us = sorted(echo.round_trip_ns / 1000 for echo in echoes)
    with _connected(at) as connection:
        bytes_per_s = _stream(connection)
    last = len(ways_us) - 1
    return Way(
        round_trip_us=ways_us[last // 2],
        round_trip_p99_us=ways_us[round(0.99 * last)],
        echoes=len(ways_us),
        bytes_per_s=bytes_per_s,
    )


@contextmanager
def _connected(at: EchoAddress) -> Iterator[socket.socket]:
    try:
        with socket.create_connection((at.host, at.port), timeout=ANSWER_S) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(at.token)
            yield connection
    except OSError as error:
        raise LoadError(
            f"no echo from {at.host}, port {at.port}: {error.strerror or error}",
            hint="load hosts must reach all ports of the servers' host",
        ) from error


def _echoes(connection: socket.socket, most: int, limit_s: float) -> Iterator[Echo]:
    """One after the other, for this long at most, and at least one."""
    end = time.monotonic() + limit_s
    for _ in range(most):
        sent_ns = time.monotonic_ns()
        connection.sendall(ECHO)
        came_ns, went_ns = _answer(connection)
        yield Echo(sent_ns, came_ns, went_ns, time.monotonic_ns())
        if time.monotonic() > end:
            return


def _stream(connection: socket.socket) -> float | None:
    """Bytes per second, as the other end counted them; None if too few came to say."""
    connection.sendall(STREAM)
    block = bytes(PIPE_BYTES)
    end = time.monotonic() + STREAM_S
    while time.monotonic() < end:
        connection.sendall(block)
    connection.shutdown(socket.SHUT_WR)
    count, took_ns = _answer(connection)
    return count / took_ns * 1e9 if took_ns else None


def _answer(connection: socket.socket) -> tuple[int, int]:
    found = received(connection, MESSAGE_BYTES)
    if not found:
        raise ConnectionError("it was closed")
    first, second = ANSWER.unpack(found)
    return first, second
