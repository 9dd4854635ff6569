"""The load generator's plan: what one trial asks of dynoload. The format's text, with the events,
is docs/reference/load-plan.md; the golden files in tests/golden/load hold both sides to it.
"""

from __future__ import annotations

import random
from typing import Annotated, Literal

from pydantic import Field

from dyno.spec.accesslog import AccessLogKeys
from dyno.spec.address import Address, Tls
from dyno.spec.experiment import (
    AnyWorkload,
    Arm,
    Column,
    Generator,
    Settings,
    SettingValue,
    Strict,
)
from dyno.spec.linkbench import LinkbenchKeys
from dyno.spec.oltp import OltpKeys
from dyno.spec.plan import Plan, Point
from dyno.spec.protocol import Protocol
from dyno.spec.slap import SlapKeys
from dyno.spec.task import beside
from dyno.spec.tpcc import TpccKeys
from dyno.spec.workload import NamedRows, StatementsWorkload

LOAD_SCHEMA = 2
# The words of addresses in those of load plans, of which `verify` is the older one.
TargetTls = Literal["off", "required", "verify_ca", "verify"]
TLS: dict[Tls, TargetTls] = {
    "off": "off",
    "required": "required",
    "verify-ca": "verify_ca",
    "verify-identity": "verify",
}


class Target(Strict):
    """Where the server listens and as whom to log in; never a password.

    `noop` is alone: no server, each command is answered at once inside dynoload.
    """

    noop: Literal[True] | None = None
    socket: str | None = None
    host: str | None = None
    port: int | None = None
    user: str = "root"
    password_env: str | None = None
    database: str | None = None
    tls: TargetTls = "off"
    ca_file: str | None = None

    @classmethod
    def at(cls, address: Address, database: str) -> Target:
        """Somebody else's server, with a password that isn't in the plan."""
        return cls(
            socket=str(address.socket) if address.socket else None,
            host=address.host,
            port=address.port,
            user=address.user,
            password_env="DYNO_PASSWORD",
            database=database,
            tls=TLS[address.tls],
            ca_file=str(address.ca) if address.ca else None,
        )


class Observe(Strict):
    """What is read from the server besides the ops: around each statement of a statements workload,
    around each timed phase of a load.
    """

    settings: bool = False
    explain: bool = False
    status: bool = False


class Retries(Strict):
    """Errors after which a whole transaction is run again with the same inputs, and how often."""

    codes: list[int] = [1213, 1020, 1205]
    limit: int = 100


class RateStep(Strict):
    """A time with one rate, or with one that goes evenly to another."""

    duration_s: float
    rate_per_s: float
    to_per_s: float | None = None


class Arrivals(Strict):
    """Open load: when ops are due. The phase lasts as long as its steps."""

    distribution: Literal["poisson", "fixed"] = "poisson"
    steps: list[RateStep]


class Think(Strict):
    """Closed load: the pause after each op."""

    distribution: Literal["constant", "exponential"]
    mean_s: float


class Search(Strict):
    """The highest rate at which a quantile of the latency stays below a bound."""

    quantile: float = 0.99
    latency_ms: float
    error_share_max: float = 0.001
    rate_min_per_s: float = 10.0
    rate_max_per_s: float = 100_000.0
    step_s: float = 5.0
    precision: float = 0.05
    confirm: int = 2
    distribution: Literal["poisson", "fixed"] = "poisson"


class Phase(Strict):
    """`load`, or how long the ops go on: rounds of statements; ops or seconds of a closed load, the
    first that is reached; the steps of an open one; or a search. `until`: SIGUSR1 ends it as if its
    time were over.
    """

    name: Literal["load", "warmup", "measure", "search"]
    rounds: int | None = None
    ops: int | None = None
    duration_s: float | None = None
    until: Literal["told"] | None = None
    arrivals: Arrivals | None = None
    think: Think | None = None
    ramp_s: float | None = None
    search: Search | None = None

    @property
    def length_s(self) -> float | None:
        """How many seconds ops are begun for, in both load models; None where it isn't known."""
        if self.arrivals is not None:
            return sum(step.duration_s for step in self.arrivals.steps)
        return self.duration_s


class LoadTable(Strict):
    """A table to create and fill."""

    name: str
    create: str
    rows: int
    columns: list[Generator] | NamedRows
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


class LoadOltp(OltpKeys):
    """The workload `oltp`, with the engine filled in."""


class LoadAccessLog(AccessLogKeys):
    """The workload `accesslog`, with the engine filled in."""


class LoadSlap(SlapKeys):
    """The workload `slap`, with the engine filled in."""


class LoadTpcc(TpccKeys):
    """The workload `tpcc`, with the engine filled in. `success_file` gets a line for each New-Order
    that the server has acknowledged: "w_id d_id o_id".
    """

    success_file: str | None = None


class LoadLinkbench(LinkbenchKeys):
    """The workload `linkbench`, with the engine filled in."""


# Those that take their keys from the experiment as they are.
MODELS: dict[str, type[LoadOltp | LoadAccessLog | LoadSlap | LoadTpcc | LoadLinkbench]] = {
    "oltp": LoadOltp,
    "accesslog": LoadAccessLog,
    "slap": LoadSlap,
    "tpcc": LoadTpcc,
    "linkbench": LoadLinkbench,
}
AnyLoadWorkload = LoadWorkload | LoadOltp | LoadAccessLog | LoadSlap | LoadTpcc | LoadLinkbench


