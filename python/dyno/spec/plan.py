"""The plan: an experiment expanded, ordered and seeded, as it is stored in a run folder.

Everything that a run needs is in it and nothing that depends on the machine, so the same experiment
with the same options and seed gives the same plan anywhere. Schema history:
  1  first version
  2  load workloads, points with a rate, turns (an order had arms' names), metrics of quantities,
     restart (was fresh_server), tasks, control; a plan of schema 1 is read as one of schema 2
"""

from __future__ import annotations

import random
from typing import Literal

from dyno.errors import SpecError
from dyno.looks import schedule
from dyno.spec.choose import (
    Options,
    choose_arms,
    choose_points,
    choose_protocol,
    choose_tasks,
    refuse_engines,
    scaled,
)
from dyno.spec.claim import Claim
from dyno.spec.claims import plan_claims
from dyno.spec.control import choose_control, controls, with_control
from dyno.spec.experiment import Arm, Experiment, Protocol, Published, Statement
from dyno.spec.point import Point
from dyno.spec.protocol import PROFILED_BLOCKS_LEAST
from dyno.spec.quantity import Comparison, PlannedClaim, Quantity, Turn
from dyno.spec.strict import ArmName, Strict
from dyno.spec.task import Task
from dyno.spec.why import Explained
from dyno.spec.workload import AnyWorkload, PlannedWorkload

__all__ = [
    "PLAN_SCHEMA",
    "Comparison",
    "Options",
    "Plan",
    "PlannedClaim",
    "Point",
    "Quantity",
    "Turn",
    "make_plan",
]

TRIALS_MAX = 100_000
QUANTITIES_MAX = 10_000
EXECUTIONS_MAX = 100_000
PLAN_SCHEMA = 2


class Plan(Strict):
    """What a run does, trial by trial. `orders[block]` lists the turns in running order. One that
    `explains` another run's difference gets its blocks one by one, and its arms with them.
    """

    plan_schema: Literal[2] = 2
    name: str
    title: str
    question: str
    published: Published | None
    options: Options
    scale: float
    arms: list[Arm]
    points: list[Point]
    workload: PlannedWorkload
    protocol: Protocol
    looks: list[int]
    comparisons: list[Comparison]
    claims: list[PlannedClaim]
    left_out_claims: list[Claim]
    orders: list[list[Turn]]
    tasks: list[Task] = []
    control: ArmName | None = None
    controls: list[Comparison] = []
    explains: Explained | None = None

    def arm(self, name: str) -> Arm:
        """The arm of that name, which must exist."""
        return next(arm for arm in self.arms if arm.name == name)

    def is_arms_last(self, arm: str, *, block: int, position: int) -> bool:
        """Whether the trial at a position of a block is its arm's last there."""
        return all(turn.arm != arm for turn in self.orders[block][position + 1 :])

    @property
    def own_workload(self) -> AnyWorkload:
        """The workload that Dyno runs itself. Raises SpecError for a recorded command line."""
        if self.workload.kind == "command":
            raise SpecError(
                f"{self.title} was recorded: Dyno can't run it by blocks",
                hint="its command line is in run.json; type it again, with another --out",
            )
        return self.workload

    @property
    def baseline(self) -> Arm:
        """The arm that the others are compared with."""
        return next(arm for arm in self.arms if arm.baseline)

    @property
    def ops(self) -> list[str]:
        """The op kinds in the workload's order."""
        return self.workload.ops

    @property
    def statements(self) -> list[Statement]:
        """The named statements; a load workload has none."""
        return self.workload.statement if self.workload.kind == "statements" else []

    @property
    def is_load(self) -> bool:
        """Whether the workload makes intervals, rather than single statements."""
        return self.workload.is_load

    def is_profiled(self, block: int) -> bool:
        """Whether the servers are sampled in a block: all that can be compared, else the first."""
        asked = self.is_load and self.protocol.profile
        return asked and (block == 0 or len(self.orders) >= PROFILED_BLOCKS_LEAST)

    @property
    def writes(self) -> bool:
        """Whether a trial changes the data that it begins with."""
        return self.own_workload.writes or bool(self.tasks)

    @property
    def block_trials(self) -> int:
        """How many trials a block has: every arm at every point, as often as there are slices."""
        return len(self.arms) * len(self.points) * self.protocol.slices

    @property
    def trials_most(self) -> int:
        """How many there are by the last look; for a search, whose plan grows, what it may have."""
        if self.explains is not None:
            return self.explains.budget_trials
        return sum(map(len, self.orders[: self.looks[-1]]))

    def slice_at(self, position: int) -> int:
        """The slice of its arm and point that the trial at a position of a block is, from 0."""
        return position // len(self.arms) % self.protocol.slices

    def trial_number(self, *, block: int, position: int) -> int:
        """Trials are numbered from 1 in running order."""
        return sum(map(len, self.orders[:block])) + position + 1


