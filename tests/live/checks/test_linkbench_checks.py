"""Each rule of linkbench's data on real servers: whole data keep them all, as they do after ops by
the book, and one change breaks exactly the rules that speak of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from small_data import SCHEMA, Made
from small_graph import FIRST_TYPE, NODES, SECOND_TYPE, make_graph
from standing import is_mysql_of_today, standing
from thinned import SERVERS, oldest_and_newest

from dyno.checks import KINDS, find_kind, grown, read_figures, run_checks
from dyno.client import Connection, SqlError
from dyno.servers import Server, create_schema, drop_schema
from dyno.spec.data_check import DataCheck

CHECKS = KINDS["linkbench"]
COUNT = f"UPDATE counttable SET count = {{}} WHERE id = 3 AND link_type = {FIRST_TYPE}"
LINK = f"WHERE id1 = 3 AND link_type = {FIRST_TYPE} AND id2 = 4"

# One change, and the rules that it breaks with their number of bad rows.
BROKEN = {
    COUNT.format("count + 1"): {"counts": 1, "sum of counts": 1},
    COUNT.format(0): {"counts": 1, "sum of counts": 1},
    # A row of each side that the other lacks: an inner join would see neither.
    f"DELETE FROM counttable WHERE id = 3 AND link_type = {SECOND_TYPE}": {
        "counts": 1,
        "sum of counts": 1,
    },
    f"INSERT INTO counttable VALUES (4, {FIRST_TYPE}, 1, 0, 0)": {"counts": 1, "sum of counts": 1},
    "DELETE FROM linktable WHERE id1 = 5": {"counts": 1, "sum of counts": 1},
    # Two errors that make good for each other in the sum.
    "UPDATE counttable SET count = IF(id = 5, 2, 1) WHERE id IN (5, 6)": {"counts": 2},
    f"UPDATE linktable SET visibility = 0 {LINK}": {"counts": 1, "new links": 1},
    f"UPDATE linktable SET visibility = 2 {LINK}": {"counts": 1, "visibility": 1, "new links": 1},
    f"UPDATE linktable SET version = 1 {LINK}": {"new links": 1},
    "DELETE FROM nodetable WHERE id = 4": {"nodes": 1},
    "DELETE FROM nodetable WHERE id = 3": {"ids of links": 1},
    "DELETE FROM nodetable WHERE id > 5": {"ids of links": 1},
    "DELETE FROM counttable": {"counts": 4, "sum of counts": 1},
}


@pytest.fixture(scope="module", params=oldest_and_newest(SERVERS))
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Old and new, at a sql_mode that refuses what it can."""
    strict = "ONLY_FULL_GROUP_BY,ANSI_QUOTES,PIPES_AS_CONCAT,STRICT_ALL_TABLES"
    with standing(request.param, sql_mode=strict) as (server, _, _):
        yield server


@pytest.fixture
def graph(server: Server) -> Iterator[Made]:
    """Makes the schema with the graph in tables of an engine."""
    with closing(server.admin()) as admin:

        def made(engine: str) -> Connection:
            drop_schema(admin, SCHEMA)
            create_schema(admin, SCHEMA)
            connection = server.admin(SCHEMA)
            make_graph(connection, engine=engine)
            return connection

        yield made
        drop_schema(admin, SCHEMA)


def seen(checks: list[DataCheck]) -> dict[str, int]:
    assert all(check.state != "not checked" for check in checks), checks
    return {c.name: c.bad_rows or 0 for c in checks if c.state == "broken"}


@pytest.mark.parametrize("engine", ["InnoDB", "MyISAM"])
def test_a_whole_graph_keeps_every_rule(server: Server, graph: Made, engine: str) -> None:
    if engine == "MyISAM" and is_mysql_of_today(server):
        with pytest.raises(SqlError, match="doesn't support native partitioning"):
            graph(engine)
        return
    with closing(graph(engine)) as connection:
        assert find_kind(connection) == "linkbench"
        checks = run_checks(connection, "linkbench", just_loaded=True)
    assert [(check.name, check.state, check.bad_rows) for check in checks] == [
        (check.name, "ok", 0) for check in CHECKS.checks
    ]


