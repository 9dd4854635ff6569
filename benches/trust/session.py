"""One session: a run of Dyno's own, and what it said of each comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from benches.dyno_run import dyno_run
from benches.trust.cases import CASES, experiment
from benches.trust.neighbour import neighbour
from benches.trust.plant import Burn, plant, taken_ns

METRICS = ("time", "throughput", "new_orders_per_min", "total_throughput", "task_time")
TIMES = ("time", "task_time")

Ends = tuple[float | None, float | None, float | None]


@dataclass(frozen=True)
class Session:
    """What is tried once. `effect` is a fraction of the time of an op at the case's first level; 0:
    both arms are equal. `burn` is how it is made: "spin", "sleep", or "cpu": a server that may use
    one CPU only, whose effect nobody knows beforehand.
    """

    case: str
    placement: str
    neighbour: str
    effect: float
    burn: str
    number: int

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return "/".join(map(str, asdict(self).values()))

    @property
    def last(self) -> int:
        """The most blocks: what a small effect needs, or what a large one may take."""
        return 40 if 0 < self.effect < 0.05 else 12


@dataclass(frozen=True)
class Found:
    """What was said of one comparison, as ratios of times (above 1: the other arm is slower).

    `truth` is the planted ratio, None where its size isn't known: of what was added to an op, over
    `baseline_ns`, the median of the baseline's own in this session. `spread` is the standard
    deviation of a block's logarithmic ratio. `started` and `dyno` say when it was, and by which
    version.
    """

    key: str
    case: str
    placement: str
    neighbour: str
    effect: float
    burn: str
    what: str
    state: str
    ratio: float | None
    low: float | None
    high: float | None
    truth: float | None
    n: int
    elapsed_s: float
    spread: float | None
    started: str
    dyno: str
    baseline_ns: float | None = None

    @property
    def says_slower(self) -> bool | None:
        """Whether the other arm is called slower (True) or faster; None where no difference is."""
        if self.state != "different" or self.ratio is None:
            return None
        return self.ratio > 1


def run(session: Session, burn: Burn, slopes: Mapping[str, float]) -> list[Found]:
    """Run it; `slopes` is by comparison how many ns an op takes longer for each of an answer's."""
    plant(burn)
    with neighbour(session.neighbour):
        findings = findings_of(session, planted=session.effect > 0, last=session.last)
    taken = taken_ns(burn)
    found = []
    for c in chosen(findings):
        slope, op_ns = slopes.get(what_of(c)), baseline_ns(findings, c)
        truth = 1.0 if not session.effect else None if slope is None else 1 + slope * taken / op_ns
        ratio, low, high = as_times(c)
        found.append(
            Found(
                key=session.key,
                case=session.case,
                placement=session.placement,
                neighbour=session.neighbour,
                effect=session.effect,
                burn=session.burn,
                what=what_of(c),
                state=c["state"],
                ratio=ratio,
                low=low,
                high=high,
                truth=truth,
                n=c["n"],
                elapsed_s=findings["run"]["elapsed_s"],
                spread=c["spread"]["block"] if c["spread"] else None,
                started=findings["run"]["started"],
                dyno=findings["run"]["dyno"],
                baseline_ns=op_ns,
            )
        )
    return found


def findings_of(session: Session, *, planted: bool, last: int) -> dict[str, Any]:
    """What Dyno finds in a run of the session. Raises LoadError if the run fails."""
    text = experiment(CASES[session.case], session.placement, planted=planted, last=last)
    with dyno_run(text, f"--seed={session.number + 1}") as (findings, _):
        return findings


def asked(findings: dict[str, Any]) -> list[dict[str, Any]]:
    """The comparisons that the run was about."""
    return [c for c in findings["compared"] if c["primary"] and c["metric"] in METRICS]


def chosen(findings: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of them that have had a look."""
    return [c for c in asked(findings) if c["ratio"] is not None]


def what_of(compared: dict[str, Any]) -> str:
    """What is compared, within a case: "sort", "throughput, 4 connections"."""
    if compared["metric"] in TIMES:
        return str(compared["numerator_op"])
    return ", ".join(filter(None, (compared["metric"], compared["point_label"])))


def baseline_ns(findings: dict[str, Any], compared: dict[str, Any]) -> float:
    """How long an op of the baseline takes, or a task: the median over the blocks."""
    arm, op, point = (compared[key] for key in ("denominator_arm", "denominator_op", "point"))
    if compared["metric"] == "time":
        return 1e9 * _only(findings["times"], arm=arm, op=op)["median_s"]
    if compared["metric"] == "task_time":
        return 1e9 * _only(findings["tasks"]["tasks"], task=op, arm=arm, point=point)["median_s"]
    metric = compared["metric"]
    figure = _only(findings["figures"], arm=arm, op=op, point=point, metric=metric)
    per_s = figure["median"] / (60 if figure["unit"].endswith("/min") else 1)
    return 1e9 / per_s


def _only(rows: list[dict[str, Any]], **keys: object) -> dict[str, Any]:
    (row,) = (row for row in rows if all(row[key] == value for key, value in keys.items()))
    return row


def as_times(compared: dict[str, Any]) -> Ends:
    """Ratio, low and high of the time of an op; of throughputs the other way round."""
    ratio, low, high = (compared[key] for key in ("ratio", "ratio_low", "ratio_high"))
    if compared["metric"] in TIMES:
        return ratio, low, high
    return _turned(ratio), _turned(high), _turned(low)


def _turned(ratio: float | None) -> float | None:
    return None if ratio is None else 1 / ratio
