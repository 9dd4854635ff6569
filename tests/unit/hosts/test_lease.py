"""A lease ends by itself, once, unless it is renewed or given back."""

from __future__ import annotations

import threading
import time

from dyno.hosts.lease import Lease

LONG_S = 20.0


def test_it_ends_once_when_nobody_renews_it() -> None:
    ended = threading.Semaphore(0)
    lease = Lease(ended.release, seconds=0.05)
    assert ended.acquire(timeout=LONG_S)
    assert lease.has_ended
    assert not lease.renew()
    lease.give_back()
    assert lease.has_ended
    assert not ended.acquire(timeout=0.2)


def test_it_lasts_as_long_as_it_is_renewed() -> None:
    ended = threading.Event()
    begun_s = time.monotonic()
    lease = Lease(ended.set, seconds=LONG_S)
    assert all(lease.renew() for _ in range(100))
    assert time.monotonic() - begun_s < LONG_S
    assert not ended.is_set()
    lease.give_back()
    assert not lease.has_ended


def test_what_is_given_back_never_ends() -> None:
    ended = threading.Event()
    lease = Lease(ended.set, seconds=0.3)
    lease.give_back()
    assert not ended.wait(0.6)
    assert not lease.renew()
