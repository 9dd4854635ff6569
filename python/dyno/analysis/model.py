"""Findings: what a run shows, as data, for every report and as findings.json.

Each subject's models are in its own folder. None never stands for 0. An `Estimate` has three keys
in the file.

Schema history of findings.json:
  1  first version
  2  metrics and points; figures, series, latency, stability, scaling, per_op, profiles, generator,
     engine_costs, sizes, tpcc, linkbench, tasks, storage, control
"""

from __future__ import annotations

from typing import Any

from dyno.analysis.costs.model import (
    CostChange,
    Costs,
    Counters,
    EngineCost,
    Moved,
    PerOp,
    ProfileRead,
)
from dyno.analysis.fairness.model import Fairness
from dyno.analysis.load.model import (
    Figure,
    GeneratorRead,
    LatencyRead,
    LoadHostSeen,
    PointRead,
    ScalingRead,
    SeriesRead,
    StabilityRead,
)
from dyno.analysis.part import BlockValue, FindingsPart
from dyno.analysis.profiles.model import LatencySplit, ProfileComparison
from dyno.analysis.tables.model import SizeRead, StorageRead
from dyno.analysis.tasks.model import Tasks
from dyno.analysis.verdicts.model import ClaimRead, Compared, ControlRead, SetRatio
from dyno.analysis.workloads import OfWorkload
from dyno.spec.experiment import Published, Settings

FINDINGS_SCHEMA = 2


class RunRead(FindingsPart):
    """The run that the findings are about; `most_blocks` is its last look, `slices` how often each
    arm had a turn at a point of a block.
    """

    id: str
    state: str
    reason: str
    blocks: int
    trials_ok: int
    trials_failed: int
    elapsed_s: float
    started: str
    dyno: str
    seed: int
    scale: float
    delta: float
    quick: bool
    repeat: str
    most_blocks: int | None = None
    slices: int = 1


class ArmRead(FindingsPart):
    """An arm: what was declared, and which server was found."""

    name: str
    baseline: bool
    server: str
    product: str
    version: str
    engine: str | None
    tmpdir: str
    plugins: list[str] = []
    settings: Settings
    session: Settings
    trials_ok: int
    failures: list[str]


class OpRead(FindingsPart):
    """An op of the workload."""

    name: str
    sql: str
    says: str | None


class Times(FindingsPart):
    """Elapsed seconds of one op on one arm, a value per block; typical is the median of blocks."""

    arm: str
    op: str
    n: int
    median_s: float
    min_s: float
    max_s: float
    rows: int | None
    blocks: list[BlockValue]


class Explained(FindingsPart):
    """EXPLAIN of an op, for the arms on which it is the same."""

    op: str
    arms: list[str]
    columns: list[str]
    rows: list[list[str | None]]
    error: str | None


class PlanStep(FindingsPart):
    """A step of a plan; `access` is EXPLAIN's type, `key` is "" without one, `rows` an estimate."""

    table: str
    access: str
    key: str
    rows: float | None


class PlansCompared(FindingsPart):
    """The plans of an op that differ: `plans[i]`, in join order, is that of `arms[i]`."""

    op: str
    arms: list[list[str]]
    plans: list[list[PlanStep]]


class OfAnyWorkload(FindingsPart):
    """What runs of all workloads have. `times` is for statements; `figures` and what follows are
    for loads.
    """

    name: str
    title: str
    question: str
    published: Published | None
    answer: list[str]
    run: RunRead
    arms: list[ArmRead]
    ops: list[OpRead]
    times: list[Times]
    compared: list[Compared]
    control: ControlRead | None = None
    claims: list[ClaimRead]
    claims_left_out: list[str]
    fairness: list[Fairness]
    counters: list[Counters]
    moved: list[Moved]
    explained: list[Explained]
    plans_compared: list[PlansCompared] = []
    why: list[str] = []
    costs: Costs
    limits: list[str]
    host: dict[str, Any]
    points: list[PointRead] = []
    figures: list[Figure] = []
    series: list[SeriesRead] = []
    latency: list[LatencyRead] = []
    stability: list[StabilityRead] = []
    scaling: list[ScalingRead] = []
    per_op: list[PerOp] = []
    cost_changes: list[CostChange] = []
    engine_costs: list[EngineCost] = []
    sizes: list[SizeRead] = []
    storage: list[StorageRead] = []
    profiles: list[ProfileRead] = []
    profiles_compared: list[ProfileComparison] = []
    latency_split: list[LatencySplit] = []
    generator: list[GeneratorRead] = []
    load_hosts: list[LoadHostSeen] = []
    by_set: list[SetRatio] = []
    tasks: Tasks | None = None


class Findings(OfWorkload, OfAnyWorkload):
    """Everything that a run shows. What any workload has comes first in findings.json."""
