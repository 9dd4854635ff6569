"""Was it fair? Each check gives ok, warning, failed or unknown, in words. Unknown is not yes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dyno.analysis.model import Fairness
from dyno.analysis.samples import Samples
from dyno.analysis.settings import (
    DURABILITY,
    WEIGHTY,
    Difference,
    differences,
    mismatches,
    normal,
)
from dyno.spec.plan import Plan
from dyno.store.run import RunFolder
from dyno.store.trial import Trial

CLIENT_CPU_LIMIT_PCT = 50.0
TELEMETRY_CPU_LIMIT_PCT = 2.0


def results_equal(plan: Plan, samples: Samples) -> Fairness:
    """Every statement gave the same rows (the compared part) in all trials of all arms."""
    details: list[str] = []
    partly = [s.name for s in plan.workload.statement if s.compare != "all"]
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


def check(plan: Plan, folder: RunFolder, samples: Samples) -> list[Fairness]:
    """All checks but `results_equal`, in the order of a report."""
    settings = _read_back(folder, samples)
    sessions = {arm: s["session"] for arm, s in settings.items()}
    unequal = differences(plan.arms, sessions)
    return [
        _declared_hold(plan, settings),
        _undeclared(plan, sessions, unequal),
        _durability(sessions, unequal),
        _trials(samples),
        _server_logs(samples),
        _generator(samples),
        _telemetry(samples),
        _host(folder),
    ]


def _read_back(folder: RunFolder, samples: Samples) -> dict[str, dict[str, dict[str, str]]]:
    """The settings of each arm's first good trial."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for trial in samples.ok:
        if trial.arm not in found:
            settings = folder.settings(trial.number)
            if settings:
                found[trial.arm] = settings
    return found


def _declared_hold(plan: Plan, settings: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Fairness:
    name = "declared settings hold in the measuring session"
    missing = [arm.name for arm in plan.arms if arm.name not in settings]
    wrong = [
        mismatch
        for arm in plan.arms
        if arm.name in settings
        for mismatch in mismatches(
            arm, session=settings[arm.name]["session"], global_=settings[arm.name]["global"]
        )
    ]
    if wrong:
        details = [
            f"{m.arm}: {m.name} was declared as {m.declared}, but the measuring session has "
            f"{m.session or 'no such variable'} (global: {m.global_ or 'none'})"
            for m in wrong
        ]
        return Fairness(
            name=name,
            check="failed",
            says="What was measured is not what was declared.",
            details=details,
        )
    if missing:
        return Fairness(
            name=name, check="unknown", says=f"Settings were not read from {', '.join(missing)}."
        )
    count = sum(len(arm.settings) + len(arm.session) for arm in plan.arms)
    return Fairness(
        name=name,
        check="ok",
        says=f"All {count} declared settings were read back on the session that ran the statements."
        if count
        else "No settings were declared; the servers ran with their defaults.",
    )


def _undeclared(
    plan: Plan, sessions: Mapping[str, Mapping[str, str]], unequal: list[Difference]
) -> Fairness:
    name = "undeclared differences"
    if len(sessions) < len(plan.arms):
        return Fairness(name=name, check="unknown", says="Not all arms' settings could be read.")
    surplus = [d for d in unequal if not d.declared]
    weighty = [d for d in surplus if d.name in WEIGHTY]
    servers = {arm.server for arm in plan.arms}
    if not surplus:
        return Fairness(name=name, check="ok", says="No setting differs that wasn't declared.")
    why = (
        "The arms are different servers with different defaults."
        if len(servers) > 1
        else "The arms are the same server: these should be equal."
    )
    return Fairness(
        name=name,
        check="warning",
        says=f"{len(surplus)} settings differ between arms without being declared, "
        f"{len(weighty)} of them often decide results. {why}",
        details=[str(d) for d in [*weighty, *(d for d in surplus if d not in weighty)]],
    )


def _durability(sessions: Mapping[str, Mapping[str, str]], unequal: list[Difference]) -> Fairness:
    name = "equal durability"
    if not sessions:
        return Fairness(name=name, check="unknown", says="No settings could be read.")
    wrong = [d for d in unequal if d.name in DURABILITY and not d.declared]
    if wrong:
        return Fairness(
            name=name,
            check="warning",
            says="The arms don't promise the same durability.",
            details=[str(d) for d in wrong],
        )
    flush = {normal(s.get("innodb_flush_log_at_trx_commit", "?")) for s in sessions.values()}
    return Fairness(
        name=name,
        check="ok",
        says="Durability settings are equal on all arms "
        f"(innodb_flush_log_at_trx_commit = {' / '.join(sorted(flush))}).",
    )


def _trials(samples: Samples) -> Fairness:
    failed = [trial for trial in samples.trials if trial.status == "failed"]
    if not failed:
        says = f"All {len(samples.trials)} trials succeeded."
        return Fairness(name="trials", check="ok", says=says)
    return Fairness(
        name="trials",
        check="warning",
        says=f"{len(failed)} of {len(samples.trials)} trials failed; their blocks count for "
        "the other arms only.",
        details=[f"trial {t.number}, block {t.block + 1}, {t.arm}: {t.failure}" for t in failed],
    )


def _server_logs(samples: Samples) -> Fairness:
    lines = list(_log_lines(samples.trials))
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
