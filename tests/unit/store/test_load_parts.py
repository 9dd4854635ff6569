"""Who made a trial's load, and what it might use."""

from __future__ import annotations

import pytest
from trials import trial_of

from dyno.spec.changed import changed
from dyno.spec.generator import OWN_MAX, SHARED_MAX
from dyno.spec.summary import Client, PhaseClient, PhaseSummary, Summary
from dyno.store.load_host import LoadHostRead
from dyno.store.load_parts import load_parts
from dyno.store.placement import Placed


def phase(cpu_s: float) -> PhaseSummary:
    account = {"scheduled": 5, "ok": 5, "failed": {}, "skipped": 0, "unfinished": 0, "ops": []}
    client = PhaseClient(cpu_user_s=cpu_s, cpu_system_s=0)
    return PhaseSummary(phase="measure", elapsed_s=10, client=client, **account)


WHOLE = Summary(
    event="summary",
    complete=True,
    phases=[phase(8)],
    client=Client(cpu_user_s=8, cpu_system_s=0, max_rss_bytes=1, bytes_sent=0, bytes_received=0),
)
TRIAL = trial_of(summary=WHOLE)


def test_without_load_hosts_it_shares_the_servers_cpus() -> None:
    (part,) = load_parts(TRIAL, host_cpus=4)
    assert (part.host, part.room.cpus, part.room.share_max) == ("", 4, SHARED_MAX)
    assert part.cpu_share_pct == pytest.approx(20)


def test_cpus_of_its_own_are_those_of_the_placement() -> None:
    placed = changed(TRIAL, placement=Placed(server="0", generator="1"))
    (part,) = load_parts(placed, host_cpus=4)
    assert (part.room.cpus, part.room.share_max) == (1, OWN_MAX)


def test_each_load_host_counts_by_its_own_cpus() -> None:
    hosts = [
        LoadHostRead(name="load1", cpus=2, measured=phase(6)),
        LoadHostRead(name="load2", cpus=8, measured=phase(2)),
        LoadHostRead(name="load3", cpus=8),
        LoadHostRead(name="load4", cpus=2, is_here=True, measured=phase(2)),
    ]
    found = load_parts(changed(TRIAL, load_hosts=hosts), host_cpus=4)
    assert [(part.host, part.room.share_max) for part in found] == [
        ("load1", OWN_MAX),
        ("load2", OWN_MAX),
        ("load4", SHARED_MAX),
    ]
    assert [part.cpu_share_pct for part in found] == pytest.approx([30, 2.5, 10])


def test_a_trial_without_a_measure_phase_has_none() -> None:
    assert load_parts(changed(TRIAL, summary=None), host_cpus=4) == []
