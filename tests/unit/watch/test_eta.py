"""The model that estimates how long a job takes: on recordings of real servers, and at its edges.

What it must keep on a live server is in tests/live/watch.
"""

from __future__ import annotations

import pytest
from recorded import Recording, recordings
from watched import make_job, make_reading

from dyno.watch import EtaModel, Job
from dyno.watch.phases import Build, onlineddl_phases, place, stage_phases

RECORDINGS = recordings()
# Of the true time, after the first third of it: of rebuilds of a minute and more, recorded on a
# host that did nothing else. The shorter ones were recorded while other programs kept both
# processors busy, so that their pace changes by itself.
ERROR_MOST = 0.25
ERROR_MOST_BUSY = 0.6
LONG_S = 10.0
MINUTE_S = 60.0


def errors(recording: Recording, *, from_s: float) -> list[float]:
    """By what part of the true time each estimate is off, but for those made while it waited."""
    model, found = EtaModel(), []
    total_s = recording.total_s
    for at_s, reading in recording.readings:
        if at_s < from_s:
            continue
        model.add(at_s, reading)
        for job in reading.jobs:
            waits = job.state.startswith("Waiting for")
            if job.sql == recording.sql and total_s / 3 < at_s < total_s and not waits:
                estimate_s = model.estimate(job).total_s
                assert estimate_s is not None, (at_s, job)
                found.append(abs(estimate_s / total_s - 1))
    return found


def test_there_are_recordings_of_both_servers_and_ways() -> None:
    names = {recording.name for recording in RECORDINGS}
    for server in ("mariadb-10.1.8", "mariadb-10.11.5"):
        for what in ("add_index", "rebuild", "add_two"):
            assert any(name.startswith(f"{server}-{what}") for name in names), (server, what)


@pytest.mark.parametrize("seen_from", [0.0, 0.4], ids=["whole", "late"])
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.name)
def test_after_the_first_third_the_total_is_about_right(
    recording: Recording, seen_from: float
) -> None:
    found = errors(recording, from_s=seen_from * recording.total_s)
    assert len(found) > 5
    assert max(found) < ERROR_MOST_BUSY


def test_most_long_rebuilds_are_estimated_within_a_quarter() -> None:
    worst = {
        recording.name: max(errors(recording, from_s=0))
        for recording in RECORDINGS
        if "FORCE" in recording.sql and recording.total_s >= LONG_S
    }
    within = [name for name, error in worst.items() if error < ERROR_MOST]
    assert len(worst) >= 4
    assert len(within) >= 0.75 * len(worst), worst


def test_rebuilds_of_a_minute_are_estimated_within_a_quarter() -> None:
    worst = {
        recording.name: max(errors(recording, from_s=0))
        for recording in RECORDINGS
        if recording.total_s >= MINUTE_S
    }
    assert len(worst) >= 3
    assert max(worst.values()) < ERROR_MOST, worst


def test_stage_events_are_estimated_within_a_quarter_with_added_indexes_too() -> None:
    worst = {
        recording.name: max(errors(recording, from_s=0))
        for recording in RECORDINGS
        if "-stages-" in recording.name
    }
    assert len(worst) >= 6
    assert max(worst.values()) < ERROR_MOST, worst


def even(elapsed_s: float, pct: float | None, **keys: object) -> Job:
    return make_job(elapsed_s=elapsed_s, pct=pct, **{"source": "processlist"} | keys)


def test_an_even_pace_is_found_at_once() -> None:
    model = EtaModel()
    for second in range(2, 51):
        job = even(second, 2.0 * second)
        model.add(second, make_reading(job))
        total_s = model.estimate(job).total_s
        assert total_s == pytest.approx(50, rel=0.05)


def test_a_pause_lengthens_it_and_a_jump_does_not_shorten_it_to_nothing() -> None:
    model, estimates = EtaModel(), {}
    for second in range(1, 61):
        # It stands for 20 s at 40 %.
        pct = 2.0 * (second if second <= 20 else max(20, second - 20))
        job = even(second, pct)
        model.add(second, make_reading(job))
        estimates[second] = model.estimate(job).total_s
    assert estimates[20] == pytest.approx(50, rel=0.05)
    assert estimates[40] is not None
    assert 80 < estimates[40] < 200
    assert estimates[60] == pytest.approx(70, rel=0.15)

    model = EtaModel()
    for second in range(1, 31):
        pct = float(second) if second < 30 else 60.0
        job = even(second, pct)
        model.add(second, make_reading(job))
    left_s = model.estimate(job).left_s
    assert left_s is not None
    assert 5 < left_s < 45


