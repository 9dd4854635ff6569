"""A server that is stopped for a second now and then: the latencies show it, and so do the bins.

The test stops the server itself and notes when, so what must be found is arithmetic.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import pytest
from loading import Bench, Document, Ran, arrivals, oltp
from processes import stopped

from dyno.servers import Server

POINTS = oltp("oltp_point_select", table_size=1000)
RATE_PER_S = 1000
BIN_S = 0.1
Stall = tuple[float, float]


@pytest.fixture(scope="module")
def server(shared_bench: Bench) -> Iterator[Server]:
    with shared_bench.server("mariadb-10.11.5") as server:
        shared_bench.fill(server, POINTS)
        yield server


def run_with_stalls(
    bench: Bench, server: Server, phases: list[Document], at_s: list[float]
) -> tuple[Ran, list[Stall]]:
    """Run a load whose server stands still for 1 s at these times; when it stood, in the phase."""
    load = bench.begin(server.socket, POINTS, phases, connections=64)
    load.until(phase="measure")
    begun = time.time()
    stood = []
    for at in at_s:
        time.sleep(max(0.0, begun + at - time.time()))
        with stopped(server.pid):
            began = time.time()
            time.sleep(1.0)
            stood.append((began, time.time()))
    ran = load.finish()
    assert ran.code == 0, ran.stderr
    first = next(e for e in ran.of("interval") if e["phase"] == "measure")
    zero = ran.events[0]["unix_ms"] / 1000 + first["t_s"]
    return ran, [(began - zero, ended - zero) for began, ended in stood]


def waits(stalls: list[Stall], ops: int) -> list[float]:
    """How long each of the first ops waits at least, in order of length: until its stall ends."""
    due = [n / RATE_PER_S for n in range(ops)]
    return sorted(next((b - t for a, b in stalls if a <= t < b), 0.0) for t in due)


def waits_in_order(ran: Ran) -> tuple[list[float], list[float]]:
    """How long each op waited at least and at most, each in order of length, if the one that is due
    first ends first: by the tenths of a second in which ops ended.
    """
    ended = [b["t_s"] for b in ran.bins for _ in range(b["ended"])]
    since_due = [t - n / RATE_PER_S for n, t in enumerate(sorted(ended))]
    return sorted(max(0.0, t) for t in since_due), sorted(t + BIN_S for t in since_due)


def quantile(sorted_values: list[float], share: float) -> float:
    return sorted_values[round(share * (len(sorted_values) - 1))]


def test_an_open_load_feels_each_stall(shared_bench: Bench, server: Server) -> None:
    # The last stall ends seconds before the phase, also where a busy host makes it late: ops that
    # are due in a stall and still wait when the phase ends are skipped, and have no latency.
    phases = arrivals(15.0, RATE_PER_S)
    ran, stalls = run_with_stalls(shared_bench, server, phases, [1.0, 5.0, 9.0])
    measure = ran.measure
    assert measure["model"] == "open"
    assert measure["scheduled"] == 15_000
    assert measure["ok"] + measure["skipped"] == 15_000
    assert measure["reconnects"] == 0

    # A fifth of all ops was due in a stall; their latencies are even over 0 to 1 s, so p95 is near
    # 0.75 s and p99 near 0.95 s; more by what the server needs to catch up, which the bins show.
    stalled = waits(stalls, measure["ok"])
    least, most = waits_in_order(ran)
    (op,) = measure["ops"]
    for name, share in (("p50_ns", 0.5), ("p95_ns", 0.95), ("p99_ns", 0.99)):
        # Threads of the server overtake each other.
        low, high = quantile(least, share) - 0.1, quantile(most, share) + 0.1
        assert max(low, quantile(stalled, share) - 0.03) <= op[name] / 1e9 <= high, name
    assert measure["backlog_max"] >= 0.8 * RATE_PER_S - 64
    assert_bins_are_empty(ran, stalls)


def test_a_closed_load_waits_with_its_server(shared_bench: Bench, server: Server) -> None:
    """Only one op a connection is in a stall: the blindness that open loads are there for."""
    phases = [{"name": "measure", "duration_s": 3.0}]
    ran, stalls = run_with_stalls(shared_bench, server, phases, [1.0])
    measure = ran.measure
    assert measure["model"] == "closed"
    # More than 20 ops a connection, so that those in the stall are less than a twentieth.
    assert measure["scheduled"] == measure["ok"] > 64 * 21
    assert measure["backlog_max"] is None
    (op,) = measure["ops"]
    assert op["p95_ns"] / 1e9 < 0.5
    assert op["max_ns"] / 1e9 >= 0.95
    assert_bins_are_empty(ran, stalls)


def assert_bins_are_empty(ran: Ran, stalls: list[Stall]) -> None:
    """Nothing ends in the tenths within a stall: nine or ten, as these lie.

    The first is left out, because the load generator may still find answers in its sockets.
    """
    for begins, ends in stalls:
        within = [b for b in ran.bins if begins + 0.15 < b["t_s"] < ends - 0.11]
        assert len(within) >= 7
        assert all(b["ended"] == 0 for b in within), within
        # It was the server that stood still, and not this program.
        assert statistics.median(b["heartbeat_late_ms"] for b in within) < 50
    assert sum(b["ended"] for b in ran.bins) == ran.measure["ok"]
