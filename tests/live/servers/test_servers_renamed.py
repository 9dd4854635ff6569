"""One declaration of a setting that servers name differently, on servers old and new."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from dyno.errors import ServerError
from dyno.home import Home
from dyno.servers import create_data_dir, install, start
from dyno.spec.renamed import seen_as

DECLARED = {
    "innodb_redo_log_capacity": "64M",
    "transaction_isolation": "READ-COMMITTED",
}


@pytest.mark.parametrize(
    "name", ["mysql-5.6.24", "mariadb-10.1.8", "mariadb-10.11.5", "mariadb-trixie", "mysql-sid"]
)
def test_one_declaration_holds_on_all(name: str, home: Home, work: Path) -> None:
    installation = install(name, home=home)
    create_data_dir(installation, work / "data", settings=DECLARED, home=home)
    with (
        start(
            installation, data_dir=work / "data", run_dir=work / "run", settings=DECLARED
        ) as server,
        closing(server.admin()) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SHOW GLOBAL VARIABLES")
        variables = {str(key): str(value) for key, value in cursor.fetchall()}
    assert seen_as("transaction_isolation", variables) == "READ-COMMITTED"
    assert seen_as("innodb_redo_log_capacity", variables) == str(64 * 2**20)


def test_a_name_without_its_meaning_there_is_refused_with_what_to_declare(
    home: Home, work: Path
) -> None:
    installation = install("mysql-sid", home=home)
    create_data_dir(installation, work / "data", home=home)
    settings = {"innodb_log_file_size": "64M"}
    with pytest.raises(ServerError, match="doesn't know the setting 'innodb_log_file_size'") as e:
        start(installation, data_dir=work / "data", run_dir=work / "run", settings=settings)
    assert (e.value.hint or "").startswith("declare innodb_redo_log_capacity for all arms")
