"""What a run explains: a difference of two arms that another run found, and the factors that could
be its causes.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dyno.spec.quantity import Comparison
from dyno.spec.strict import ArmName, Settings, Strict

ROW = "row "
"""What the name of a row's arm begins with; its letters follow, that of the servers last."""


class Factor(Strict):
    """Settings that are switched together, from what the first arm has to what the second has.

    `merged` says why they are together. What a server is asked to set: `first` and `second`, in its
    option file, `first_session` and `second_session` on the measuring connections. `first_keys` and
    `second_keys`: other keys of an arm that only matter while a server runs.
    """

    name: str
    first: Settings = {}
    second: Settings = {}
    first_session: Settings = {}
    second_session: Settings = {}
    first_keys: dict[str, str | None] = {}
    second_keys: dict[str, str | None] = {}
    merged: str = ""


class Explained(Strict):
    """The difference: the log of the second arm's cost over the first's, with its interval and the
    number of blocks, as the run of that id found it. A cost is a time, or the inverse of a
    throughput: more is slower. `point`: at which of a sweep, "" without one.

    `server`: the two arms run on different servers, which is a factor, too. `left` names what only
    one of the servers knows: it belongs to the servers. `budget_trials`: no block begins beyond.
    """

    run: str
    experiment: str
    comparison: Comparison
    point: str = ""
    first: ArmName
    second: ArmName
    cost: float
    cost_low: float
    cost_high: float
    n: int
    delta: Annotated[float, Field(gt=0)] = 0.01
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05
    seed: int
    budget_trials: int
    factors: list[Factor]
    server: bool
    left: list[str] = []
    starts: dict[str, bool] = {}

    def base_of(self, arm: str) -> ArmName:
        """The arm that a row shares its server and data with."""
        on_second = arm == self.second or (self.server and arm[-1] == "B" and arm.startswith(ROW))
        return self.second if on_second else self.first
