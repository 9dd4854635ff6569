"""One declaration of a setting that servers name differently, on servers old and new."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from thinned import SERVERS

from dyno.errors import ServerError
from dyno.home import Home
from dyno.servers import create_data_dir, install, start
from dyno.servers.known import for_server
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


@pytest.mark.parametrize("name", SERVERS)
def test_a_loose_setting_is_left_out_where_it_is_unknown_alone(name: str, home: Home) -> None:
    settings = {"loose_innodb_buffer_pool_size": "64M", "loose_nobody_knows": 1}
    assert for_server(settings, install(name, home=home)) == {"innodb_buffer_pool_size": "64M"}


def test_a_server_that_does_not_say_what_it_knows_gets_no_loose_settings(home: Home) -> None:
    silent = replace(install("mariadb-10.11.5", home=home), mysqld=Path("/bin/false"))
    with pytest.raises(ServerError, match="doesn't show which settings it knows") as caught:
        for_server({"loose_innodb_buffer_pool_size": "64M"}, silent)
    assert "write innodb_buffer_pool_size without loose_" in str(caught.value.hint)
    assert for_server({"innodb_buffer_pool_size": "64M"}, silent)
