"""Data survive: loaded and worked on by 8 and by 64 connections on one warehouse, they pass every
check on every server with InnoDB; with MyISAM, which has no transactions, they don't.
"""

from __future__ import annotations

from place import Place, broken, counts

ORDERS = "SELECT SUM(d_next_o_id) FROM district"


def test_what_was_loaded_passes_every_check(place: Place) -> None:
    assert place.run([{"name": "load"}]).failure is None
    assert broken(place.checks(just_loaded=True)) == {}


def test_data_pass_every_check_after_8_and_after_64_connections(place: Place) -> None:
    """Runs after the tests above, on their data. At one warehouse connections are most in each
    other's way.
    """
    before = place.number(ORDERS)
    made = 0
    for connections in (8, 64):
        measured = place.do(1500, connections=connections, seed=connections)
        done = counts(measured)
        made += done["new_order"]
        # Under innodb_snapshot_isolation, MariaDB's default since 11.6, a payment that finds its
        # warehouse changed is refused, and with 64 connections a hundred times in a row.
        has_snapshots = (
            place.number(
                "SELECT COUNT(*) FROM information_schema.system_variables "
                "WHERE variable_name = 'innodb_snapshot_isolation' AND global_value = 'ON'"
            )
            if place.server.product == "mariadb"
            else 0
        )
        assert set(measured["failed"]) <= ({"1020"} if has_snapshots else set())
        assert done["payment"] > 100
        assert measured["counters"]["delivered_orders"] > 100
    # Those that rolled back left no gap.
    assert place.number(ORDERS) - before == made
    assert broken(place.checks()) == {}


def test_engines_without_transactions_fail_and_the_checks_say_why(debian: Place) -> None:
    debian.empty()
    assert debian.run([{"name": "load"}], engine="MyISAM").failure is None
    assert broken(debian.checks(just_loaded=True)) == {}
    rolled_back = 0
    while rolled_back == 0:
        done = counts(debian.work(3, seed=rolled_back + 3, engine="MyISAM"))
        rolled_back += done.get("new_order_rollback", 0)
    checks = debian.checks()
    # An order that rolled back left itself and all its lines but one.
    for name in ("condition 4", "condition 6"):
        assert checks[name].state == "broken"
        assert "MyISAM has no transactions: nothing is rolled back" in checks[name].line
