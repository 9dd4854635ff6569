"""A server with a table of 65,536 rows, kept in a way of the test's own; what both sides say."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.client import Connection
from dyno.runner.pages import read_storage
from dyno.runner.sizes import table_sizes
from dyno.servers import Server, create_schema, drop_schema
from dyno.store.storage import Storage
from dyno.store.trial import TableSize

SCHEMA = "dyno_storage"
DOUBLINGS = 16
ROWS = 1 << DOUBLINGS
TEXT_BYTES = 182


@dataclass(frozen=True)
class Keeper:
    """A server that keeps tables."""

    name: str
    server: Server
    admin: Connection

    def fill(self, options: str) -> None:
        """Drop the schema and make it, with the table t of these options, and its rows."""
        drop_schema(self.admin, SCHEMA)
        create_schema(self.admin, SCHEMA)
        value = "CONCAT(MD5(RAND()), REPEAT('x', 150))"
        self.sql(
            f"CREATE TABLE {SCHEMA}.t (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL, "
            f"v VARCHAR(200) NOT NULL, KEY k (k)) ENGINE=InnoDB DEFAULT CHARSET=latin1 {options}"
        )
        self.sql(f"INSERT INTO {SCHEMA}.t (k, v) VALUES (1, {value})")
        for _ in range(DOUBLINGS):
            self.sql(
                f"INSERT INTO {SCHEMA}.t (k, v) SELECT RAND() * 1000000, {value} FROM {SCHEMA}.t"
            )

    def flush(self) -> None:
        """Write all pages of the table."""
        with self.admin.cursor() as cursor:
            cursor.execute(f"FLUSH TABLES {SCHEMA}.t FOR EXPORT")
            cursor.execute("UNLOCK TABLES")

    def sql(self, text: str) -> None:
        with self.admin.cursor() as cursor:
            cursor.execute(text)

    def number(self, text: str) -> int:
        with self.admin.cursor() as cursor:
            cursor.execute(text)
            row = cursor.fetchone()
        assert isinstance(row, tuple)
        return int(row[-1])

    def status(self, name: str) -> int:
        return self.number(f"SHOW GLOBAL STATUS LIKE '{name}'")

    def pages(self) -> Storage:
        """What the server says of pages, with fresh statistics."""
        found = read_storage(self.server, SCHEMA, analyze=True)
        assert found is not None
        return found

    def size(self) -> TableSize:
        """The table's sizes, by the server and by its file."""
        (size,) = table_sizes(self.server, SCHEMA, data_dir=self.server.data_dir, stays=False)
        return size
