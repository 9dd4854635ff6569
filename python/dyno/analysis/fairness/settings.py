"""The checks of what was read back from the servers: settings, durability, InnoDB's version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.fairness.promises import meanings
from dyno.analysis.fairness.read_back import (
    DURABILITY,
    WEIGHTY,
    Difference,
    differences,
    mismatches,
    normal,
)
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan
from dyno.spec.units import plural
from dyno.store.run import RunFolder

_WHAT_IT_COSTS = (
    "Weaker durability makes writes cheaper: a part of their difference is due to that; see "
    "docs/guides/what-is-lost.md for how to measure what each loses."
)


def checks(plan: Plan, folder: RunFolder, samples: Samples) -> list[Fairness]:
    """All of them, in the order of a report."""
    settings = _read_back(folder, samples)
    sessions = {arm: s["session"] for arm, s in settings.items()}
    unequal = differences(plan.arms, sessions)
    return [
        _declared_hold(plan, settings),
        _undeclared(plan, sessions, unequal),
        _durability(sessions, unequal),
        *_innodb(plan, sessions),
    ]


def _read_back(folder: RunFolder, samples: Samples) -> dict[str, dict[str, dict[str, str]]]:
    """The settings of each arm's first good trial."""
    return samples.first_of_arms(lambda trial: folder.settings(trial.number))


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
        says=f"{_differ(len(surplus))} between arms without being declared; "
        f"of these, {len(weighty)} often matter for results. {why}",
        details=[str(d) for d in [*weighty, *(d for d in surplus if d not in weighty)]],
    )


def _differ(count: int) -> str:
    return f"{plural(count, 'setting')} {'differs' if count == 1 else 'differ'}"


def _durability(sessions: Mapping[str, Mapping[str, str]], unequal: list[Difference]) -> Fairness:
    name = "equal durability"
    if not sessions:
        return Fairness(name=name, check="unknown", says="No settings could be read.")
    unlike = [d for d in unequal if d.name in DURABILITY]
    if unlike:
        declared = ", as was declared" if all(d.declared for d in unlike) else ""
        return Fairness(
            name=name,
            check="warning",
            says=f"The arms don't promise the same durability{declared}. {_WHAT_IT_COSTS}",
            details=[*map(str, unlike), *meanings(unlike)],
        )
    flush = {normal(s.get("innodb_flush_log_at_trx_commit", "?")) for s in sessions.values()}
    return Fairness(
        name=name,
        check="ok",
        says="Durability settings are equal on all arms "
        f"(innodb_flush_log_at_trx_commit = {' / '.join(sorted(flush))}).",
    )


def _innodb(plan: Plan, sessions: Mapping[str, Mapping[str, str]]) -> Iterator[Fairness]:
    """Which InnoDB is in each arm's server: servers of other makers carry one of a base version."""
    by_version: dict[str, list[str]] = {}
    for arm in plan.arms:
        found = sessions.get(arm.name, {}).get("innodb_version")
        if found:
            by_version.setdefault(found, []).append(arm.name)
    if by_version:
        said = "; ".join(f"{version} ({', '.join(arms)})" for version, arms in by_version.items())
        yield Fairness(name="InnoDB's version", check="ok", says=f"As the servers say it: {said}.")
