"""From stored trials to findings: known truth in, the right words out."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from spec_samples import GOOD
from stored_runs import SETTINGS, failed, plan_of, run_of, stored_run

from dyno.analysis import LiveJudge, find
from dyno.analysis.model import Findings
from dyno.store.trial import Trial


def noise(arm: str, block: int, *, spread: float) -> float:
    """The same for the same trial, whatever ran before."""
    return random.Random(f"{block} of {arm}").uniform(1 - spread, 1 + spread)


def halved(arm: str, block: int) -> float:
    return (2.0 if arm == "a" else 1.0) * noise(arm, block, spread=0.01)


def equal(arm: str, block: int) -> float:
    return noise(arm, block, spread=0.001)


def check_of(findings: Findings, name: str) -> str:
    return next(check.check for check in findings.fairness if check.name == name)


def test_a_planted_ratio_is_found_and_its_claim_reproduced(tmp_path: Path) -> None:
    findings = find(stored_run(tmp_path, halved, blocks=8))
    (compared,) = findings.compared
    assert (compared.numerator_arm, compared.denominator_arm) == ("b", "a")
    assert compared.state == "different"
    assert compared.ratio is not None
    assert compared.ratio.value == pytest.approx(0.5, rel=0.01)
    assert compared.ratio.interval is not None
    low, high = compared.ratio.interval
    assert low < 0.5 < high
    assert compared.n == 8
    assert compared.sentence.startswith("q: b needs 50 % less time than a (")
    assert findings.claims[0].verdict == "reproduced"
    assert findings.answer[0] == "Of 1 claim: 1 reproduced."


def test_equal_arms_are_equal_and_the_claim_is_refuted(tmp_path: Path) -> None:
    findings = find(stored_run(tmp_path, equal, blocks=12))
    assert findings.compared[0].state == "equivalent"
    assert findings.claims[0].verdict == "not reproduced"


def test_few_blocks_say_cannot_tell(tmp_path: Path) -> None:
    findings = find(stored_run(tmp_path, halved, blocks=3))
    assert findings.compared[0].state == "undecided"
    assert findings.compared[0].ratio
    assert findings.compared[0].ratio.interval is None
    assert findings.claims[0].verdict == "inconclusive"
    assert "can't tell" in findings.compared[0].sentence


def test_a_failed_trial_takes_its_block_out_and_is_named(tmp_path: Path) -> None:
    def spoil(trial: Trial) -> Trial:
        return failed(trial, "the server died") if trial.number == 5 else trial

    findings = find(stored_run(tmp_path, halved, blocks=9, change=spoil))
    assert findings.compared[0].n == 8
    assert findings.run.trials_failed == 1
    assert check_of(findings, "trials") == "warning"
    assert any("the server died" in arm.failures for arm in findings.arms)


def test_unequal_results_withhold_every_verdict(tmp_path: Path) -> None:
    def spoil(trial: Trial) -> Trial:
        other = run_of(trial.arm, 1.0, checksum="00000000000000bb")
        return trial.model_copy(update={"statements": [other]}) if trial.arm == "b" else trial

    findings = find(stored_run(tmp_path, halved, blocks=8, change=spoil))
    assert check_of(findings, "equal results") == "failed"
    assert findings.claims[0].verdict == "inconclusive"
    assert "withheld" in findings.claims[0].why


def test_the_session_trap_is_seen(tmp_path: Path) -> None:
    text = GOOD.replace(
        'server = "mariadb-10.1.8"', 'server = "m"\nsettings = { tmp_table_size = "1G" }'
    )
    findings = find(stored_run(tmp_path, halved, blocks=8, plan=plan_of(text)))
    check = next(c for c in findings.fairness if c.name.startswith("declared settings"))
    assert check.check == "failed"
    assert "tmp_table_size was declared as 1G" in check.details[0]
    assert "16777216" in check.details[0]


def test_undeclared_differences_are_named(tmp_path: Path) -> None:
    def read(arm: str) -> dict[str, str]:
        return SETTINGS | ({"key_buffer_size": "1024", "socket": "/y"} if arm == "b" else {})

    findings = find(stored_run(tmp_path, halved, blocks=8, settings=read))
    check = next(c for c in findings.fairness if c.name == "undeclared differences")
    assert check.check == "warning"
    assert len(check.details) == 1
    assert check.details[0].startswith("key_buffer_size: 8388608 (a); 1024 (b)")


def test_folders_that_dyno_gives_to_servers_are_no_difference(tmp_path: Path) -> None:
    def read(arm: str) -> dict[str, str]:
        places = ("socket", "tmpdir", "slave_load_tmpdir", "replica_load_tmpdir", "log_error")
        return SETTINGS | {name: f"/{arm}/{name}" for name in places}

    findings = find(stored_run(tmp_path, halved, blocks=8, settings=read))
    assert check_of(findings, "undeclared differences") == "ok"


def test_unequal_durability_is_a_warning(tmp_path: Path) -> None:
    def read(arm: str) -> dict[str, str]:
        return SETTINGS | ({"innodb_flush_log_at_trx_commit": "0"} if arm == "b" else {})

    findings = find(stored_run(tmp_path, halved, blocks=8, settings=read))
    check = next(c for c in findings.fairness if c.name == "equal durability")
    assert check.check == "warning"
    assert "don't promise the same durability." in check.says
    assert check.details == [
        "innodb_flush_log_at_trx_commit: 1 (a); 0 (b)",
        "a (innodb_flush_log_at_trx_commit = 1): each commit is on the disk before it is "
        "acknowledged",
        "b (innodb_flush_log_at_trx_commit = 0): up to a second of commits is lost when the server "
        "crashes, without a power cut",
    ]


def test_unequal_durability_that_was_declared_is_never_called_equal(tmp_path: Path) -> None:
    text = GOOD.replace(
        'server = "mariadb-10.1.8"',
        'server = "m"\nsettings = { innodb_flush_log_at_trx_commit = 2 }',
        1,
    )

    def read(arm: str) -> dict[str, str]:
        return SETTINGS | ({"innodb_flush_log_at_trx_commit": "2"} if arm == "a" else {})

    findings = find(stored_run(tmp_path, halved, blocks=8, plan=plan_of(text), settings=read))
    check = next(c for c in findings.fairness if c.name == "equal durability")
    assert (check.check, "as was declared" in check.says) == ("warning", True)
    assert any("lost at a power cut" in line for line in check.details)


def test_counters_that_moved_are_named(tmp_path: Path) -> None:
    findings = find(stored_run(tmp_path, halved, blocks=8))
    (moved,) = findings.moved
    assert (moved.counter, moved.value, moved.baseline_value) == ("Handler_write", 10, 1000)


def test_unknown_is_not_ok(tmp_path: Path) -> None:
    findings = find(stored_run(tmp_path, halved, blocks=8))
    assert check_of(findings, "load generator") == "unknown"
    assert check_of(findings, "A/A floor") == "unknown"
    assert findings.costs.client_cpu_share_pct is None


def test_a_noisy_host_raises_the_floor(tmp_path: Path) -> None:
    floor = {"run": "r", "ratio": 1.4, "low": 0.9, "high": 1.8, "n": 12}
    findings = find(stored_run(tmp_path, halved, blocks=8, host={"floor": floor}))
    assert check_of(findings, "A/A floor") == "ok"
    assert findings.run.delta == pytest.approx(0.96)
    assert findings.compared[0].state != "equivalent"


def test_an_empty_run_says_so(tmp_path: Path) -> None:
    findings = find(stored_run(tmp_path, halved, blocks=0, state="interrupted"))
    assert findings.answer == ["No trial succeeded, so nothing can be said."]
    assert check_of(findings, "equal results") == "unknown"


def test_findings_survive_their_file_and_depend_on_nothing_else(tmp_path: Path) -> None:
    folder = stored_run(tmp_path, halved, blocks=8)
    findings = find(folder)
    assert Findings.model_validate_json(findings.model_dump_json()) == findings
    assert find(folder) == findings


def test_status_claims_ask_every_trial(tmp_path: Path) -> None:
    text = GOOD + (
        '[[claim]]\nsays = "few"\nstatus = "Handler_write"\nof = "b @ q"\nat_most = 10\n'
        '[[claim]]\nsays = "none"\nstatus = "Handler_write"\nof = "a @ q"\nat_most = 0\n'
        '[[claim]]\nsays = "never moved"\nstatus = "Key_wrtes"\nof = "a @ q"\nat_most = 0\n'
    )
    findings = find(stored_run(tmp_path, halved, blocks=8, plan=plan_of(text)))
    assert [c.verdict for c in findings.claims[1:]] == [
        "reproduced",
        "not reproduced",
        "inconclusive",
    ]
    assert findings.claims[2].measured == "1000"


def test_the_judge_stops_when_the_claim_is_settled(tmp_path: Path) -> None:
    folder = stored_run(tmp_path, halved, blocks=8, state="running")
    judge = LiveJudge(folder)
    assert judge(folder, is_look=True).stop
    assert not judge(folder, is_look=False).stop
    assert "n = 8" in judge(folder, is_look=True).lines[0]


def test_the_judge_goes_on_while_a_claim_is_open(tmp_path: Path) -> None:
    def noisy(arm: str, block: int) -> float:
        return (1.9 if arm == "a" else 1.0) * noise(arm, block, spread=0.2)

    folder = stored_run(tmp_path, noisy, blocks=8, state="running")
    assert not LiveJudge(folder)(folder, is_look=True).stop
