"""`dyno run` of the workload `queries` on the servers of today."""

from __future__ import annotations

import json

import pytest
from small_run import Bench

EXPERIMENT = """
title = "small"
question = "Which server is faster at these queries?"
[[arm]]
name = "MariaDB"
baseline = true
server = "mariadb-trixie"
[[arm]]
name = "MySQL"
server = "mysql-sid"
[workload]
kind = "queries"
[[workload.table]]
name = "orders"
create = "CREATE TABLE orders (id INT PRIMARY KEY, customer INT, KEY (customer)) ENGINE={engine}"
rows = 2000
columns = [
  { name = "id", generate = "sequence" },
  { name = "customer", generate = "int", min = 1, max = 90 },
]
after = ["ALTER TABLE orders ADD town VARCHAR(40)"]
[[workload.query]]
name = "read"
weight = 4
sql = "SELECT customer FROM orders WHERE id = :id AND coalesce(town, '') <> :town"
[workload.query.values]
id = { draw = "column", column = "orders.id", distribution = "zipfian" }
town = { draw = "list", values = ["O'Brien"] }
[[workload.query]]
name = "move"
transaction = true
sql = [
  "SELECT town FROM orders WHERE id = :id FOR UPDATE",
  "UPDATE orders SET town = :town WHERE id = :id",
]
[workload.query.values]
id = { draw = "column", column = "orders.id" }
town = { draw = "csv", file = "towns.csv", field = "town" }
[protocol]
profile = false
connections = 4
warmup = "300ms"
duration = "1s"
think = "2ms"
blocks = { first = 2, last = 2 }
[[claim]]
says = "MySQL is no slower"
ratio_of = ["MySQL", "MariaDB"]
at_least = 1
"""


@pytest.fixture
def queries(todays_servers: None, bench: Bench) -> Bench:
    (bench.path / "small" / "experiment.toml").write_text(EXPERIMENT)
    (bench.path / "small" / "towns.csv").write_text("town\nWien\nO'Fallon\n")
    return bench


def test_own_queries_run_on_both_and_are_compared(queries: Bench) -> None:
    done = queries.dyno("run", "small/experiment.toml", "--json")
    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)
    assert findings["run"]["trials_ok"] == 4
    for trial in queries.all_trials():
        measured = trial["summary"]["phases"][-1]
        assert measured["failed"] == {}
        counts = {op["op"]: op["count"] for op in measured["ops"]}
        assert counts["read"] > counts["move"] > 0
    compared = {(c["metric"], c["primary"]) for c in findings["compared"]}
    assert ("total_throughput", True) in compared
    (claim,) = findings["claims"]
    assert claim["asks"].startswith("total throughput of MySQL / MariaDB")
    plan = json.loads((queries.run_folder() / "plan.json").read_text())
    town = plan["workload"]["query"][1]["values"]["town"]
    assert (town["draw"], town["values"]) == ("list", ["Wien", "O'Fallon"])
    report = (queries.run_folder() / "report.html").read_text()
    assert "total throughput" in report


def test_a_value_that_nobody_draws_is_found_before_the_run(queries: Bench) -> None:
    file = queries.path / "small" / "experiment.toml"
    file.write_text(EXPERIMENT.replace("WHERE id = :id FOR", "WHERE id = :idd FOR"))
    done = queries.dyno("check", "small/experiment.toml")
    assert done.returncode == 2
    assert "workload.queries[1].sql[0]: `:idd` isn't among the values of `move`" in done.stderr
    assert "Traceback" not in done.stderr
