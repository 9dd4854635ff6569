"""Hosts that began to measure at different instants."""

from __future__ import annotations

from dyno.runner.void import began_apart
from dyno.store.load_host import LoadHostRead


def host(late_us: float | None, bound_us: float | None = 40.0) -> LoadHostRead:
    return LoadHostRead(name="load1", late_us=late_us, clock_bound_us=bound_us)


def test_hosts_that_began_together_give_a_figure() -> None:
    assert began_apart([host(1.0), host(700.0)]) is None


def test_hosts_that_began_apart_give_none() -> None:
    found = began_apart([host(1.0), host(12_000.0)])
    assert found == "the load hosts began to measure up to 12.1 ms apart, more than 10 ms"


def test_a_clock_that_is_hardly_known_counts_as_apart() -> None:
    found = began_apart([host(1.0, 4_000.0), host(1.0, 7_000.0)])
    assert found == "the load hosts began to measure up to 14.0 ms apart, more than 10 ms"


def test_a_single_host_is_never_apart_and_what_is_not_known_voids_nothing() -> None:
    assert began_apart([host(50_000.0)]) is None
    assert began_apart([host(None), host(50_000.0), host(1.0, None)]) is None
