"""Was it fair? Each check gives ok, warning, failed or unknown, in words. Unknown is not yes."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.fairness import (
    collations,
    default_errors,
    hosts,
    network,
    placement,
    program,
)
from dyno.analysis.fairness import data as fairness_data
from dyno.analysis.fairness import load as fairness_load
from dyno.analysis.fairness import settings as fairness_settings
from dyno.analysis.fairness.model import Fairness
from dyno.analysis.load.model import StabilityRead
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan
from dyno.store.run import RunFolder
from dyno.store.trial import ERROR_LOG, Trial

CLIENT_CPU_LIMIT_PCT = 50.0
TELEMETRY_CPU_LIMIT_PCT = 2.0


def results_equal(plan: Plan, samples: Samples) -> Fairness:
    """Every statement gave the same rows (the compared part) in all trials of all arms; of a load
    that the arms' ops were made of the same statements.
    """
    if plan.is_load:
        return fairness_load.equal_work(plan, samples)
    details: list[str] = []
    partly = [s.name for s in plan.statements if s.compare != "all"]
    for op in plan.ops:
        by_answer: dict[tuple[int, str | None], set[str]] = {}
        for trial in samples.ok:
            for run in trial.statements:
                if run.statement == op and run.outcome == "ok":
                    by_answer.setdefault((run.rows, run.checksum), set()).add(trial.arm)
        if len(by_answer) > 1:
            shown = "; ".join(
                f"{rows} rows, checksum {checksum}: {', '.join(sorted(arms))}"
                for (rows, checksum), arms in by_answer.items()
            )
            details.append(f"{op}: {shown}")
    if not samples.ok:
        return Fairness(name="equal results", check="unknown", says="No trial gave results.")
    seen = (run.checksum for trial in samples.ok for run in trial.statements)
    if not any(seen):
        says = "The answers were not compared."
        return Fairness(name="equal results", check="unknown", says=says)
    if details:
        return Fairness(
            name="equal results",
            check="failed",
            says="The arms didn't give the same answers: verdicts are withheld.",
            details=details,
        )
    covered = f" Of {', '.join(partly)} only the determined part is compared." if partly else ""
    return Fairness(
        name="equal results",
        check="ok",
        says=f"All arms gave the same answers, by row count and checksum.{covered}",
    )


def check(
    plan: Plan, folder: RunFolder, samples: Samples, stability: list[StabilityRead]
) -> list[Fairness]:
    """All checks but `results_equal`, in the order of a report."""
    return [
        *fairness_settings.checks(plan, folder, samples),
        *program.checks(plan, samples),
        *collations.checks(plan, samples),
        _trials(samples),
        placement.check(plan, samples),
        *fairness_data.checks(plan, samples),
        *default_errors.checks(plan, samples),
        _server_logs(samples),
        *(
            fairness_load.checks(plan, samples, folder.host(), stability)
            if plan.is_load
            else [_generator(samples)]
        ),
        _telemetry(samples),
        _host(folder),
        *hosts.checks(folder.host(), samples.trials),
        *network.checks(samples.trials),
    ]


def _trials(samples: Samples) -> Fairness:
    failed = [trial for trial in samples.trials if trial.status == "failed"]
    void = [trial for trial in samples.trials if trial.status == "ok" and trial.void]
    reasons = [
        *((trial, trial.no_figure_reason) for trial in (*failed, *void)),
        *((trial, "no op succeeded in its measure phase") for trial in samples.empty),
    ]
    if not reasons:
        says = f"All {len(samples.trials)} trials succeeded."
        return Fairness(name="trials", check="ok", says=says)
    counts = {"failed": failed, "void": void, "without a success": samples.empty}
    said = ", ".join(f"{len(some)} {what}" for what, some in counts.items() if some)
    return Fairness(
        name="trials",
        check="warning",
        says=f"Of {len(samples.trials)} trials: {said}; their blocks count for the "
        "other arms only.",
        details=[
            f"trial {trial.number}, block {trial.block + 1}, {trial.arm}: {why}"
            for trial, why in reasons
        ],
    )


def _server_logs(samples: Samples) -> Fairness:
    lines = list(_log_lines(samples.trials))
    unread = sorted(
        {trial.arm for trial in samples.trials if ERROR_LOG in trial.telemetry_cost.unavailable}
    )
    if unread and not lines:
        says = f"Those of {', '.join(unread)} could not be read."
        return Fairness(name="server logs", check="unknown", says=says)
    if not lines:
        return Fairness(
            name="server logs", check="ok", says="No unexpected errors or warnings in them."
        )
    errors = any(": error:" in line for line in lines)
    return Fairness(
        name="server logs",
        check="failed" if errors else "warning",
        says=f"{len(lines)} kinds of unexpected lines in the servers' error logs.",
        details=lines,
    )


def _log_lines(trials: list[Trial]) -> Iterator[str]:
    """Each kind of line once: times and numbers differ from trial to trial."""
    seen: set[tuple[str, str]] = set()
    for trial in trials:
        for line in trial.log:
            kind = "".join(c for c in line if not c.isdigit())
            if (trial.arm, kind) not in seen:
                seen.add((trial.arm, kind))
                yield f"{trial.arm}: {line}"


def _generator(samples: Samples) -> Fairness:
    """A client that used much of a core may have been the limit itself."""
    shares = [share for trial in samples.ok if (share := client_cpu_share_pct(trial)) is not None]
    if not shares:
        return Fairness(name="load generator", check="unknown", says="Its own cost is not known.")
    worst = max(shares)
    return Fairness(
        name="load generator",
        check="ok" if worst < CLIENT_CPU_LIMIT_PCT else "warning",
        says=f"dynoload used at most {worst:.1f} % of one core while it measured.",
    )


def client_cpu_share_pct(trial: Trial) -> float | None:
    """The load generator's CPU time per cent of one core over its phases."""
    if trial.summary is None:
        return None
    elapsed_s = sum(phase.elapsed_s for phase in trial.summary.phases)
    client = trial.summary.client
    if elapsed_s <= 0:
        return None
    return 100 * client.cpu_s / elapsed_s


def _telemetry(samples: Samples) -> Fairness:
    shares = [
        t.telemetry_cost.cpu_share_pct
        for t in samples.ok
        if t.telemetry_cost.cpu_share_pct is not None
    ]
    missing = sorted({name for t in samples.ok for name in t.telemetry_cost.unavailable})
    if not shares:
        return Fairness(name="telemetry", check="unknown", says="Its own cost is not known.")
    details = [f"unavailable: {name}" for name in missing]
    return Fairness(
        name="telemetry",
        check="ok" if max(shares) < TELEMETRY_CPU_LIMIT_PCT else "warning",
        says=f"Observing cost at most {max(shares):.2f} % of one core.",
        details=details,
    )


def _host(folder: RunFolder) -> Fairness:
    warnings = [str(line) for line in folder.host().get("warnings") or []]
    if warnings:
        return Fairness(
            name="host", check="warning", says="The host was not at its best.", details=warnings
        )
    return Fairness(name="host", check="ok", says="Nothing unusual was seen before the start.")
