"""Findings: what a run tells, as data, for every report and as findings.json.

Ratios are of times (numerator / denominator): below 1 the numerator is faster. An interval is the
repeated confidence interval of the run's stop rule; None means that it can't be given yet.

Schema history of findings.json:
  1  first version
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from dyno.spec.experiment import Published, Settings

FINDINGS_SCHEMA = 1

Verdict = Literal["reproduced", "direction only", "not reproduced", "inconclusive"]
State = Literal["different", "equivalent", "precise", "undecided"]
Check = Literal["ok", "warning", "failed", "unknown"]


class Part(BaseModel):
    """A part of the findings."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RunRead(Part):
    """The run that the findings are about."""

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


class ArmRead(Part):
    """An arm: what was declared, and which server was found."""

    name: str
    baseline: bool
    server: str
    product: str
    version: str
    engine: str | None
    tmpdir: str
    settings: Settings
    session: Settings
    trials_ok: int
    failures: list[str]


class OpRead(Part):
    """An op of the workload."""

    name: str
    sql: str
    says: str | None


class BlockValue(Part):
    """A figure of one block."""

    block: int
    value: float


class Times(Part):
    """Elapsed seconds of one op on one arm, a value a block; typical is the median of blocks."""

    arm: str
    op: str
    n: int
    median_s: float
    min_s: float
    max_s: float
    rows: int | None
    blocks: list[BlockValue]


class Compared(Part):
    """A ratio of times with its interval; `sentence` says it in words.

    `mde` is the smallest effect that would have been seen, as a fraction: 0.02 is 2 %.
    """

    numerator_arm: str
    numerator_op: str
    denominator_arm: str
    denominator_op: str
    primary: bool
    n: int
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    mean_ratio: float | None
    mean_low: float | None
    mean_high: float | None
    tail_driven: bool
    p: float | None
    holm_p: float | None
    mde: float | None
    state: State
    sentence: str
    blocks: list[BlockValue]


class ClaimRead(Part):
    """A claim and what became of it. `compared` indexes Findings.compared; a claim about a counter
    has `measured` instead.
    """

    says: str
    published: str | None
    asks: str
    expected: str
    low: float | None
    high: float | None
    verdict: Verdict
    why: str
    n: int
    compared: int | None
    measured: str | None = None
    needed_blocks: int | None


class Fairness(Part):
    """One check, in words, with what it rests on; `details` are lines for whoever doubts it."""

    name: str
    check: Check
    says: str
    details: list[str] = []


class Counters(Part):
    """Status counters and host figures beside one op on one arm: medians of the trials.

    `status` holds the session's deltas around the statement (server-wide ones where the session
    has none: Key_*, Aria_*); `host` holds rates while it ran, None where it was too short to see.
    """

    arm: str
    op: str
    status: dict[str, float]
    host: dict[str, float | None]


class Moved(Part):
    """A counter that moved with a result, as a reason to look at: not a proof."""

    op: str
    arm: str
    baseline: str
    counter: str
    value: float
    baseline_value: float


class Explained(Part):
    """EXPLAIN of an op, for the arms on which it is the same."""

    op: str
    arms: list[str]
    columns: list[str]
    rows: list[list[str | None]]
    error: str | None


class Costs(Part):
    """What measuring cost: medians over trials; None where unavailable."""

    client_cpu_share_pct: float | None
    client_cpu_us_per_op: float | None
    telemetry_cpu_share_pct: float | None
    telemetry_sample_ms: float | None
    steps_s: dict[str, float]


class Findings(Part):
    """All that a run tells."""

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
    claims: list[ClaimRead]
    claims_left_out: list[str]
    fairness: list[Fairness]
    counters: list[Counters]
    moved: list[Moved]
    explained: list[Explained]
    costs: Costs
    limits: list[str]
    host: dict[str, Any]
