"""What a load host sees of itself, on this one."""

from __future__ import annotations

import pickle

import pytest

from dyno.hosts.watched import HostWatched, Watcher
from dyno.telemetry import Overhead, Series
from dyno.telemetry.series import Sample

NOTHING = Overhead(0, 0, None, None, None, None)


def watched(*rows: tuple[float, float | None]) -> HostWatched:
    """Of instants, and how idle the host was in the second before."""
    samples = [
        Sample(t_s, 0, {"host_cpu_idle_pct": idle, "host_cpu_iowait_pct": 5.0}, 0.1)
        for t_s, idle in rows
    ]
    return HostWatched(Series(samples, (), {}, NOTHING), agent_cpu_share_pct=0.4)


def test_the_last_seconds_count() -> None:
    found = watched((0, None), (1, 90), (2, 45), (3, 35), (3.2, 40))
    assert found.busy_pct(1.5) == pytest.approx((50 + 60 + 55) / 3)


def test_what_was_not_read_is_not_known() -> None:
    assert watched().busy_pct(1) is None
    assert watched((0, None), (1, None)).busy_pct(5) is None


def test_this_host_is_watched_and_what_it_sees_can_be_sent() -> None:
    found = pickle.loads(pickle.dumps(Watcher().stop()))
    assert found.agent_cpu_share_pct >= 0
    assert found.series.frame.height >= 2
    assert {"t_s", "unix_ms", "host_cpu_idle_pct"} <= set(found.series.frame.columns)
