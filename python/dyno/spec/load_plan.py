"""The load generator's plan: what one trial asks of dynoload. The format, with the events, is
described in docs/reference/load-plan.md; the golden files in tests/golden/load pin both sides to
it.
"""

from __future__ import annotations

import random
from typing import Literal, cast

from pydantic import Field

from dyno.spec.address import Address, Compression, Tls
from dyno.spec.changed import changed
from dyno.spec.experiment import (
    AnyWorkload,
    Arm,
    Settings,
    SettingValue,
    Strict,
)
from dyno.spec.plan import Plan
from dyno.spec.point import Point
from dyno.spec.protocol import Protocol
from dyno.spec.task import beside_load
from dyno.spec.workload import AnyLoadWorkload, LoadWorkload

LOAD_SCHEMA = 2
# A load that counts for less has one interval, as long as itself.
INTERVAL_S = 1.0
# From the words of addresses to those of load plans, of which `verify` is the older one.
TargetTls = Literal["off", "required", "verify_ca", "verify"]
TLS: dict[Tls, TargetTls] = {
    "off": "off",
    "required": "required",
    "verify-ca": "verify_ca",
    "verify-identity": "verify",
}


class Target(Strict):
    """Where the server listens and as whom to log in; never a password.

    `noop` stands alone: no server, each command is answered at once inside dynoload.
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
    compression: Compression | None = None
    get_server_public_key: Literal[True] | None = None

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
            compression=address.compression,
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
    """A time with one rate, or with one that changes evenly to another."""

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
    """`load`, or how long the ops go on: rounds of statements; ops or seconds of a closed load,
    whichever is reached first; the steps of an open one; or a search. `until`: SIGUSR1 ends it as
    if its time were over.
    """

    name: Literal["load", "warmup", "measure", "search"]
    rounds: int | None = None
    ops: int | None = None
    duration_s: float | None = None
    until: Literal["signal"] | None = None
    arrivals: Arrivals | None = None
    think: Think | None = None
    ramp_s: float | None = None
    search: Search | None = None

    @property
    def length_s(self) -> float | None:
        """For how many seconds ops are started, in both load models; None if unknown."""
        if self.arrivals is not None:
            return sum(step.duration_s for step in self.arrivals.steps)
        return self.duration_s


class Share(Strict):
    """Where several programs make one load: the number of the first connection here, and how many
    all of them have together.
    """

    first: int
    of: int


class LoadPlan(Strict):
    """One run of dynoload. A plan of schema 1 means the same in schema 2."""

    load_schema: Literal[1, 2] = Field(default=2, alias="schema")
    seed: int
    target: Target
    session: list[str] = []
    connections: int = 1
    share: Share | None = None
    start: Literal["go"] | None = None
    interval_s: float = INTERVAL_S
    timeout_s: float = 3600.0
    drain_s: float = 60.0
    retries: Retries = Retries()
    observe: Observe = Observe()
    phases: list[Phase]
    workload: LoadWorkload

    def to_json(self) -> str:
        """The plan as dynoload reads it."""
        return self.model_dump_json(by_alias=True, exclude_none=True, indent=1)


def dataset_plan(plan: Plan, arm: Arm, target: Target) -> LoadPlan:
    """Creates and fills the tables of the workload, for one arm's engine."""
    workload = plan.own_workload
    return LoadPlan(
        schema=LOAD_SCHEMA,
        seed=plan.options.seed,
        target=target,
        phases=[Phase(name="load")],
        workload=cast(AnyLoadWorkload, workload.for_load(arm.engine, arm.create_options)),
    )


def trial_plan(
    plan: Plan, arm: Arm, target: Target, point: int = 0, block: int = 0, slice_: int = 0
) -> LoadPlan:
    """One trial of one arm at one point: observe, warm up, measure.

    The ops of a load are the same for all arms of a block, point and slice, and drawn again for
    each: written twice to the same rows, the same values would change nothing the second time.
    """
    level = plan.points[point]
    workload = plan.own_workload
    if level.variant is not None:
        workload = workload.at_variant(level.variant)
    phases = _timed(plan.protocol, level, slice_) if plan.is_load else _rounds(plan.protocol)
    if plan.is_load and beside_load(plan.tasks):
        phases[-1] = changed(phases[-1], until="signal")
    return LoadPlan(
        schema=LOAD_SCHEMA,
        seed=_ops_seed(plan, block, point, slice_) if plan.is_load else plan.options.seed,
        target=target,
        session=session_statements(workload, arm),
        connections=level.connections,
        # Throughput is made of whole intervals, so the shortest trials are one.
        interval_s=min(INTERVAL_S, plan.protocol.duration),
        timeout_s=plan.protocol.timeout,
        observe=Observe(settings=True, explain=not plan.is_load, status=True),
        phases=phases,
        workload=cast(AnyLoadWorkload, workload.for_trial(arm.engine, arm.create_options)),
    )


def _ops_seed(plan: Plan, block: int, point: int, slice_: int) -> int:
    which = f"{block}/{point}/{slice_}" if slice_ else f"{block}/{point}"
    return random.Random(f"ops/{plan.options.seed}/{which}").getrandbits(63)


def _rounds(protocol: Protocol) -> list[Phase]:
    phases = [Phase(name="measure", rounds=protocol.rounds)]
    if protocol.warmup_rounds:
        phases.insert(0, Phase(name="warmup", rounds=protocol.warmup_rounds))
    return phases


def _timed(protocol: Protocol, point: Point, slice_: int) -> list[Phase]:
    """Seconds of warm-up, if any, and of measuring, with the same load model."""
    lengths: tuple[tuple[Literal["warmup", "measure"], float], ...] = (
        ("warmup", protocol.warmup_s(slice_)),
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


def _literal(value: SettingValue) -> str:
    """A setting's value as SQL: numbers bare, words quoted."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (int, float)):
        return str(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
