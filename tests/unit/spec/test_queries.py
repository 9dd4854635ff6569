"""The workload `queries`: what an experiment may say, and what dynoload gets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stored_runs import plan_of as expand

from dyno.errors import SpecError
from dyno.spec.queries import LoadQueries, QueriesWorkload
from dyno.spec.read import read_experiment

QUERIES = """
title = "t"
question = "q?"
[[arm]]
name = "a"
server = "s"
engine = "Aria"
baseline = true
[[arm]]
name = "b"
server = "s"
[workload]
kind = "queries"
[[workload.table]]
name = "orders"
create = "CREATE TABLE orders (id INT PRIMARY KEY, customer INT, note VARCHAR(20)) ENGINE={engine}"
rows = 5000
columns = [
  { name = "id", generate = "sequence" },
  { name = "customer", generate = "int", min = 1, max = 900 },
  { name = "note", generate = "hex", length = 12, distinct = 100 },
]
"""
READ = """
[[workload.query]]
name = "read"
sql = "SELECT note FROM orders WHERE id = :id"
values = { id = { draw = "column", column = "orders.id" } }
"""
WRITE = """
[[workload.query]]
name = "write"
weight = 3
sql = ["SELECT 1", "UPDATE orders SET note = :note WHERE customer BETWEEN :from AND :from + 5"]
transaction = true
[workload.query.values]
note = { draw = "list", values = ["it's", "that's"] }
from = { draw = "int", min = 1, max = 900, distribution = "zipfian" }
"""


def workload(more: str) -> QueriesWorkload:
    found = expand(QUERIES + more).own_workload
    assert isinstance(found, QueriesWorkload)
    return found


def loaded(more: str) -> LoadQueries:
    return workload(more).for_trial(None)


def refused(more: str) -> SpecError:
    with pytest.raises(SpecError) as error:
        expand(QUERIES + more)
    return error.value


def test_one_query_has_a_throughput_and_several_have_one_together() -> None:
    assert workload(READ).headline == "throughput"
    both = workload(READ + WRITE)
    assert both.ops == ["read", "write"]
    assert (both.headline, both.headline_ops) == ("total_throughput", ["write"])


@pytest.mark.parametrize(
    ("sql", "writes"),
    [
        ("SELECT 1", False),
        ("  (select 1)", False),
        ("WITH x AS (SELECT 1) SELECT * FROM x", False),
        ("WITH x AS (SELECT 1) DELETE FROM orders", True),
        ("SET @a = 1", True),
        ("CALL p()", True),
        ("selection", True),
    ],
)
def test_what_may_write_gets_fresh_copies(sql: str, writes: bool) -> None:
    assert workload(f'[[workload.query]]\nname = "q"\nsql = "{sql}"\n').writes == writes


def test_the_tables_have_the_engine_of_the_arm() -> None:
    plan = expand(QUERIES + READ)
    made = [plan.own_workload.data_parts(arm.engine)["tables"][0]["create"] for arm in plan.arms]
    assert [sql.rpartition("=")[2] for sql in made] == ["Aria", "InnoDB"]
    assert loaded(READ).tables == []


def test_a_column_is_what_its_rows_have() -> None:
    plan = json.loads(loaded(READ).model_dump_json(exclude_none=True))
    assert plan["queries"][0]["values"]["id"] == {
        "draw": "column",
        "table": "orders",
        "place": 1,
        "rows": 5000,
        "generator": {"generate": "sequence"},
        "distribution": {"kind": "uniform"},
    }
    scaled = workload(READ).scaled(0.1).for_trial(None)
    assert scaled.queries[0].values["id"].rows == 500


def test_dates_are_days_since_1970() -> None:
    query = '[[workload.query]]\nname = "q"\nsql = "SELECT :day"\n'
    days = 'values = { day = { draw = "date", min = 1969-12-31, max = "2000-02-29" } }\n'
    value = loaded(query + days).queries[0].values["day"]
    assert (value.min, value.max) == (-1, 11_016)


def test_values_of_a_file_go_into_the_plan(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text('name,code\n"Sankt Pölten, old",07\nWien,1\n', "utf-8")
    query = '[[workload.query]]\nname = "q"\nsql = "SELECT :v"\n'
    found = {}
    for field in ("name", "code"):
        file = tmp_path / "experiment.toml"
        value = f'values = {{ v = {{ draw = "csv", file = "towns.csv", field = "{field}" }} }}\n'
        file.write_text(QUERIES + query + value)
        made = read_experiment(file).workload.for_trial(None)
        assert isinstance(made, LoadQueries)
        found[field] = made.queries[0].values["v"].values
    assert found == {"name": ["Sankt Pölten, old", "Wien"], "code": ["07", "1"]}
    (tmp_path / "towns.csv").write_text("code\n12\n-3\n")
    made = read_experiment(tmp_path / "experiment.toml").workload.for_trial(None)
    assert isinstance(made, LoadQueries)
    assert made.queries[0].values["v"].values == [12, -3]


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        (b"name\nWien\n", "has no column 'code'", "it has name"),
        (b"", "has no column 'code'", "the first line must be the header"),
        (b"code\n", "has 0 values", "give 1 to 100,000"),
        (b"code\n\xff\n", "isn't a CSV file", "it must be text in UTF-8"),
        (None, "can't be read: No such file or directory", None),
    ],
)
def test_a_file_without_the_values_is_refused(
    tmp_path: Path, text: bytes | None, said: str, hint: str | None
) -> None:
    if text is not None:
        (tmp_path / "v.csv").write_bytes(text)
    query = '[[workload.query]]\nname = "q"\nsql = "SELECT :v"\n'
    value = 'values = { v = { draw = "csv", file = "v.csv", field = "code" } }\n'
    (tmp_path / "experiment.toml").write_text(QUERIES + query + value)
    with pytest.raises(SpecError, match=said) as error:
        read_experiment(tmp_path / "experiment.toml")
    assert str(error.value).startswith("q: values.v: ")
    assert hint is None or (error.value.hint or "").startswith(hint)


@pytest.mark.parametrize(
    ("value", "said", "hint"),
    [
        ('draw = "int", min = 1', "draw = 'int' needs max", None),
        ('draw = "hex", length = 3, distinct = 2, min = 1', "draw = 'hex' has no min", None),
        (
            'draw = "int", min = 1, max = 2026-01-01',
            "2026-01-01 doesn't fit draw = 'int'",
            "such as 1",
        ),
        ('draw = "date", min = 1, max = 2', "1 doesn't fit draw = 'date'", "such as 2026-01-31"),
        (
            'draw = "column", column = "orders.custmer"',
            "there is no column 'orders.custmer'",
            "did you mean 'orders.customer'?",
        ),
        ('draw = "int", min = 9, max = 3', "min is 9, above max, which is 3", "exchange them"),
        (
            'draw = "date", min = 2026-02-01, max = 2026-01-01',
            "min is 2026-02-01, above max, which is 2026-01-01",
            "exchange them",
        ),
        ('draw = "list", values = []', "at least 1 item", None),
        ('draw = "intt", min = 1, max = 2', "there is no 'intt'", "did you mean 'int'?"),
        ('draw = "int", mn = 1, max = 2', "unknown key", "did you mean 'min'?"),
    ],
)
def test_mistakes_in_a_value_are_named(value: str, said: str, hint: str | None) -> None:
    text = f'[[workload.query]]\nname = "q"\nsql = "SELECT :v"\nvalues = {{ v = {{ {value} }} }}\n'
    error = refused(text)
    assert said in str(error)
    assert hint is None or error.hint == hint


def test_two_queries_of_one_name_are_refused() -> None:
    error = refused(READ + READ)
    assert "two queries are named 'read'" in str(error)
    assert error.hint == "give each its own name"


def test_check_shows_the_queries() -> None:
    facts = dict(workload(READ + WRITE).facts())
    assert facts["table orders"] == "5,000 rows"
    assert facts["read"] == "SELECT note FROM orders WHERE id = :id  (weight 1)"
    assert facts["write"].startswith("BEGIN; SELECT 1; UPDATE")
    assert facts["trials"] == "write to it"
