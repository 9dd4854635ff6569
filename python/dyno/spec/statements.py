"""The workload `statements`: named statements over generated tables, each timed by itself.

This file has the keys of an experiment, and what dynoload gets from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dyno.errors import SpecError
from dyno.spec.changed import changed
from dyno.spec.kind import WHICH_KIND
from dyno.spec.metrics import MetricKey
from dyno.spec.strict import OpName, Strict
from dyno.spec.tables import LoadTable, OfTables
from dyno.spec.words import first_twice, refuse_unknown


class Statement(Strict):
    """A named statement, timed alone. They are run in the order of the file."""

    name: OpName = Field(description="The op that claims and reports speak of.")
    sql: str = Field(description="The statement.")
    says: str | None = Field(None, description="What it stands for, for the report.")
    compare: Literal["all", "rows"] | list[str | int] = Field(
        "all",
        description='What must be equal on all arms: `"all"`; `"rows"`, only their number; or '
        'columns by name or place, `[1, "cnt"]`. Where answers differ, verdicts are withheld: name '
        "the columns that the statement determines.",
    )
    ordered: bool = Field(
        False,
        description="True where the statement fixes the order of rows, so that it is compared too.",
    )


class LoadStatement(Strict):
    """A statement to time."""

    name: str
    sql: str
    compare: Literal["all", "rows"] | list[str | int] = "all"
    ordered: bool = False


class LoadStatements(Strict):
    """The workload in a load plan, with the engine filled in."""

    kind: Literal["statements"] = "statements"
    tables: list[LoadTable] = []
    statements: list[LoadStatement] = []


class StatementsWorkload(OfTables):
    """Named statements over generated tables, timed one by one."""

    is_load: ClassVar[bool] = False
    usual_engine: ClassVar[str] = "MyISAM"

    kind: Annotated[Literal["statements"], WHICH_KIND]
    statement: Annotated[list[Statement], Field(min_length=1, max_length=1000)] = Field(
        description="What is timed."
    )
    writes: bool = Field(
        False,
        description="True where statements change data: every trial then begins with a fresh copy "
        "of the dataset.",
    )

    @property
    def headline(self) -> MetricKey:
        """The time of each statement."""
        return "time"

    @property
    def ops(self) -> list[str]:
        """The op kinds: the statements' names, in their order."""
        return [statement.name for statement in self.statement]

    def narrowed(self, ops: list[str]) -> StatementsWorkload:
        """The workload with these statements. Raises SpecError for one that it doesn't have."""
        names = self.ops
        if (twice := first_twice(names)) is not None:
            raise SpecError(f"two statements are named {twice!r}", hint="give each its own name")
        for wanted in ops:
            refuse_unknown(wanted, names, what="statement")
        kept = [one for one in self.statement if not ops or one.name in ops]
        return changed(self, statement=kept)

    def for_load(self, engine: str | None, create_options: str | None = None) -> LoadStatements:
        """The tables with the engine in place of `{engine}`, and the statements."""
        return LoadStatements(
            tables=self.load_tables(engine),
            statements=[
                LoadStatement(name=s.name, sql=s.sql, compare=s.compare, ordered=s.ordered)
                for s in self.statement
            ],
        )

    def for_trial(self, engine: str | None, create_options: str | None = None) -> LoadStatements:
        """The statements alone: the tables are there already."""
        return LoadStatements(statements=self.for_load(engine, create_options).statements)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Tables and statements by their names."""
        yield from self.table_facts()
        for statement in self.statement:
            compared = statement.compare
            what = compared if isinstance(compared, str) else ", ".join(map(str, compared))
            yield statement.name, f"{statement.sql}  (compare {what})"
