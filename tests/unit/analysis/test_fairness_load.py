"""The checks of loads: what isn't fair is named, what isn't known isn't called fair."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from load_runs import at_rate, load_run, plan
from spec_samples import CLAIM, LOAD
from stored_runs import SETTINGS

from dyno.analysis import find
from dyno.analysis.fairness.model import Fairness
from dyno.analysis.model import Findings
from dyno.spec.summary import StatementCounts
from dyno.store.trial import ProfileLine, Trial

# A run of each test is made and judged whole: seconds, not for the quick loop.
pytestmark = pytest.mark.slow

EVEN = at_rate(lambda arm, point: 1000.0)


def check_of(findings: Findings, name: str) -> Fairness:
    return next(check for check in findings.fairness if check.name == name)


def measured(
    trial: Trial, arm: str, change: Callable[[dict[str, Any], int], dict[str, Any]]
) -> Trial:
    """The trial with another account of its measure phase, if it is one of this arm."""
    if trial.arm != arm or trial.summary is None:
        return trial
    (phase,) = trial.summary.phases
    other = phase.model_copy(update=change(phase.model_dump(), phase.ok))
    return trial.model_copy(
        update={"summary": trial.summary.model_copy(update={"phases": [other]})}
    )


def spoilt(path: Path, change: Callable[[dict[str, Any], int], dict[str, Any]]) -> Findings:
    folder = load_run(
        path, EVEN, blocks=8, plan=plan(LOAD + CLAIM), change=lambda t: measured(t, "b", change)
    )
    return find(folder)


def test_equal_statements_an_op_are_ok_and_their_limit_is_stated(
    tmp_path: Path,
) -> None:
    check = check_of(spoilt(tmp_path, lambda phase, ok: {}), "equal work")
    assert check.check == "ok"
    assert "no answers are compared" in check.says
    assert "14 reading, 4 writing, 2 others" in check.says


def test_other_statements_withhold_every_verdict(tmp_path: Path) -> None:
    def fewer(phase: dict[str, Any], ok: int) -> dict[str, Any]:
        return {"statements": StatementCounts(read=13 * ok, write=4 * ok, other=2 * ok)}

    findings = spoilt(tmp_path, fewer)
    check = check_of(findings, "equal work")
    assert check.check == "failed"
    assert len(check.details) == 3
    assert check.details[0].startswith("b, 1 connection: 13 reading, 4 writing, 2 others, against")
    assert findings.claims[0].why.startswith("withheld")


@pytest.mark.parametrize(("fewer", "check"), [(0.0, "ok"), (0.2, "failed")])
def test_a_slow_arm_s_mix_differs_by_chance_only(tmp_path: Path, fewer: float, check: str) -> None:
    draw = random.Random(7)

    def mixed(phase: dict[str, Any], ok: int) -> dict[str, Any]:
        # 300 ops of 1 or 27 statements each, at even chances: 14, give or take 0.75.
        read = sum(draw.choice((1, 27)) for _ in range(300)) * (1 - fewer)
        return {
            "statements": StatementCounts(read=int(read / 300 * ok), write=4 * ok, other=2 * ok)
        }

    assert check_of(spoilt(tmp_path, mixed), "equal work").check == check


@pytest.mark.parametrize(("blocks", "check"), [(1, "unknown"), (2, "failed")])
def test_one_trial_of_drawn_ops_shows_nothing_of_chance(
    tmp_path: Path, blocks: int, check: str
) -> None:
    text = re.sub(r'kind = "oltp"\n(?:.+\n)*', 'kind = "slap"\n', LOAD)
    folder = load_run(
        tmp_path,
        EVEN,
        blocks=blocks,
        plan=plan(text),
        change=lambda t: measured(
            t, "b", lambda p, ok: {"statements": StatementCounts(read=15 * ok, write=4, other=2)}
        ),
    )
    assert check_of(find(folder), "equal work").check == check


def test_statements_that_change_fewer_rows_are_a_warning(tmp_path: Path) -> None:
    def fewer(phase: dict[str, Any], ok: int) -> dict[str, Any]:
        return {"statements": StatementCounts(read=14 * ok, write=3 * ok, other=3 * ok)}

    assert check_of(spoilt(tmp_path, fewer), "equal work").check == "warning"


def test_retried_transactions_are_not_other_work(tmp_path: Path) -> None:
    def retried(phase: dict[str, Any], ok: int) -> dict[str, Any]:
        again = ok // 10
        counts = StatementCounts(
            read=14 * ok + 10 * again, write=4 * ok + again, other=2 * ok + again
        )
        return {"statements": counts, "retries": {"1213": again}}

    findings = spoilt(tmp_path, retried)
    assert check_of(findings, "equal work").check == "ok"
    read = next(r for r in findings.per_op if r.arm == "b")
    assert read.figures["retries_per_1000_ops"] == pytest.approx(100, rel=0.01)


def test_statements_that_nobody_counted_are_unknown(tmp_path: Path) -> None:
    findings = find(
        load_run(
            tmp_path,
            EVEN,
            blocks=8,
            plan=plan(),
            change=lambda t: measured(
                measured(t, "b", lambda p, ok: {"statements": None}),
                "a",
                lambda p, ok: {"statements": None},
            ),
        )
    )
    assert check_of(findings, "equal work").check == "unknown"


def test_retries_that_only_a_default_causes_are_counted_apart(tmp_path: Path) -> None:
    def retried(phase: dict[str, Any], ok: int) -> dict[str, Any]:
        return {"retries": {"1020": 3, "1213": 5}}

    findings = spoilt(tmp_path, retried)
    check = check_of(findings, "errors of innodb_snapshot_isolation")
    assert check.check == "warning"
    assert "with error 1020 because of innodb_snapshot_isolation" in check.says
    assert check.details[0] == "b, 1 connection: 24 times"
    assert not any("a, " in line for line in check.details)


def test_failed_skipped_and_unfinished_ops_are_named(tmp_path: Path) -> None:
    def lossy(phase: dict[str, Any], ok: int) -> dict[str, Any]:
        lost = {"failed": {"1205": 2}, "skipped": 5, "unfinished": 1}
        return {"scheduled": ok + 8, **lost}

    check = check_of(spoilt(tmp_path, lossy), "failed ops")
    assert check.check == "warning"
    assert check.says.startswith("192 of ")
    assert check.details[0] == (
        "b, 1 connection: 16 failed with 1205, 40 were due and never begun, 8 were broken off"
    )


def test_trials_that_drift_are_counted_and_named(tmp_path: Path) -> None:
    def drifting(arm: str, point: int, block: int) -> list[int]:
        ended = EVEN(arm, point, block)
        if arm == "a":
            return ended
        return [round(n * (1 - 0.4 * place / len(ended))) for place, n in enumerate(ended)]

    findings = find(load_run(tmp_path, drifting, blocks=8, plan=plan()))
    check = check_of(findings, "steady state")
    assert check.check == "warning"
    assert all(line.startswith("b, ") for line in check.details)
    assert all("8 of 8" in line for line in check.details)
    assert [s.not_steady for s in findings.stability] == [0, 8] * 3


def test_short_trials_can_not_be_called_steady(tmp_path: Path) -> None:
    text = LOAD.replace('duration = "20s"', 'duration = "5s"')
    folder = load_run(
        tmp_path, at_rate(lambda arm, point: 1000.0, seconds=5), blocks=8, plan=plan(text)
    )
    findings = find(folder)
    assert check_of(findings, "steady state").check == "unknown"
    assert findings.stability[0].not_steady is None


def test_the_innodb_of_each_arm_is_shown(tmp_path: Path) -> None:
    def read(arm: str) -> dict[str, str]:
        return SETTINGS | {"innodb_version": "5.6.24" if arm == "a" else "5.6.24-72.2"}

    findings = find(load_run(tmp_path, EVEN, blocks=8, plan=plan(), settings=read))
    check = check_of(findings, "InnoDB's version")
    assert "5.6.24 (a); 5.6.24-72.2 (b)" in check.says
    assert check_of(findings, "undeclared differences").check == "ok"


def test_profiles_are_means_over_the_trials_of_an_arm(tmp_path: Path) -> None:
    def profiled(trial: Trial) -> Trial:
        if trial.arm == "b":
            return trial.model_copy(update={"profile_unavailable": "perf is not there"})
        lines = [ProfileLine(share_pct=40.0, symbol="row_search", object="mysqld")]
        if trial.block == 0:
            lines.append(ProfileLine(share_pct=8.0, symbol="memcpy", object="libc"))
        return trial.model_copy(update={"profile": lines})

    findings = find(load_run(tmp_path, EVEN, blocks=8, plan=plan(), change=profiled))
    a, b = findings.profiles
    assert [(line.symbol, line.share_pct) for line in a.lines] == [
        ("row_search", 40),
        ("memcpy", 1),
    ]
    assert (b.lines, b.unavailable) == ([], "perf is not there")
