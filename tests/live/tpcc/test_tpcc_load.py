"""What is loaded depends on the seed alone; pacing, retries and refusals of the workload."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest
from place import Place, broken, checksums, counts

from dyno.errors import LoadError


def test_the_same_seed_gives_the_same_rows_whatever_the_number_of_loaders(debian: Place) -> None:
    sums = []
    for loaders, seed in ((1, 1), (3, 1), (3, 2)):
        debian.empty()
        assert debian.run([{"name": "load"}], loaders=loaders, seed=seed).failure is None
        sums.append(checksums(debian))
    # Rows of history have no key, and CHECKSUM TABLE adds up rows, so that order doesn't matter.
    assert sums[0] == sums[1]
    assert all(sums[0][name] != sums[2][name] for name in sums[0] if "new_orders" not in name)


def test_foreign_keys_and_a_history_key_hold_while_it_runs(debian: Place) -> None:
    debian.empty()
    keys = {"foreign_keys": True, "history_key": True}
    assert debian.run([{"name": "load"}], **keys).failure is None
    found = debian.number(
        "SELECT COUNT(DISTINCT constraint_name) FROM information_schema.referential_constraints "
        f"WHERE constraint_schema = '{debian.schema}'"
    )
    assert found == 10
    measured = debian.work(2, connections=16, **keys)
    assert measured["failed"] == {}
    assert broken(debian.checks()) == {}


@pytest.mark.parametrize("isolation", ["read_committed", "serializable"])
def test_other_isolation_levels_keep_the_data_whole(loaded: Place, isolation: str) -> None:
    """Serializable reads lock, so that some transactions meet a deadlock and are retried."""
    measured = loaded.work(3, connections=16, isolation=isolation)
    assert measured["failed"] == {}
    assert broken(loaded.checks()) == {}


def test_the_same_order_is_retried_after_a_lock_wait(loaded: Place) -> None:
    """Somebody holds a district for three seconds, and waits end after one."""
    with closing(loaded.server.admin(loaded.schema)) as holder, holder.cursor() as cursor:
        holder.begin()
        cursor.execute("SELECT d_ytd FROM district FOR UPDATE")
        release = threading.Timer(3, holder.rollback)
        release.start()
        wait = "SET SESSION innodb_lock_wait_timeout = 1"
        measured = loaded.work(5, connections=4, session=[wait])
        release.join()
    assert measured["retries"]["1205"] >= 4
    assert measured["failed"] == {}
    assert broken(loaded.checks()) == {}


def test_terminals_wait_as_the_specification_says(loaded: Place) -> None:
    """Ten terminals at a twentieth of the pauses: a transaction each 1.05 s on average, of which
    300 come in some 32 s; here in 8 s about 76, give or take 9.
    """
    begun_s = time.monotonic()
    measured = loaded.work(8, connections=10, mode="paced", pause_scale=0.05)
    assert time.monotonic() - begun_s < 30
    assert 40 <= measured["ok"] <= 115
    assert counts(measured)["new_order"] > 5


def test_queued_deliveries_are_executed_in_the_background(loaded: Place) -> None:
    keys = {"mode": "paced", "pause_scale": 0.02, "delivery": "queued"}
    measured = loaded.work(8, connections=10, seed=5, **keys)
    counters, done = measured["counters"], counts(measured)
    assert counters["deliveries_queued"] == done["delivery"] > 0
    assert counters["deliveries_executed"] == counters["deliveries_in_time"] == done["delivery"]
    assert counters["delivered_orders"] == 10 * done["delivery"]
    assert counters["deliveries_failed"] == 0
    [queued] = [op for op in measured["ops"] if op["op"] == "delivery"]
    assert queued["p50_ns"] < 1_000_000
    assert broken(loaded.checks()) == {}


def test_paced_needs_its_terminals(debian: Place) -> None:
    with pytest.raises(LoadError, match="1 warehouses have 10 terminals"):
        debian.run([{"name": "measure", "duration_s": 1}], connections=9, mode="paced")


def test_acknowledged_orders_are_in_the_success_file(loaded: Place) -> None:
    file = loaded.files / "acknowledged"
    measured = loaded.work(2, connections=8, seed=9, success_file=str(file))
    lines = [tuple(map(int, line.split())) for line in file.read_text().splitlines()]
    assert len(lines) == len(set(lines)) == counts(measured)["new_order"]
    assert lines[0][0] <= lines[-1][0] <= time.monotonic_ns()
    _, warehouse, district, order = lines[-1]
    found = loaded.number(
        f"SELECT COUNT(*) FROM orders WHERE (o_w_id, o_d_id, o_id) = "
        f"({warehouse}, {district}, {order})"
    )
    assert found == 1


def test_data_that_miss_a_row_fail_the_op_and_say_so(loaded: Place) -> None:
    with closing(loaded.server.admin(loaded.schema)) as connection, connection.cursor() as cursor:
        cursor.execute("SET foreign_key_checks = 0")
        cursor.execute("DELETE FROM item WHERE i_id BETWEEN 1 AND 50000")
        connection.commit()
    result = loaded.run([{"name": "measure", "duration_s": 1}])
    assert result.log.summary is not None
    measured = result.log.summary.phase("measure")
    assert measured is not None
    assert measured.failed["2000"] > 0
    assert any("an item is missing" in fault.message for fault in result.log.faults)
