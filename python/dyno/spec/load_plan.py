"""The load generator's plan: what one trial asks of dynoload. The format's text, with the events,
is docs/reference/load-plan.md; the golden files in tests/golden/load hold both sides to it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dyno.spec.experiment import Arm, Column, Generator, SettingValue, StatementsWorkload, Strict
from dyno.spec.plan import Plan


class Target(Strict):
    """Where the server listens and as whom to log in; never a password."""

    socket: str | None = None
    host: str | None = None
    port: int | None = None
    user: str = "root"
    password_env: str | None = None
    database: str | None = None
    tls: Literal["off", "required", "verify"] = "off"
    ca_file: str | None = None


class Observe(Strict):
    """What is read on the measuring connection besides the timed statements."""

    settings: bool = False
    explain: bool = False
    status: bool = False


class Phase(Strict):
    """`load`, or rounds or seconds of the statements."""

    name: Literal["load", "warmup", "measure"]
    rounds: int | None = None
    duration_s: float | None = None


class LoadTable(Strict):
    """A table to create and fill."""

    name: str
    create: str
    rows: int
    columns: list[Generator]
    after: list[str] = []


class LoadStatement(Strict):
    """A statement to time."""

    name: str
    sql: str
    compare: Literal["all", "rows"] | list[str | int] = "all"
    ordered: bool = False


class LoadWorkload(Strict):
    """The workload `statements`, with the engine filled in."""

    kind: Literal["statements"] = "statements"
    tables: list[LoadTable] = []
    statements: list[LoadStatement] = []


class LoadPlan(Strict):
    """One run of dynoload."""

    load_schema: Literal[1] = Field(default=1, alias="schema")
    seed: int
    target: Target
    session: list[str] = []
    connections: int = 1
    interval_s: float = 1.0
    timeout_s: float = 3600.0
    observe: Observe = Observe()
    phases: list[Phase]
    workload: LoadWorkload

    def to_json(self) -> str:
        """The plan as dynoload reads it."""
        return self.model_dump_json(by_alias=True, exclude_none=True, indent=1)


def dataset_plan(plan: Plan, arm: Arm, target: Target) -> LoadPlan:
    """Creates and fills the tables of the workload, for one arm's engine."""
    return LoadPlan(
        schema=1,
        seed=plan.options.seed,
        target=target,
        phases=[Phase(name="load")],
        workload=load_workload(plan.workload, arm.engine),
    )


def trial_plan(plan: Plan, arm: Arm, target: Target) -> LoadPlan:
    """One trial of one arm: observe, warm up, measure."""
    phases = [Phase(name="measure", rounds=plan.protocol.rounds)]
    if plan.protocol.warmup_rounds:
        phases.insert(0, Phase(name="warmup", rounds=plan.protocol.warmup_rounds))
    return LoadPlan(
        schema=1,
        seed=plan.options.seed,
        target=target,
        session=session_statements(plan.workload, arm),
        connections=plan.points[0].connections,
        timeout_s=plan.protocol.timeout,
        observe=Observe(settings=True, explain=True, status=True),
        phases=phases,
        workload=load_workload(plan.workload, arm.engine).model_copy(update={"tables": []}),
    )


def session_statements(workload: StatementsWorkload, arm: Arm) -> list[str]:
    """The workload's session statements, then the arm's session settings as SET SESSION."""
    sets = [f"SET SESSION {name} = {_literal(value)}" for name, value in arm.session.items()]
    return [*workload.session, *sets]


def load_workload(workload: StatementsWorkload, engine: str | None) -> LoadWorkload:
    """The tables and statements with `{engine}` replaced."""
    return LoadWorkload(
        tables=[
            LoadTable(
                name=table.name,
                create=table.create.replace("{engine}", engine or "MyISAM"),
                rows=table.rows,
                columns=[_unnamed(column) for column in table.columns],
                after=table.after,
            )
            for table in workload.table
        ],
        statements=[
            LoadStatement(name=s.name, sql=s.sql, compare=s.compare, ordered=s.ordered)
            for s in workload.statement
        ],
    )


def _unnamed(column: Column) -> Generator:
    return Generator.model_validate(column.model_dump(exclude={"name"}, exclude_none=True))


def _literal(value: SettingValue) -> str:
    """A setting's value as SQL: numbers bare, words quoted."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (int, float)):
        return str(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