def make_plan(experiment: Experiment, options: Options, *, name: str) -> Plan:
    """Expand, scale, order and cross-check. Raises SpecError for references that lead nowhere."""
    arms = choose_arms(experiment, options)
    points = choose_points(experiment, options)
    workload, scale = scaled(experiment, options)
    workload = workload.at_levels([point.connections for point in points])
    refuse_engines(workload, arms)
    tasks = choose_tasks(experiment, arms)
    protocol = choose_protocol(experiment, options, points, tasks)
    control = choose_control(experiment, options, arms, protocol)
    ran = arms if control is None else [*arms, control]
    turns, ops = len(ran) * len(points) * protocol.slices, len(workload.ops)
    executions = (protocol.warmup_rounds + protocol.rounds) * ops
    _refuse_many(
        (turns * protocol.blocks.last, "trials", TRIALS_MAX),
        (len(ran) * len(points) * ops, "quantities to compare", QUANTITIES_MAX),
        (executions, "executions a trial", EXECUTIONS_MAX),
    )
    claims, left_out, comparisons = plan_claims(experiment, arms, workload.ops, points)
    baseline = next(arm for arm in arms if arm.baseline)
    return Plan(
        name=name,
        title=experiment.title,
        question=experiment.question,
        published=experiment.published,
        options=options,
        scale=scale,
        arms=ran,
        points=points,
        workload=workload,
        protocol=protocol,
        looks=list(schedule(first=protocol.blocks.first, last=protocol.blocks.last)),
        comparisons=comparisons,
        claims=claims,
        left_out_claims=left_out,
        orders=ordered(ran, len(points), protocol, options.seed),
        tasks=tasks if control is None else with_control(tasks, baseline),
        control=control and control.name,
        controls=[] if control is None else controls(comparisons, tasks, baseline),
    )


def _refuse_many(*counts: tuple[int, str, int]) -> None:
    """Raise SpecError for more than anybody could run, or read."""
    for found, what, most in counts:
        if found > most:
            raise SpecError(
                f"the plan has {found:,} {what}, and there are at most {most:,}",
                hint="leave arms, levels or statements out, or plan fewer blocks or rounds",
            )


def ordered(arms: list[Arm], points: int, protocol: Protocol, seed: int) -> list[list[Turn]]:
    """One shuffled order per block, which depends only on the seed and the block's number.

    Points are in random order; at each point all arms, in random order, one right after the other,
    in each slice.
    """
    orders = []
    for block in range(protocol.blocks.last):
        drawn = random.Random(f"order/{seed}/{block}")
        levels = list(range(points))
        drawn.shuffle(levels)
        turns = []
        for point in (point for point in levels for _ in range(protocol.slices)):
            names = [arm.name for arm in arms]
            drawn.shuffle(names)
            turns += [Turn(arm=name, point=point) for name in names]
        orders.append(turns)
    return orders