class LoadPlan(Strict):
    """One run of dynoload. A plan of schema 1 means the same in schema 2."""

    load_schema: Literal[1, 2] = Field(default=2, alias="schema")
    seed: int
    target: Target
    session: list[str] = []
    connections: int = 1
    interval_s: float = 1.0
    timeout_s: float = 3600.0
    drain_s: float = 60.0
    retries: Retries = Retries()
    observe: Observe = Observe()
    phases: list[Phase]
    workload: Annotated[AnyLoadWorkload, Field(discriminator="kind")]

    def to_json(self) -> str:
        """The plan as dynoload reads it."""
        return self.model_dump_json(by_alias=True, exclude_none=True, indent=1)


def dataset_plan(plan: Plan, arm: Arm, target: Target) -> LoadPlan:
    """Creates and fills the tables of the workload, for one arm's engine."""
    return LoadPlan(
        schema=LOAD_SCHEMA,
        seed=plan.options.seed,
        target=target,
        phases=[Phase(name="load")],
        workload=load_workload(plan.own_workload, arm.engine, arm.create_options),
    )


def trial_plan(plan: Plan, arm: Arm, target: Target, point: int = 0, block: int = 0) -> LoadPlan:
    """One trial of one arm at one point: observe, warm up, measure.

    The ops of a load are the same for all arms of a block and point and drawn again for each:
    written twice to the same rows, the same values would change nothing the second time.
    """
    level = plan.points[point]
    workload = load_workload(plan.own_workload, arm.engine, arm.create_options)
    if isinstance(workload, LoadWorkload):
        workload = workload.model_copy(update={"tables": []})
        phases = _rounds(plan.protocol)
    else:
        phases = _timed(plan.protocol, level)
        if beside(plan.tasks):
            phases[-1] = phases[-1].model_copy(update={"until": "told"})
    return LoadPlan(
        schema=LOAD_SCHEMA,
        seed=_ops_seed(plan, block, point) if plan.is_load else plan.options.seed,
        target=target,
        session=session_statements(plan.own_workload, arm),
        connections=level.connections,
        timeout_s=plan.protocol.timeout,
        observe=Observe(settings=True, explain=not plan.is_load, status=True),
        phases=phases,
        workload=workload,
    )


def _ops_seed(plan: Plan, block: int, point: int) -> int:
    return random.Random(f"ops/{plan.options.seed}/{block}/{point}").getrandbits(63)


def _rounds(protocol: Protocol) -> list[Phase]:
    phases = [Phase(name="measure", rounds=protocol.rounds)]
    if protocol.warmup_rounds:
        phases.insert(0, Phase(name="warmup", rounds=protocol.warmup_rounds))
    return phases


def _timed(protocol: Protocol, point: Point) -> list[Phase]:
    """Seconds of warm-up, where there are any, and of measuring, by the same load model."""
    lengths: tuple[tuple[Literal["warmup", "measure"], float], ...] = (
        ("warmup", protocol.warmup),
        ("measure", protocol.duration),
    )
    return [_phase(name, length_s, protocol, point) for name, length_s in lengths if length_s]


def _phase(
    name: Literal["warmup", "measure"], length_s: float, protocol: Protocol, point: Point
) -> Phase:
    if point.rate_per_s is not None:
        step = RateStep(duration_s=length_s, rate_per_s=point.rate_per_s)
        return Phase(name=name, arrivals=Arrivals(distribution=protocol.arrivals, steps=[step]))
    think = protocol.think
    return Phase(
        name=name,
        duration_s=length_s,
        think=Think(distribution=protocol.think_is, mean_s=think) if think is not None else None,
    )


def session_statements(workload: AnyWorkload, arm: Arm) -> list[str]:
    """The workload's session statements, then the arm's session settings as SET SESSION."""
    return [*workload.session, *set_session(arm.session)]


def set_session(settings: Settings) -> list[str]:
    """A SET SESSION statement for each."""
    return [f"SET SESSION {name} = {_literal(value)}" for name, value in settings.items()]


def load_workload(
    workload: AnyWorkload, engine: str | None, create_options: str | None = None
) -> AnyLoadWorkload:
    """The workload with an arm's engine filled in, and its options of CREATE TABLE."""
    own = {"engine": engine} if engine else {}
    if create_options is not None:
        own["create_options"] = create_options
    if not isinstance(workload, StatementsWorkload):
        model = MODELS[workload.kind]
        return model.model_validate(workload.model_dump(include=set(model.model_fields)) | own)
    return LoadWorkload(
        tables=[
            LoadTable(
                name=table.name,
                create=table.create.replace("{engine}", engine or "MyISAM"),
                rows=table.rows,
                columns=_unnamed(table.columns),
                after=table.after,
            )
            for table in workload.table
        ],
        statements=[
            LoadStatement(name=s.name, sql=s.sql, compare=s.compare, ordered=s.ordered)
            for s in workload.statement
        ],
    )


def _unnamed(columns: list[Column] | NamedRows) -> list[Generator] | NamedRows:
    if isinstance(columns, str):
        return columns
    keys = [column.model_dump(exclude={"name"}, exclude_none=True) for column in columns]
    return [Generator.model_validate(key) for key in keys]


def _literal(value: SettingValue) -> str:
    """A setting's value as SQL: numbers bare, words quoted."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (int, float)):
        return str(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
