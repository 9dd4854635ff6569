"""How an experiment is measured: blocks and looks, phases, load model, and the quick form.

What goes with which kind of workload is checked in `experiment`, which knows both.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from dyno.spec.placement import FREE, Placement
from dyno.spec.strict import Line, Settings, Strict, mistake
from dyno.spec.units import DurationSeconds

Restart = Literal["trial", "block", "never"]

# The load generator refuses more.
CONNECTIONS_MAX = 10_000
ROUNDS_MAX = 1_000_000
LEVELS_MAX = 200
SLICES_MAX = 1000
# Profiles of fewer aren't compared.
PROFILED_BLOCKS_LEAST = 3
# For a later slice, as a share of its duration: its server has warmed up in the first.
SLICE_WARMUP = 0.1
Connections = Annotated[int, Field(ge=1, le=CONNECTIONS_MAX)]
RatePerSecond = Annotated[float, Field(gt=0, le=1e7, allow_inf_nan=False)]
# What is shorter shows little but how a load begins.
SHORTEST_MEASURED_S = 0.5
# A day has about as many intervals and tenths as a report can be made from.
LONGEST_TRIAL_S = 24 * 3600.0
MeasuredSeconds = Annotated[DurationSeconds, Field(ge=SHORTEST_MEASURED_S, le=LONGEST_TRIAL_S)]


class Blocks(Strict):
    """How many blocks there are when a run looks at its results, which is when it may stop."""

    first: Annotated[int, Field(ge=1, le=200)] = Field(8, description="At the first look.")
    last: Annotated[int, Field(ge=1, le=200)] = Field(
        60, description="At the last look: a run never has more."
    )


class Protocol(Strict):
    """How it is measured: blocks, looks, budget, phases."""

    blocks: Blocks = Field(Blocks(), description="How many blocks a run has.")
    budget: DurationSeconds = Field(
        1200.0, description="When to stop measuring. What is at hand then is the last look."
    )
    restart: Restart = Field(
        "trial",
        description='When an arm\'s server is started: for each `"trial"`; once a `"block"`, for '
        'all points of the arm, which is the default with a sweep; or `"never"` after the first '
        'time. A restart alone can move a result. With tasks it is always `"trial"`. Older '
        'experiments have `fresh_server`: true is `"trial"`, false `"never"`.',
    )
    warmup_rounds: Annotated[int, Field(ge=0, le=ROUNDS_MAX)] = Field(
        0, description="Of statements: rounds of all of them before those that count."
    )
    rounds: Annotated[int, Field(ge=1, le=ROUNDS_MAX)] = Field(
        1,
        description="Of statements: measured rounds, each statement once on every connection. A "
        "trial's figure is their median.",
    )
    connections: Connections = Field(1, description="How many, without a sweep over them.")
    warmup: DurationSeconds = Field(
        5.0, description="Of a load: how long it runs before it counts."
    )
    duration: MeasuredSeconds = Field(
        30.0,
        description="Of a load: how long it counts. With tasks beside the load it is the longest "
        "that the load may last, and 15m unless it is given.",
    )
    slices: Annotated[int, Field(ge=1, le=SLICES_MAX)] = Field(
        1,
        description="How many short trials each arm has at each point in a block, by turns with "
        "the other arms in random order, while the servers of all of them are up. A block's figure "
        "is the median of its slices, arms are compared slice by slice, and n counts blocks. Only "
        "an arm's first slice there has the whole `warmup`; later ones have a tenth of `duration` "
        'at most. With slices `restart` is `"block"`.',
    )
    loads: Annotated[int, Field(ge=0)] = Field(
        0,
        description="Of a load: in how many blocks each arm's dataset is loaded once more, with "
        'all settings of the arm, timed and thrown away. `metric = "load_time"` rests on them. '
        "They count in the budget.",
    )
    rate: RatePerSecond | None = Field(
        None,
        description="Of a load: how many ops fall due each second, without a sweep over rates. It "
        "makes the load open; without a rate it is closed.",
    )
    arrivals: Literal["poisson", "fixed"] = Field(
        "poisson",
        description='How the ops of a rate come: `"poisson"`, as from many users who don\'t know '
        'of each other, or `"fixed"`, at equal distances.',
    )
    think: Annotated[DurationSeconds | None, Field(gt=0)] = Field(
        None, description="Of a closed load: the pause of a connection after each op."
    )
    think_is: Literal["exponential", "constant"] = Field(
        "exponential",
        description='Pauses are `"exponential"` with `think` as their mean, or `"constant"`.',
    )
    timeout: Annotated[DurationSeconds, Field(gt=0)] = Field(
        600.0,
        description="An op that takes longer is killed. With statements its trial failed; a load "
        "counts it as failed.",
    )
    placement: Placement = Field(
        FREE,
        description='On which CPUs threads may run: `"free"`, where the kernel puts them; '
        '`"split"`, server and load generator on cores of their own; or the server\'s CPUs, a '
        "slash, and the generator's. Dyno itself stays with the generator.",
    )
    awake: bool = Field(
        False,
        description="Whether the CPUs of both are kept from sleeping while a load runs, so that "
        "waking them takes no time.",
    )
    profile: bool = Field(
        True,
        description="Whether the CPUs are sampled, by `perf`, while a load is measured: it says in "
        "which functions of the servers the arms differ. That takes three blocks; a run of fewer "
        "has a profile of the first alone.",
    )
    control: bool = Field(
        True,
        description="Whether a second copy of the baseline runs in each block, as the arm "
        "`control`: nothing below twice what two copies of one server differ by is called a "
        "difference. Without the key there is none in the quick form, with a single arm, and with "
        "too few blocks for an interval.",
    )
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = Field(
        0.05, description="How often equal arms may be called different."
    )
    delta: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.01, description="Nothing below this is called a difference, as a fraction."
    )
    target: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.01, description="An interval is narrow enough at this half width, as a fraction."
    )
    expected_trial: DurationSeconds | None = Field(
        None,
        description="Of statements and tasks: how long a trial takes at full scale, for the "
        "estimate of `dyno check`.",
    )

    def warmup_s(self, slice_: int) -> float:
        """How long a load of this slice (from 0) runs before it counts."""
        return min(self.warmup, SLICE_WARMUP * self.duration) if slice_ else self.warmup

    @property
    def blocks_for_interval(self) -> int:
        """The fewest blocks with an interval at this `alpha`: the two-sided p of n blocks is at
        least 2^(1-n) (docs/concepts/statistics.md). 6 at 0.05.
        """
        return math.ceil(1 - math.log2(self.alpha))

    @model_validator(mode="before")
    @classmethod
    def _fresh_server_is_restart(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "fresh_server" not in data:
            return data
        fresh = data["fresh_server"]
        if "restart" in data:
            raise mistake("restart and fresh_server say the same", hint="keep restart alone")
        if not isinstance(fresh, bool):
            raise mistake(f"fresh_server is {fresh!r}", hint='write restart = "trial" or "never"')
        rest = {key: value for key, value in data.items() if key != "fresh_server"}
        return rest | {"restart": "trial" if fresh else "never"}


class Quick(Strict):
    """What `--quick` changes: less data, fewer blocks, perhaps fewer arms and levels."""

    scale: Annotated[float, Field(gt=0, le=1)] = Field(
        0.0625,
        description="The fraction of the data: of every table's rows, of `warehouses`, of `ids`.",
    )
    blocks: Annotated[int, Field(ge=1, le=200)] = Field(
        8, description="How many blocks, with one look at the end."
    )
    arms: list[str] = Field([], description="Only these arms; else all that aren't `extra`.")
    statements: list[str] = Field([], description="Only these statements; else all.")
    settings: dict[str, Settings] = Field(
        {},
        description="By the arm's name, laid over its own settings: buffers that must stay too "
        "small for a smaller table.",
    )
    connections: Annotated[list[Connections], Field(max_length=LEVELS_MAX)] = Field(
        [], description="In place of the sweep's levels."
    )
    rate: Annotated[list[RatePerSecond], Field(max_length=LEVELS_MAX)] = Field(
        [], description="In place of the sweep's levels."
    )
    script: list[Line] = Field(
        [], description="Only these of the sweep's scripts, by their names, without `.lua`."
    )
    warmup: DurationSeconds | None = Field(None, description="In place of the protocol's.")
    duration: MeasuredSeconds | None = Field(None, description="In place of the protocol's.")
    loads: Annotated[int | None, Field(ge=0)] = Field(
        None, description="In place of the protocol's."
    )
    control: bool = Field(False, description="In place of the protocol's.")
