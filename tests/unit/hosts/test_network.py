"""The way between two hosts, here between two ends of this one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import closing

import pytest

from dyno.errors import LoadError
from dyno.hosts import network
from dyno.hosts.echo import EchoServer
from dyno.hosts.network import measure_network, measure_offset


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EchoServer]:
    monkeypatch.setattr(network, "STREAM_S", 0.05)
    monkeypatch.setattr(network, "NETWORK_ECHOES", 50)
    with closing(EchoServer("127.0.0.1")) as found:
        yield found


def test_a_clock_is_not_ahead_of_itself(server: EchoServer) -> None:
    found = measure_offset(server.address)
    assert abs(found.ahead_ns) <= found.bound_ns


def test_the_way_has_a_round_trip_and_carries_a_stream(server: EchoServer) -> None:
    found = measure_network(server.address)
    assert 1 <= found.echoes <= 50
    assert 0 < found.round_trip_us <= found.round_trip_p99_us
    assert found.bytes_per_s is not None
    assert found.bytes_per_s > 0


def test_it_listens_on_addresses_of_version_6_too() -> None:
    with closing(EchoServer("::1")) as server:
        assert measure_offset(server.address).bound_ns > 0


def test_who_does_not_know_the_token_gets_no_echo(server: EchoServer) -> None:
    stranger = dataclasses.replace(server.address, token=bytes(16))
    with pytest.raises(LoadError, match=r"no echo from 127\.0\.0\.1, port \d+: ") as found:
        measure_offset(stranger)
    assert found.value.hint == "load hosts must reach all ports of the servers' host"


def test_the_token_is_not_shown(server: EchoServer) -> None:
    assert "token" not in repr(server.address)


def test_closed_it_answers_nobody(server: EchoServer) -> None:
    server.close()
    with pytest.raises(LoadError, match="no echo from"):
        measure_offset(server.address)