def test_time_that_it_waited_for_a_lock_does_not_count() -> None:
    model = EtaModel()
    for second in range(1, 31):
        waits = even(second, None, state="Waiting for table metadata lock", source=None)
        model.add(second, make_reading(waits))
    estimate = model.estimate(waits)
    assert (estimate.left_s, estimate.why) == (None, "it waits itself")
    for second in range(31, 41):
        job = even(second, 5.0 * (second - 30))
        model.add(second, make_reading(job))
    assert model.estimate(job).left_s == pytest.approx(10, rel=0.1)


def test_rows_out_of_a_table_are_an_upper_bound() -> None:
    model = EtaModel()
    for second in range(2, 11):
        job = even(second, None, source=None, rows_done=1000 * second, rows_total=100_000)
        model.add(second, make_reading(job))
    estimate = model.estimate(job)
    assert estimate.at_most
    assert estimate.total_s == pytest.approx(100, rel=0.05)
    assert (estimate.rate_per_s, estimate.rate_unit) == (pytest.approx(1000), "rows")


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"state": "altering table"}, "the server doesn't say how far it is"),
        ({"kind": "load", "rows_done": 5000}, "how many rows there will be isn't known"),
        ({"kind": "defragment"}, "the server doesn't say how much there is to defragment"),
    ],
)
def test_what_is_unknown_is_named(keys: dict[str, object], why: str) -> None:
    model = EtaModel()
    job = even(20, None, source=None, **keys)
    model.add(20, make_reading(job))
    estimate = model.estimate(job)
    assert (estimate.total_s, estimate.left_s, estimate.why) == (None, None, why)


def test_a_beginning_tells_nothing() -> None:
    model = EtaModel()
    job = even(0.2, 0.1)
    model.add(0, make_reading(job))
    assert model.estimate(job).why == "it has only just begun"


def test_the_same_statement_again_is_another_job() -> None:
    model = EtaModel()
    for second in range(1, 21):
        model.add(second, make_reading(even(second, 5.0 * second)))
    for second in range(2, 6):
        job = even(second, 1.0 * second)
        model.add(20 + second, make_reading(job))
    assert model.estimate(job).total_s == pytest.approx(100, rel=0.1)


def test_phases_end_where_the_server_counts_them() -> None:
    one = onlineddl_phases(Build(rebuilds=False, indexes=1))
    assert [round(phase.until_pct, 1) for phase in one] == [50.0, 70.0, 100.0, 100.0]
    two = onlineddl_phases(Build(rebuilds=False, indexes=2))
    assert two[0].until_pct == pytest.approx(33.3, abs=0.1)
    assert two[-1].until_pct == pytest.approx(100)
    # Rows that go into the new table as they are read are never counted as an index.
    rebuilt = onlineddl_phases(Build(rebuilds=True, indexes=2))
    assert rebuilt[-1].until_pct == pytest.approx(83.3, abs=0.1)
    alone = onlineddl_phases(Build(rebuilds=True, indexes=1))
    assert [phase.until_pct for phase in alone] == [50.0, 50.0]


def test_phases_of_stage_events_end_where_the_server_counts_them() -> None:
    one = stage_phases(Build(rebuilds=False, indexes=1))
    assert [phase.until_pct for phase in one] == [50, 75, 100, 100]
    # Of a table that is rebuilt, its own rows have no file to sort.
    assert [phase.until_pct for phase in stage_phases(Build(True, 2))] == [50, 75, 100, 100]
    two = stage_phases(Build(rebuilds=False, indexes=2))
    assert [round(phase.until_pct, 1) for phase in two] == [42.9, 100, 100]


def test_a_place_is_a_phase_and_a_part_of_it() -> None:
    phases = onlineddl_phases(Build(rebuilds=False, indexes=1))
    assert place(phases, 0) == (0, 0)
    assert place(phases, 25) == (0, 0.5)
    assert place(phases, 60) == (1, 0.5)
    assert place(phases, 100) == (3, 0.0)
