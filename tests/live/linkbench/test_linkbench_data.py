"""Counts and links agree on every server, whatever is asked at once; and the requests find what the
original's find.
"""

from __future__ import annotations

from contextlib import closing

import pytest
from place import Place, broken, counts
from standing import is_mysql_of_today

OPS = 3000
PROFILES = ("fb-as-coded", "fb-as-configured", "mc-2017")


def _sum(measured: dict[str, object], *names: str) -> int:
    counters = measured["counters"]
    assert isinstance(counters, dict)
    return sum(counters.get(name, 0) for name in names)


def test_what_was_loaded_passes_every_check(place: Place) -> None:
    assert place.run([{"name": "load"}]).failure is None
    assert broken(place.checks(just_loaded=True)) == {}
    # Rank 0 has them, whatever the scale; of few links of two kinds, nobody has more than three.
    most = 3 if "distribution" in place.workload else 480_982
    assert place.number("SELECT MAX(count) FROM counttable") == most


def test_counts_agree_after_8_and_after_64_connections(place: Place) -> None:
    """Runs after the test above, on its data: each request did what it reports."""
    links = place.number("SELECT COUNT(*) FROM linktable")
    nodes = place.number("SELECT COUNT(*) FROM nodetable")
    for connections in (8, 64):
        measured = place.do(OPS, connections=connections, seed=connections)
        done = counts(measured)
        assert measured["failed"] == {}
        assert measured["ok"] == OPS
        written = _sum(measured, "links_inserted", "links_shown", "links_rewritten")
        assert written == done["add_link"] + done["update_link"]
        assert _sum(measured, "links_hidden", "links_missed") == done["delete_link"]
        assert _sum(measured, "lists") == done["get_links_list"]
        links += _sum(measured, "links_inserted")
        nodes += done["add_node"] - _sum(measured, "nodes_deleted")
    assert broken(place.checks()) == {}
    assert place.number("SELECT COUNT(*) FROM linktable") == links
    assert place.number("SELECT COUNT(*) FROM nodetable") == nodes


def test_a_list_is_read_from_one_partition(place: Place) -> None:
    with closing(place.server.admin(place.schema)) as connection, connection.cursor() as cursor:
        form = "FORMAT=TRADITIONAL" if is_mysql_of_today(place.server) else "PARTITIONS"
        cursor.execute(
            f"EXPLAIN {form} SELECT id2 FROM linktable FORCE INDEX (id1_type) WHERE id1 = 7 "
            "AND link_type = 123456789 AND time >= 0 AND visibility = 1 ORDER BY time DESC"
        )
        assert cursor.description is not None
        column = [one[0] for one in cursor.description].index("partitions")
        [row] = cursor.fetchall()
    assert str(row[column]).count("p") == 1


def test_a_list_is_read_from_its_index_alone_without_sorting(place: Place) -> None:
    phases = [{"name": "measure", "ops": 8}]
    result = place.run(phases, observe={"explain": True})
    [plan] = [one for one in result.log.explains if one.statement == "get_links_list"]
    assert plan.columns is not None
    assert plan.rows is not None
    [row] = [dict(zip(plan.columns, row, strict=True)) for row in plan.rows]
    assert row["key"] == "id1_type"
    assert "Using index" in str(row["Extra"])
    assert "filesort" not in str(row["Extra"])


@pytest.mark.parametrize("profile", PROFILES)
def test_deadlocks_and_lock_waits_leave_counts_right(debian: Place, profile: str) -> None:
    """Twenty ids and 32 connections that write nothing but links."""
    debian.empty()
    keys = {"ids": 20, "profile": profile, "properties": WRITES}
    assert debian.run([{"name": "load"}], **keys).failure is None
    measured = debian.do(OPS, connections=32, session=[WAIT], **keys)
    assert measured["failed"] == {}
    assert measured["ok"] == OPS
    assert broken(debian.checks()) == {}


WAIT = "SET SESSION innodb_lock_wait_timeout = 1"
READS = ("countlink", "getlink", "getlinklist", "addnode", "updatenode", "deletenode", "getnode")
WRITES = dict.fromkeys(READS, "0") | {"addlink": "40", "updatelink": "20", "deletelink": "40"}


def test_a_hub_is_listed_up_to_the_limit_and_read_on_from_there(debian: Place) -> None:
    debian.empty()
    lists = {"getlinklist": "100", "getlinklist_history": "30", "read_uncorr_blend": "0"}
    others = (*READS, "addlink", "updatelink", "deletelink")
    hub = debian.files / "hub.dat"
    hub.write_text("nlinks\n10 90\n70000 100\n")
    keys = {
        "ids": 10,
        "distribution": str(hub),
        "properties": dict.fromkeys(others, "0") | lists,
    }
    assert debian.run([{"name": "load"}], **keys).failure is None
    result = debian.run([{"name": "measure", "ops": 200}], connections=2, **keys)
    assert result.log.summary is not None
    measured = result.log.summary.phase("measure")
    assert measured is not None
    dumped = measured.model_dump()
    assert _sum(dumped, "lists") == 200
    assert 0 < _sum(dumped, "history_lists") <= _sum(dumped, "lists_at_limit") < 200
    assert _sum(dumped, "list_rows") > 10_000 * _sum(dumped, "lists_at_limit")
