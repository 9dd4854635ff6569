"""The workload `queries`: named queries with drawn values, by weight, on many connections.

docs/reference/load-plan.md says how values are drawn; dynoload draws them. Here are the keys of an
experiment, and what dynoload gets from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from dyno.spec.changed import changed
from dyno.spec.kind import WHICH_KIND
from dyno.spec.metrics import MetricKey
from dyno.spec.strict import Line, OpName, Strict, mistake
from dyno.spec.tables import LoadTable, OfTables
from dyno.spec.values import LoadDraw, Value, drawn, find_column, with_file
from dyno.spec.words import first_twice

# A statement that begins otherwise may change data, as one with these words in a WITH.
READS = re.compile(r"[\s(]*(select|with|show|explain|describe|do|table|values)\b", re.I)
CHANGES = re.compile(r"[\s(]*with\b.*\b(insert|replace|update|delete)\b", re.I | re.S)


class Query(Strict):
    """A query: one op. Its statements are run one after the other."""

    name: OpName = Field(description="The op that claims and reports speak of.")
    sql: str | Annotated[list[str], Field(min_length=1)] = Field(
        description="The statement, or several. `:name` outside quotes is a value."
    )
    weight: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        1, description="How often it is drawn, beside the weights of the others."
    )
    transaction: bool = Field(
        False,
        description="True: BEGIN before the first statement, COMMIT after the last. One that loses "
        "a deadlock is run again, and its latency includes that.",
    )
    values: dict[Line, Value] = Field(
        {},
        description="What its values are drawn from, by name: "
        '`{ id = { draw = "int", min = 1, max = 9 } }`.',
    )

    @property
    def statements(self) -> list[str]:
        """The statements."""
        return [self.sql] if isinstance(self.sql, str) else self.sql


class LoadQuery(Strict):
    """A query to ask."""

    name: str
    weight: int = 1
    sql: list[str]
    transaction: bool = False
    values: dict[str, LoadDraw] = {}


class LoadQueries(Strict):
    """The workload in a load plan, with the engine filled in."""

    kind: Literal["queries"] = "queries"
    tables: list[LoadTable] = []
    queries: list[LoadQuery] = []
    prepared: bool = True


class QueriesWorkload(OfTables):
    """Your own queries as a load: each op is one of them, drawn by weight, with values drawn for
    it. Tables are described as for statements. Where a query may change data, each trial gets a
    fresh copy of the dataset.
    """

    usual_engine: ClassVar[str] = "InnoDB"

    kind: Annotated[Literal["queries"], WHICH_KIND]
    query: Annotated[list[Query], Field(min_length=1, max_length=1000)] = Field(
        description="What is asked."
    )
    prepared: bool = Field(
        True, description="True: prepared statements. False: text, with the values in it."
    )

    @model_validator(mode="after")
    def _names_differ(self) -> QueriesWorkload:
        if (twice := first_twice(self.ops)) is not None:
            raise mistake(f"two queries are named {twice!r}", hint="give each its own name")
        return self

    @model_validator(mode="after")
    def _columns_are_there(self) -> QueriesWorkload:
        for query in self.query:
            for value in query.values.values():
                if value.column is not None:
                    find_column(value.column, self.table)
        return self

    @property
    def headline(self) -> MetricKey:
        """With one query its throughput, with several that of all together."""
        return "throughput" if len(self.query) == 1 else "total_throughput"

    @property
    def ops(self) -> list[str]:
        """The op kinds: the queries' names, in their order."""
        return [query.name for query in self.query]

    @property
    def headline_ops(self) -> list[str]:
        """The throughput of all is filed under the name of the most frequent one."""
        return [max(self.query, key=lambda query: query.weight).name]

    @property
    def writes(self) -> bool:
        """Whether trials may change the data."""
        every = [sql for query in self.query for sql in query.statements]
        return not all(READS.match(sql) and not CHANGES.match(sql) for sql in every)

    def with_files(self, folder: Path, scripts: Sequence[str] = ()) -> QueriesWorkload:
        """The workload with the values of its files in their place. Raises SpecError."""
        queries = [
            changed(
                query,
                values={
                    n: with_file(v, folder, key=f"{query.name}: values.{n}")
                    for n, v in query.values.items()
                },
            )
            for query in self.query
        ]
        return changed(self, query=queries)

    def for_load(self, engine: str | None, create_options: str | None = None) -> LoadQueries:
        """The tables with the engine in place of `{engine}`, and the queries."""
        return LoadQueries(
            tables=self.load_tables(engine),
            queries=[
                LoadQuery(
                    name=query.name,
                    weight=query.weight,
                    sql=query.statements,
                    transaction=query.transaction,
                    values={name: drawn(value, self.table) for name, value in query.values.items()},
                )
                for query in self.query
            ],
            prepared=self.prepared,
        )

    def for_trial(self, engine: str | None, create_options: str | None = None) -> LoadQueries:
        """The queries alone: the tables are there already."""
        return changed(self.for_load(engine, create_options), tables=[])

    def facts(self) -> Iterator[tuple[str, str]]:
        """Tables and queries by their names."""
        yield from self.table_facts()
        yield "trials", "write to it" if self.writes else "only read it"
        yield "statements", "prepared" if self.prepared else "as text"
        for query in self.query:
            sql = "; ".join(query.statements)
            around = f"BEGIN; {sql}; COMMIT" if query.transaction else sql
            yield query.name, f"{around}  (weight {query.weight})"
