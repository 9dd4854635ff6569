"""What is loaded depends on the seed and the keys alone, and is what the original loads."""

from __future__ import annotations

import time
from contextlib import closing

import pytest
from place import Place, broken, checksums, counts

from dyno.errors import LoadError


def _loaded(place: Place, **keys: object) -> dict[str, object]:
    place.empty()
    assert place.run([{"name": "load"}], **keys).failure is None
    return checksums(place)


def test_the_same_seed_gives_the_same_rows_whoever_loads_them_and_how(debian: Place) -> None:
    first = _loaded(debian, loaders=1)
    assert _loaded(debian, loaders=3, secondary_index="after", partitions=0) == first
    other = _loaded(debian, seed=2)
    assert all(other[name] != first[name] for name in first)


def test_rows_go_in_by_insert_where_local_files_are_refused(debian: Place) -> None:
    first = _loaded(debian)
    try:
        _set(debian, "SET GLOBAL local_infile = 0")
        assert _loaded(debian) == first
    finally:
        _set(debian, "SET GLOBAL local_infile = 1")


def _set(place: Place, sql: str) -> None:
    with closing(place.server.admin(place.schema)) as connection, connection.cursor() as cursor:
        cursor.execute(sql)


def test_a_data_file_and_a_profile_say_how_many_links_there_are(debian: Place) -> None:
    """Of 1,000 ids 100 have four links and 400 have one. The original takes what is left over to be
    more than it is, and makes six of four.
    """
    for profile, links in (("fb-as-coded", 1000), ("fb-as-configured", 800), ("mc-2017", 2200)):
        _loaded(debian, profile=profile)
        assert debian.number("SELECT COUNT(*) FROM linktable") == links
        assert debian.number("SELECT SUM(count) FROM counttable") == links
        assert debian.number("SELECT COUNT(*) FROM nodetable") == 1000
        assert broken(debian.checks(just_loaded=True)) == {}


def test_the_fork_updates_what_is_there_and_inserts_what_is_not(debian: Place) -> None:
    _loaded(debian, profile="mc-2017")
    measured = debian.work(3, connections=16, profile="mc-2017")
    done, counters = counts(measured), measured["counters"]
    assert measured["failed"] == {}
    assert done["get_node"] > done["get_links_list"] > done["multiget_link"]
    assert counters["links_inserted"] > 0
    assert counters["links_rewritten"] > 0
    assert broken(debian.checks()) == {}


def test_acknowledged_nodes_are_in_the_success_file(debian: Place) -> None:
    """With the ids that the server gave them, after those of the load."""
    _loaded(debian)
    file = debian.files / "acknowledged"
    measured = debian.work(2, connections=8, seed=9, success_file=str(file))
    lines = [tuple(map(int, line.split())) for line in file.read_text().splitlines()]
    ids = [id_ for _, id_ in lines]
    assert len(ids) == len(set(ids)) == counts(measured)["add_node"] > 0
    assert lines[0][0] <= lines[-1][0] <= time.monotonic_ns()
    added = "SELECT COUNT(*) FROM nodetable WHERE id > 1000"
    listed = ", ".join(map(str, ids))
    assert debian.number(added) == debian.number(f"{added} AND id IN ({listed})") == len(ids)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"properties": {"adlink": "9"}}, "did you mean `addlink`"),
        ({"properties": {"addlink": "9"}}, "add up to 100.01"),
        ({"distribution": "/nowhere/Distribution.dat"}, "distribution: /nowhere/Distribution.dat"),
    ],
)
def test_mistakes_are_reported(debian: Place, keys: dict[str, object], message: str) -> None:
    with pytest.raises(LoadError) as caught:
        debian.run([{"name": "load"}], **keys)
    assert message in f"{caught.value} {caught.value.hint}"
