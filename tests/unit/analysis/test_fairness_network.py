"""The network between load hosts and servers: what is read of it, and whether it was fair."""

from __future__ import annotations

import pytest
from trials import trial_of

from dyno.analysis.fairness.network import checks
from dyno.analysis.load.hosts import load_hosts
from dyno.spec.changed import changed
from dyno.spec.summary import Client, PhaseSummary, Summary
from dyno.store.load_host import LoadHostRead, NetworkRead
from dyno.store.trial import Trial

ACCOUNT = {"scheduled": 1, "ok": 1, "failed": {}, "skipped": 0, "unfinished": 0, "ops": []}
WHOLE = Summary(
    event="summary",
    complete=True,
    phases=[PhaseSummary(phase="measure", elapsed_s=10, **ACCOUNT)],
    client=Client(cpu_user_s=1, cpu_system_s=0, max_rss_bytes=1, bytes_sent=0, bytes_received=0),
)


def host(
    round_trip_us: float | None, *, name: str = "load1", is_here: bool = False
) -> LoadHostRead:
    """Its clock and its lateness aren't known where the way isn't."""
    way = None
    if round_trip_us is not None:
        p99_us = 3 * round_trip_us
        way = NetworkRead(
            round_trip_us=round_trip_us, round_trip_p99_us=p99_us, echoes=9, bytes_per_s=1e8
        )
    return LoadHostRead(
        name=name, is_here=is_here, network=way, late_us=round_trip_us, clock_bound_us=10.0
    )


def trials(*by_block: list[LoadHostRead], sent: int = 0) -> list[Trial]:
    return [
        trial_of(
            number=number,
            block=number - 1,
            summary=WHOLE,
            status_by_phase={"measure": {"Bytes_sent": sent, "Bytes_received": 5}},
            load_hosts=hosts,
        )
        for number, hosts in enumerate(by_block, 1)
    ]


def test_a_run_without_load_hosts_has_neither() -> None:
    found = trials([], [])
    assert list(load_hosts(found)) == []
    assert list(checks(found)) == []


def test_hosts_of_this_machine_have_no_network_to_be_fair() -> None:
    found = trials([host(10, is_here=True)], [host(90, is_here=True)])
    assert list(checks(found)) == []


def test_of_blocks_the_median_counts_and_of_trials_the_latest_begin() -> None:
    found = trials([host(100)], [host(104)], [host(None)], [host(110)])
    (seen,) = load_hosts(found)
    assert (seen.name, seen.blocks, seen.round_trip_us) == ("load1", 3, 104)
    assert (seen.round_trip_p99_us, seen.bytes_per_s) == (312, 1e8)
    assert seen.late_us == pytest.approx(120)


def test_a_steady_network_with_room_is_ok() -> None:
    (found,) = checks(trials([host(100)], [host(104)], [host(110)], sent=10**8))
    assert found.check == "ok"
    assert found.says.startswith("Measured before 3 blocks")


def test_a_round_trip_that_moved_is_named_with_its_block() -> None:
    calm = [host(100, name="load2")]
    (found,) = checks(trials([host(100), *calm], [host(130), *calm], [host(101), *calm]))
    assert found.check == "warning"
    assert found.details == [
        "load1, block 2: a round trip took 130 µs, 101 µs in the median of 3 blocks"
    ]


def test_a_trial_that_used_more_than_half_is_named() -> None:
    (found,) = checks(trials([host(100)], sent=6 * 10**8))
    assert found.check == "warning"
    assert found.details == ["trial 1, A: 57.2 MiB/s of 95.4 MiB/s that one stream could carry"]


def test_what_was_not_measured_is_unknown() -> None:
    (found,) = checks(trials([host(None)]))
    assert found.check == "unknown"
    silent = [changed(trial, summary=None) for trial in trials([host(100)])]
    (found,) = checks(silent)
    assert found.check == "ok"
