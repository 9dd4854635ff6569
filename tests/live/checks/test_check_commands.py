"""`dyno check-data` and `dyno check-isolation` as typed: what they print, and how they end."""

from __future__ import annotations

import json
import subprocess
from contextlib import closing

import forks
from small_data import SCHEMA, Made

from dyno.servers import Server


def dyno(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return forks.dyno(*arguments, limit_s=120, **{"COLUMNS": "200", **environment})


def address(server: Server) -> str:
    return f"mysql://root@/?socket={server.socket}"


def test_whole_data_end_with_0_and_broken_data_with_7(server: Server, schema: Made) -> None:
    command = ("check-data", "--server", address(server), "--schema", SCHEMA)
    with closing(schema("InnoDB")) as connection, connection.cursor() as cursor:
        whole = dyno(*command)
        assert (whole.returncode, whole.stdout.count(" ok ")) == (0, 18)
        assert "more checks hold right after the load only: --just-loaded" in whole.stdout
        assert "1 of 18: condition 1" in whole.stderr
        cursor.execute("UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2")
        broken = dyno(*command, "--json")
    assert broken.returncode == 7
    document = json.loads(broken.stdout)
    assert document["workload"] == "tpcc"
    wrong = {c["name"]: c["example"] for c in document["checks"] if c["state"] == "broken"}
    assert wrong == {
        "condition 1": "w_id 2: w_ytd 71.50, sum(d_ytd) 70.50",
        "condition 8": "w_id 2: w_ytd 71.50, payments 70.50",
    }
    assert "error: 2 of 18 checks of the data are broken: condition 1, condition 8" in broken.stderr


def test_just_loaded_adds_the_counts(server: Server, schema: Made) -> None:
    with closing(schema("InnoDB")):
        done = dyno(
            *("check-data", "--server", address(server), "--schema", SCHEMA, "--just-loaded")
        )
    assert done.returncode == 7
    assert "rows of customer" in done.stdout
    assert "w_id 1, d_id 1: rows 3, wanted 3000" in done.stdout


def test_unknown_is_not_ok(server: Server, schema: Made) -> None:
    with closing(schema("InnoDB")) as connection, connection.cursor() as cursor:
        cursor.execute("ALTER TABLE customer DROP COLUMN c_delivery_cnt")
        done = dyno("check-data", "--server", address(server), "--schema", SCHEMA)
    assert done.returncode == 3
    assert "1 of 18 checks of the data could not be made: c_delivery_cnt" in done.stderr


def test_a_missing_schema_is_reported(server: Server) -> None:
    done = dyno("check-data", "--server", address(server), "--schema", "mysql")
    assert done.returncode == 2
    assert "error: the schema holds no workload whose data can be checked" in done.stderr
    lost = dyno("check-data", "--server", address(server), "--schema", "nowhere")
    assert lost.returncode == 3
    assert "nowhere" in lost.stderr
    assert "Traceback" not in lost.stderr


def test_a_name_is_that_of_a_server_that_runs() -> None:
    done = dyno("check-data", "--server", "mysql-5.6.24", "--schema", SCHEMA)
    assert done.returncode == 3
    assert "hint: start it: dyno servers start mysql-5.6.24" in done.stderr


def test_isolation_ends_with_0_on_innodb_and_with_7_on_myisam(server: Server) -> None:
    command = ("check-isolation", "--server", address(server), "--json")
    good = dyno(*command)
    assert (good.returncode, [test["state"] for test in json.loads(good.stdout)]) == (0, ["ok"] * 9)
    bad = dyno(*command, "--engine", "MyISAM")
    assert bad.returncode == 7
    assert {test["state"] for test in json.loads(bad.stdout)} == {"broken"}
    assert "9 of 9 isolation tests are broken" in bad.stderr


def test_a_level_that_does_not_exist_is_refused(server: Server) -> None:
    done = dyno("check-isolation", "--server", address(server), "--isolation", "chaos")
    assert done.returncode == 2
    assert "there is no level 'chaos'" in done.stderr