def test_each_change_breaks_exactly_the_rules_that_speak_of_it(graph: Made) -> None:
    found = {}
    with closing(graph("InnoDB")) as connection, connection.cursor() as cursor:
        for sql in BROKEN:
            cursor.execute("BEGIN")
            cursor.execute(sql)
            # The checks begin a transaction of their own, which commits this one.
            checks = run_checks(connection, "linkbench", just_loaded=True)
            assert all(check.example for check in checks if check.state == "broken")
            found[sql] = seen(checks)
            for table in ("linktable", "counttable", "nodetable"):
                cursor.execute(f"DROP TABLE {table}")
            make_graph(connection, engine="InnoDB")
    assert found == BROKEN
    names = {name for broken in found.values() for name in broken}
    assert names == {check.name for check in CHECKS.checks}, "some rule is broken by nothing here"


def test_ops_by_the_book_break_nothing(graph: Made) -> None:
    with closing(graph("InnoDB")) as connection, connection.cursor() as cursor:
        for sql in (
            f"UPDATE linktable SET visibility = 0 {LINK}",
            COUNT.format("count - 1"),
            # The last visible link of id 5: its row of counts stays, or goes.
            "UPDATE linktable SET visibility = 0 WHERE id1 = 5",
            "DELETE FROM counttable WHERE id = 5",
            f"INSERT INTO linktable VALUES (4, 4, {SECOND_TYPE}, 1, '', 0, 0)",
            f"INSERT INTO counttable VALUES (4, {SECOND_TYPE}, 1, 0, 1)",
            f"INSERT INTO counttable VALUES (7, {SECOND_TYPE}, 0, 0, 1)",
            "DELETE FROM nodetable WHERE id = 4",
        ):
            cursor.execute(sql)
        assert seen(run_checks(connection, "linkbench")) == {}


def test_an_example_names_the_id_and_both_figures(graph: Made) -> None:
    with closing(graph("InnoDB")) as connection, connection.cursor() as cursor:
        cursor.execute(COUNT.format(7))
        cursor.execute("DELETE FROM nodetable WHERE id = 4")
        checks = {c.name: c for c in run_checks(connection, "linkbench", just_loaded=True)}
    assert checks["counts"].example == (f"id1 3, link_type {FIRST_TYPE}: count 7, visible links 5")
    assert checks["sum of counts"].example == "counted 14, links 12"
    assert checks["nodes"].example == "nodes 4, first_node 3, last_node 7"


def test_an_engine_without_transactions_says_why(server: Server, graph: Made) -> None:
    if is_mysql_of_today(server):
        return  # The test above holds that it has no such tables.
    with closing(graph("MyISAM")) as connection, connection.cursor() as cursor:
        cursor.execute(COUNT.format(7))
        (broken,) = [c for c in run_checks(connection, "linkbench") if c.state == "broken"]
    assert broken.reason == "MyISAM has no transactions: nothing is rolled back"


def test_acknowledged_nodes_are_there(graph: Made) -> None:
    with closing(graph("InnoDB")) as connection, connection.cursor() as cursor:
        before = read_figures(connection, "linkbench")
        assert before == {"acknowledged nodes": NODES[-1]}
        for _ in range(3):
            cursor.execute("INSERT INTO nodetable (type, version, time, data) VALUES (1, 1, 1, 1)")
        cursor.execute("DELETE FROM nodetable WHERE id = 7")
        after = read_figures(connection, "linkbench")
    for acknowledged, state in ((3, "ok"), (4, "broken"), (2, "broken")):
        (check,) = grown("linkbench", before, after, ok={"add_node": acknowledged}, unsure=0)
        assert check.state == state


def test_links_are_read_from_the_index_that_has_them_whole(server: Server, graph: Made) -> None:
    (check,) = [check for check in CHECKS.checks if check.name == "counts"]
    with closing(graph("InnoDB")) as connection, connection.cursor() as cursor:
        # MySQL 9 gives a tree unless a table is asked for, and MySQL 5.5 can't be asked.
        form = "FORMAT=TRADITIONAL" if is_mysql_of_today(server) else ""
        cursor.execute(f"EXPLAIN {form} {check.sql}")
        rows = [row for row in cursor.fetchall() if row[2] == "linktable"]
        assert len(rows) == 1
        assert "id1_type" in rows[0]
        assert "Using index" in rows[0][-1]
