"""How an experiment is measured: blocks and looks, phases, load model, and the sweep's levels.

What goes with which kind of workload is checked in `experiment`, where both are at hand.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from dyno.spec.strict import Settings, Strict, mistake
from dyno.spec.units import DurationSeconds

Restart = Literal["trial", "block", "never"]

# The load generator refuses more.
CONNECTIONS_MAX = 10_000
ROUNDS_MAX = 1_000_000
LEVELS_MAX = 200
Connections = Annotated[int, Field(ge=1, le=CONNECTIONS_MAX)]
RatePerSecond = Annotated[float, Field(gt=0, le=1e7, allow_inf_nan=False)]
# Throughput is made of whole seconds: fewer than one give none.
# A day has about as many intervals and tenths as a report can be made from.
LONGEST_TRIAL_S = 24 * 3600.0
MeasuredSeconds = Annotated[DurationSeconds, Field(ge=1, le=LONGEST_TRIAL_S)]


class Blocks(Strict):
    """How many blocks at the first and at the last look."""

    first: Annotated[int, Field(ge=1, le=200)] = 8
    last: Annotated[int, Field(ge=1, le=200)] = 60


class Protocol(Strict):
    """How it is measured: blocks, looks, budget, phases.

    `rounds`, `warmup_rounds` and `expected_trial` are for statements, the last for tasks, too;
    `warmup`, `duration` (beside tasks the longest that the load may take), `rate`
    with `arrivals`, and `think` with `think_is` for load workloads, as is `loads`: in how many
    blocks each arm's dataset is loaded once more, timed. `restart`: when an arm's server is started
    again. Older experiments and plans say `fresh_server` instead.
    """

    blocks: Blocks = Blocks()
    budget: DurationSeconds = 1200.0
    restart: Restart = "trial"
    warmup_rounds: Annotated[int, Field(ge=0, le=ROUNDS_MAX)] = 0
    rounds: Annotated[int, Field(ge=1, le=ROUNDS_MAX)] = 1
    connections: Connections = 1
    warmup: DurationSeconds = 5.0
    duration: MeasuredSeconds = 30.0
    loads: Annotated[int, Field(ge=0)] = 0
    rate: RatePerSecond | None = None
    arrivals: Literal["poisson", "fixed"] = "poisson"
    think: Annotated[DurationSeconds | None, Field(gt=0)] = None
    think_is: Literal["exponential", "constant"] = "exponential"
    timeout: Annotated[DurationSeconds, Field(gt=0)] = 600.0
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    delta: Annotated[float, Field(gt=0, lt=1)] = 0.01
    target: Annotated[float, Field(gt=0, lt=1)] = 0.01
    expected_trial: DurationSeconds | None = None

    @property
    def blocks_for_interval(self) -> int:
        """The fewest blocks with an interval at this `alpha`: n blocks have a two-sided p of no
        less than 2^(1-n) (docs/concepts/statistics.md). 6 at 0.05.
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


class Sweep(Strict):
    """The levels at which all arms are measured: of connections, or of a rate."""

    connections: Annotated[list[Connections], Field(max_length=LEVELS_MAX)] = []
    rate: Annotated[list[RatePerSecond], Field(max_length=LEVELS_MAX)] = []

    @model_validator(mode="after")
    def _one_axis_of_different_levels(self) -> Sweep:
        if bool(self.connections) == bool(self.rate):
            found = "both" if self.rate else "neither"
            raise mistake(
                f"a sweep is over connections or over rate, found {found}",
                hint="write one of them: connections = [1, 8, 64]",
            )
        levels = self.levels
        for level in levels:
            if levels.count(level) > 1:
                raise mistake(f"the level {level:g} stands twice in {self.over}", hint="keep one")
        return self

    @property
    def over(self) -> Literal["connections", "rate"]:
        """The key whose levels they are."""
        return "connections" if self.connections else "rate"

    @property
    def levels(self) -> list[float]:
        """The levels in the file's order."""
        return list(self.connections or self.rate)


class Quick(Strict):
    """What `--quick` changes: less data, fewer blocks, perhaps fewer arms and levels."""

    scale: Annotated[float, Field(gt=0, le=1)] = 0.0625
    blocks: Annotated[int, Field(ge=1, le=200)] = 8
    arms: list[str] = []
    statements: list[str] = []
    settings: dict[str, Settings] = {}
    connections: Annotated[list[Connections], Field(max_length=LEVELS_MAX)] = []
    rate: Annotated[list[RatePerSecond], Field(max_length=LEVELS_MAX)] = []
    warmup: DurationSeconds | None = None
    duration: MeasuredSeconds | None = None
    loads: Annotated[int | None, Field(ge=0)] = None
