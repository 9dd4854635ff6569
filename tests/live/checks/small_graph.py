"""A small graph in the tables of linkbench: whole data, by hand, as a load leaves them."""

from __future__ import annotations

from dyno.client import Connection

FIRST_TYPE, SECOND_TYPE = 123456789, 123456790
# (id1, link_type): how many links the load made. Id 4 has none; id 3 begins a long list.
DEGREES = {(3, FIRST_TYPE): 5, (3, SECOND_TYPE): 4, (5, FIRST_TYPE): 1, (6, FIRST_TYPE): 2}
NODES = range(3, 8)

TABLES = (
    "CREATE TABLE linktable (id1 BIGINT UNSIGNED NOT NULL DEFAULT 0, "
    "id2 BIGINT UNSIGNED NOT NULL DEFAULT 0, link_type BIGINT UNSIGNED NOT NULL DEFAULT 0, "
    "visibility TINYINT NOT NULL DEFAULT 0, data VARCHAR(255) NOT NULL DEFAULT '', "
    "time BIGINT UNSIGNED NOT NULL DEFAULT 0, version INT UNSIGNED NOT NULL DEFAULT 0, "
    "PRIMARY KEY (link_type, id1, id2), "
    "KEY id1_type (id1, link_type, visibility, time, id2, version, data)) "
    "ENGINE = {engine} DEFAULT CHARSET = latin1 PARTITION BY KEY (id1) PARTITIONS 16",
    "CREATE TABLE counttable (id BIGINT UNSIGNED NOT NULL DEFAULT 0, "
    "link_type BIGINT UNSIGNED NOT NULL DEFAULT 0, count INT UNSIGNED NOT NULL DEFAULT 0, "
    "time BIGINT UNSIGNED NOT NULL DEFAULT 0, version BIGINT UNSIGNED NOT NULL DEFAULT 0, "
    "PRIMARY KEY (id, link_type)) ENGINE = {engine} DEFAULT CHARSET = latin1",
    "CREATE TABLE nodetable (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, "
    "type INT UNSIGNED NOT NULL, version BIGINT UNSIGNED NOT NULL, time INT UNSIGNED NOT NULL, "
    "data MEDIUMTEXT NOT NULL, PRIMARY KEY (id)) ENGINE = {engine} DEFAULT CHARSET = latin1",
)


def make_graph(connection: Connection, *, engine: str) -> None:
    """The three tables with the graph in them."""
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(table.format(engine=engine))
        for node in NODES:
            cursor.execute(
                f"INSERT INTO nodetable (id, type, version, time, data) "
                f"VALUES ({node}, 2048, 1, 1700000000, 'abc')"
            )
        for (id1, link_type), degree in DEGREES.items():
            for id2 in range(id1, id1 + degree):
                cursor.execute(
                    "INSERT INTO linktable (id1, id2, link_type, visibility, data, time, version) "
                    f"VALUES ({id1}, {id2}, {link_type}, 1, 'd', 1700000000000, 0)"
                )
            cursor.execute(
                "INSERT INTO counttable (id, link_type, count, time, version) "
                f"VALUES ({id1}, {link_type}, {degree}, 1700000000000, 0)"
            )
