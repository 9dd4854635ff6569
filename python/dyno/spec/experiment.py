"""The experiment as people write it (experiment.toml), checked but not yet expanded: see plan.

Unknown keys are refused with the nearest known one; references between parts (a claim about an arm,
two baselines) are checked in `plan`, after the matrix was expanded.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from dyno.spec.units import DurationSeconds

SettingValue = bool | int | float | str
Settings = dict[str, SettingValue]


class Strict(BaseModel):
    """A part of the experiment: immutable, no unknown keys, no silent conversions of text."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Published(Strict):
    """Where the question comes from, and on what it was answered there."""

    title: str
    by: str | None = None
    year: int | None = None
    server: str | None = None
    hardware: str | None = None
    notes: str | None = None


class Arm(Strict):
    """One thing under comparison: a server with settings, engine and options.

    An `extra` arm is run only where --arms names it, or with --arms all.
    """

    name: Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^@\n]+$")]
    server: str
    baseline: bool = False
    extra: bool = False
    settings: Settings = {}
    session: Settings = {}
    engine: str | None = None
    tmpdir: Literal["disk", "memory"] = "disk"


class Matrix(Strict):
    """Servers x engines x named settings, expanded to arms; `leave_out` names single cells."""

    servers: Annotated[list[str], Field(min_length=1)]
    engines: list[str] = []
    settings: dict[str, Settings] = {}
    baseline: str
    leave_out: list[str] = []


class Generator(Strict):
    """What is in a column; the parameters are those of docs/reference/load-plan.md."""

    generate: Literal["int", "sequence", "hex", "repeat_decimal"]
    min: int | None = None
    max: int | None = None
    start: int | None = None
    length: int | None = None
    distinct: int | None = None
    times_max: int | None = None

    @model_validator(mode="after")
    def _has_its_parameters(self) -> Generator:
        needs: dict[str, tuple[str, ...]] = {
            "int": ("min", "max"),
            "sequence": (),
            "hex": ("length", "distinct"),
            "repeat_decimal": ("times_max",),
        }
        allowed = {*needs[self.generate], *(("start",) if self.generate == "sequence" else ())}
        given = set(self.model_dump(exclude_none=True)) - {"name", "generate"}
        missing = [key for key in needs[self.generate] if key not in given]
        if missing:
            raise ValueError(f"generate = {self.generate!r} needs {' and '.join(missing)}")
        surplus = sorted(given - allowed)
        if surplus:
            raise ValueError(f"generate = {self.generate!r} has no {' or '.join(surplus)}")
        return self


class Column(Generator):
    """One generated column; its name is for the reader, the table's CREATE decides."""

    name: str


class Table(Strict):
    """A table of the dataset; `{engine}` in `create` is replaced by the arm's engine."""

    name: str
    create: str
    rows: Annotated[int, Field(ge=1)]
    columns: Annotated[list[Column], Field(min_length=1)]
    after: list[str] = []


class Statement(Strict):
    """A named statement, timed alone. `compare`: what must be equal on all arms."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[^@\n]+$")]
    sql: str
    says: str | None = None
    compare: Literal["all", "rows"] | list[str | int] = "all"
    ordered: bool = False


class StatementsWorkload(Strict):
    """Named statements over generated tables."""

    kind: Literal["statements"]
    table: list[Table] = []
    statement: Annotated[list[Statement], Field(min_length=1)]
    writes: bool = False
    session: list[str] = []


class Blocks(Strict):
    """How many blocks at the first and at the last look."""

    first: Annotated[int, Field(ge=1)] = 8
    last: Annotated[int, Field(ge=1, le=200)] = 60


class Protocol(Strict):
    """How it is measured: blocks, looks, budget, phases."""

    blocks: Blocks = Blocks()
    budget: DurationSeconds = 1200.0
    fresh_server: bool = True
    warmup_rounds: Annotated[int, Field(ge=0)] = 0
    rounds: Annotated[int, Field(ge=1)] = 1
    connections: Annotated[int, Field(ge=1)] = 1
    timeout: DurationSeconds = 600.0
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    delta: Annotated[float, Field(gt=0, lt=1)] = 0.01
    target: Annotated[float, Field(gt=0, lt=1)] = 0.01
    expected_trial: DurationSeconds | None = None


class Claim(Strict):
    """A published or own assertion with its band.

    About times: `ratio_of` names two quantities, "ARM" with `op`, or "ARM @ OP". About a status
    counter: `status` and `of`. Exactly one expectation: expect (with `within`, the part of the
    effect that it may be off), at_most, at_least or between.
    """

    says: str
    op: str | None = None
    ratio_of: tuple[str, str] | None = None
    status: str | None = None
    of: str | None = None
    expect: Annotated[float | None, Field(gt=0)] = None
    within: Annotated[float, Field(gt=0, lt=1)] = 0.20
    at_most: float | None = None
    at_least: float | None = None
    between: tuple[float, float] | None = None
    published: str | None = None

    @model_validator(mode="after")
    def _one_subject_one_expectation(self) -> Claim:
        if (self.ratio_of is None) == (self.status is None):
            raise ValueError("a claim has either ratio_of or status")
        if (self.status is None) != (self.of is None):
            raise ValueError("status and of go together")
        given = [
            key
            for key in ("expect", "at_most", "at_least", "between")
            if getattr(self, key) is not None
        ]
        if len(given) != 1:
            raise ValueError(
                "a claim has exactly one of expect, at_most, at_least, between; "
                f"found {', '.join(given) or 'none'}"
            )
        if self.status is not None and self.expect is not None:
            raise ValueError("a status claim is stated with at_most, at_least or between")
        return self


class Quick(Strict):
    """What `--quick` changes: a smaller dataset, fewer blocks, perhaps fewer arms."""

    scale: Annotated[float, Field(gt=0, le=1)] = 0.0625
    blocks: Annotated[int, Field(ge=1)] = 8
    arms: list[str] = []
    statements: list[str] = []
    settings: dict[str, Settings] = {}


class Experiment(Strict):
    """A question, its arms, workload, protocol and claims."""

    title: str
    question: str
    published: Published | None = None
    arm: list[Arm] = []
    matrix: Matrix | None = None
    workload: StatementsWorkload
    protocol: Protocol = Protocol()
    quick: Quick = Quick()
    claim: list[Claim] = []

    @model_validator(mode="after")
    def _has_arms(self) -> Experiment:
        if not self.arm and self.matrix is None:
            raise ValueError("an experiment needs at least one [[arm]] or a [matrix]")
        return self
