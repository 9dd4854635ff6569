"""From stored loads to findings: known throughputs in, the right words and figures out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from load_runs import OP, SECONDS, at_rate, load_run, plan, summary
from spec_samples import CLAIM, LOAD

from dyno.analysis import LiveJudge, find
from dyno.analysis.load.model import Figure
from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared
from dyno.spec.summary import SendLag
from dyno.store.trial import Trial

# A run of each test is made and judged whole: seconds, not for the quick loop.
pytestmark = pytest.mark.slow

OPEN = LOAD.replace("connections = [1, 8, 64]", "rate = [200.0, 900.0]").replace(
    "connections = [1, 8]\n", ""
)
ONE = (
    LOAD.replace("[sweep]\nconnections = [1, 8, 64]\n", "")
    .replace("connections = [1, 8]\n", "")
    .replace("[protocol]", "[protocol]\nconnections = 8")
)
RATES = (300.0, 1000.0, 1400.0)


def better_at_64(arm: str, point: int) -> float:
    """b is as fast as a at 1 connection, 12 % slower at 8 and 31 % faster at 64."""
    return RATES[point] * ((1.0, 0.88, 1.31)[point] if arm == "b" else 1.0)


def compared(findings: Findings, metric: str, point: int) -> Compared:
    (found,) = [c for c in findings.compared if (c.metric, c.point) == (metric, point)]
    return found


def figure(findings: Findings, arm: str, metric: str, point: int = 0) -> Figure | None:
    found = [f for f in findings.figures if (f.arm, f.metric, f.point) == (arm, metric, point)]
    return found[0] if found else None


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    folder = load_run(
        tmp_path_factory.mktemp("swept"), at_rate(better_at_64), blocks=12, plan=plan(LOAD + CLAIM)
    )
    return find(folder)


def test_a_planted_ratio_is_found_at_each_point(swept: Findings) -> None:
    at_64 = compared(swept, "throughput", 2)
    assert at_64.state == "different"
    assert at_64.ratio
    assert at_64.ratio.value == pytest.approx(1.31, rel=0.01)
    assert at_64.point_label == "64 connections"
    start = "b's throughput at 64 connections is 31 % higher than a's ("
    assert at_64.sentence.startswith(start)
    assert at_64.sentence.endswith("; 12 blocks).")
    at_8 = compared(swept, "throughput", 1)
    assert at_8.sentence.startswith("b's throughput at 8 connections is 12 % lower than a's (")
    assert compared(swept, "throughput", 0).state in ("equivalent", "precise")


def test_a_claim_of_throughput_takes_its_point_and_side(swept: Findings) -> None:
    (claim,) = swept.claims
    assert claim.verdict == "not reproduced"
    assert claim.compared is not None
    assert swept.compared[claim.compared].point == 1


def test_the_answer_counts_verdicts_and_says_one_sentence_a_sweep(tmp_path: Path) -> None:
    findings = find(load_run(tmp_path, at_rate(better_at_64), blocks=12, plan=plan()))
    (sentence,) = findings.answer
    assert sentence.startswith("B's throughput against a's is higher at 1 of 3 points, lower at 1")
    assert ": from 12 % lower at 8 connections (" in sentence
    assert " to 31 % higher at 64 connections (" in sentence
    assert sentence.count("; 12 blocks)") == 2


def test_two_points_are_both(tmp_path: Path) -> None:
    two = plan(LOAD.replace("connections = [1, 8, 64]", "connections = [1, 8]"))
    faster = at_rate(lambda arm, point: RATES[point] * (1.31 if arm == "b" else 1.0))
    (sentence,) = find(load_run(tmp_path, faster, blocks=12, plan=two)).answer
    assert sentence.startswith("B's throughput against a's is higher at both points: from ")


def test_claims_are_counted_first(swept: Findings) -> None:
    assert swept.answer[0] == "Of 1 claim: 1 not reproduced."
    # The claim is about 8 connections alone; the question is about the sweep.
    assert swept.answer[1].startswith("B's throughput against a's is higher at 1 of 3 points, ")
    assert len(swept.answer) == 2


def test_figures_stand_by_themselves_with_their_interval(swept: Findings) -> None:
    found = figure(swept, "b", "throughput", 2)
    assert found is not None
    assert (found.unit, found.n, len(found.blocks)) == ("ops/s", 12, 12)
    assert found.median.interval is not None
    low, high = found.median.interval
    assert low < found.median.value < high
    assert found.median.value == pytest.approx(1.31 * 1400, rel=0.01)
    p95 = figure(swept, "b", "p95")
    assert p95 is not None
    assert (p95.unit, p95.median.value) == ("ms", pytest.approx(4.0 * 2.22, rel=0.02))
    assert [p.label for p in swept.points] == ["1 connection", "8 connections", "64 connections"]


def test_quantiles_that_the_ops_do_not_carry_are_left_out(swept: Findings) -> None:
    # 300 ops a second for 20 s are 6,000: enough for the 95th percentile, too few for the 99th.
    assert figure(swept, "a", "p95", 0) is not None
    assert figure(swept, "a", "p99", 0) is None
    assert figure(swept, "a", "p99", 2) is not None
    merged = next(read for read in swept.latency if (read.arm, read.point) == ("a", 0))
    assert merged.count == pytest.approx(12 * 6000, rel=0.02)
    assert [quantile for quantile, _ in merged.points] == [0.5, 0.75, 0.9, 0.95, 0.99, 1.0]
    assert dict(merged.points)[0.5] == pytest.approx(4.0, rel=0.03)


def test_few_blocks_say_cannot_tell(tmp_path: Path) -> None:
    findings = find(load_run(tmp_path, at_rate(better_at_64), blocks=2, plan=plan()))
    assert compared(findings, "throughput", 2).state == "undecided"
    alone = figure(findings, "a", "throughput")
    assert alone is not None
    assert alone.median.interval is None
    assert findings.answer == ["Can't tell yet: 3 of 3 comparisons."]


def test_void_and_failed_trials_give_no_figure_and_are_named(tmp_path: Path) -> None:
    def spoil(trial: Trial) -> Trial:
        if (trial.arm, trial.block) == ("b", 3):
            return trial.model_copy(update={"void": "generator-bound: too busy"})
        if (trial.arm, trial.block, trial.point) == ("a", 5, 1):
            return trial.model_copy(update={"status": "failed", "failure": "the server died"})
        return trial

    findings = find(load_run(tmp_path, at_rate(better_at_64), blocks=9, plan=plan(), change=spoil))
    assert [compared(findings, "throughput", p).n for p in range(3)] == [8, 7, 8]
    check = next(c for c in findings.fairness if c.name == "trials")
    assert check.says.startswith("Of 54 trials: 1 failed, 3 void;")
    assert sum("generator-bound" in line for line in check.details) == 3
    assert next(c for c in findings.fairness if c.name == "load generator").check == "warning"
    assert [g.void_trials for g in findings.generator if g.arm == "b"] == [1, 1, 1]
    assert findings.run.trials_failed == 4
    assert sum(line.startswith("void: ") for arm in findings.arms for line in arm.failures) == 3


def test_both_arms_begin_at_the_later_cut(tmp_path: Path) -> None:
    even = at_rate(lambda arm, point: 1000.0)

    def warming(arm: str, point: int, block: int) -> list[int]:
        ended = even(arm, point, block)
        return [n // 2 for n in ended[:60]] + ended[60:] if arm == "a" else ended

    findings = find(load_run(tmp_path, warming, blocks=8, plan=plan(ONE)))
    cuts = {series.block: series.cut_s for series in findings.series if series.arm == "a"}
    assert all(6.0 <= cut <= 9.5 for cut in cuts.values())
    assert {s.block: s.cut_s for s in findings.series if s.arm == "b"} == cuts
    assert compared(findings, "throughput", 0).state in ("equivalent", "precise")
    slow = figure(findings, "a", "throughput")
    assert slow is not None
    assert slow.median.value == pytest.approx(1000, rel=0.01)
    series = findings.series[0]
    assert series.t_s == [float(second) for second in range(1, SECONDS + 1)]
    assert len(series.ops_per_s) == len(series.p95_ms) == SECONDS


def test_what_ends_after_the_phase_counts_in_no_throughput(tmp_path: Path) -> None:
    even = at_rate(lambda arm, point: 1000.0)

    def draining(arm: str, point: int, block: int) -> list[int]:
        return even(arm, point, block) + ([1] * 25 if arm == "b" else [])

    findings = find(load_run(tmp_path, draining, blocks=8, plan=plan(ONE)))
    assert all(len(series.t_s) == SECONDS for series in findings.series)
    assert compared(findings, "throughput", 0).state in ("equivalent", "precise")


def test_an_empty_second_counts(tmp_path: Path) -> None:
    even = at_rate(lambda arm, point: 1000.0)

    def stalling(arm: str, point: int, block: int) -> list[int]:
        ended = even(arm, point, block)
        return ended[:140] + [0] * 20 + ended[160:] if arm == "b" else ended

    findings = find(load_run(tmp_path, stalling, blocks=8, plan=plan(ONE)))
    series = next(s for s in findings.series if s.arm == "b")
    assert series.ops_per_s[14:16] == [0.0, 0.0]
    assert series.p95_ms[14:16] == [None, None]
    ratio = compared(findings, "throughput", 0).ratio
    assert ratio
    assert ratio.value == pytest.approx(0.9, abs=0.01)
    stable = {read.arm: read for read in findings.stability}
    assert (stable["a"].stalls, stable["b"].stalls) == (0, 8)
    assert stable["b"].longest_stall_s == pytest.approx(2.0)
    assert stable["b"].stalled_share == pytest.approx(0.1)
    assert stable["b"].worst_second_share == 0
    assert stable["a"].worst_second_share is not None
    assert stable["a"].worst_second_share > 0.8
    assert stable["a"].longest_stall_s is None


def test_a_stall_of_the_load_host_is_not_the_servers(tmp_path: Path) -> None:
    even = at_rate(lambda arm, point: 1000.0)

    def stalling(arm: str, point: int, block: int) -> list[int]:
        ended = even(arm, point, block)
        return ended[:140] + [0] * 20 + ended[160:]

    folder = load_run(
        tmp_path,
        stalling,
        blocks=8,
        plan=plan(ONE),
        late_ms=lambda arm: {160: 1980.0} if arm == "b" else {},
    )
    findings = find(folder)
    found = {s.arm: (s.stalls, s.environment_stalls) for s in findings.stability}
    assert found == {"a": (8, 0), "b": (0, 8)}
    check = next(c for c in findings.fairness if c.name == "stalls of the load host")
    assert check.check == "warning"


def test_a_trial_without_a_success_is_named_and_takes_its_block_out(tmp_path: Path) -> None:
    even = at_rate(lambda arm, point: 1000.0)

    def dying(arm: str, point: int, block: int) -> list[int]:
        return [0] * 200 if (arm, block) == ("b", 2) else even(arm, point, block)

    findings = find(load_run(tmp_path, dying, blocks=9, plan=plan(ONE)))
    assert compared(findings, "throughput", 0).n == 8
    check = next(c for c in findings.fairness if c.name == "trials")
    assert "no op succeeded" in check.details[0]


def test_a_high_rate_is_not_a_power_of_ten(tmp_path: Path) -> None:
    fast = at_rate(lambda arm, point: 24_140.0 if point == 0 else 20_000.0)
    says = find(load_run(tmp_path, fast, blocks=2, plan=plan())).scaling[0].says
    assert "e+" not in says
    assert "24,050 ops/s" in says


@pytest.mark.slow
def test_the_scaling_law_is_read_off_a_sweep(tmp_path: Path) -> None:
    levels = [1, 2, 4, 8, 16, 32, 64]
    text = LOAD.replace("[1, 8, 64]", str(levels))

    def law(arm: str, point: int) -> float:
        n = levels[point]
        kappa = 0.001 if arm == "a" else 0.0
        return 500 * n / (1 + 0.03 * (n - 1) + kappa * n * (n - 1))

    findings = find(load_run(tmp_path, at_rate(law), blocks=5, plan=plan(text)))
    a, b = findings.scaling
    assert (a.arm, a.peak_connections) == ("a", 32)
    assert a.usl is not None
    assert a.usl.n_star == pytest.approx((0.97 / 0.001) ** 0.5, rel=0.05)
    assert "By the scalability law the peak lies at 3" in a.says
    assert "(median of 5 blocks)" in a.says
    assert b.usl is not None
    assert (b.usl.n_star, b.n95, b.peak_connections) == (None, 64, 64)
    assert b.says.startswith("It still rises at the last level: ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rates", "miss"),
    [
        ([1000, 2000, 2500, 8000, 9000], r"\d\d %"),
        ([1000, 20, 1200, 8000, 3000], r"[\d.]+ times what was measured there"),
    ],
)
def test_a_law_that_does_not_fit_says_by_how_much(
    tmp_path: Path, rates: list[float], miss: str
) -> None:
    text = LOAD.replace("[1, 8, 64]", "[1, 2, 4, 8, 16]")
    ragged = at_rate(lambda arm, point: rates[point])
    says = find(load_run(tmp_path, ragged, blocks=5, plan=plan(text))).scaling[0].says
    assert re.search(f"doesn't fit: it misses a level by {miss}, more than 10 %", says), says


BESIDE = '[[task]]\nname = "optimize"\nsql = "OPTIMIZE TABLE sbtest1"\nbeside = true\n'


@pytest.mark.parametrize(("task", "headroom"), [("", 4.0), (BESIDE, 10.0)])
def test_an_open_load_has_no_scaling_and_its_lag_is_read(
    tmp_path: Path, task: str, headroom: float
) -> None:
    lag = SendLag(count=1, p50_ns=1000, p99_ns=250_000, max_ns=300_000)

    def opened(trial: Trial) -> Trial:
        count = trial.summary.phases[0].ok if trial.summary else 0
        return trial.model_copy(
            update={"summary": summary(count, ms=4.0, model="open", send_lag=lag)}
        )

    rates = at_rate(lambda arm, point: (200.0, 900.0)[point])
    findings = find(load_run(tmp_path, rates, blocks=8, plan=plan(OPEN + task), change=opened))
    assert findings.scaling == []
    assert compared(findings, "throughput", 1).point_label == "900 ops/s"
    read = findings.generator[0]
    # Beside a task only the generator's own CPU time can void a trial.
    assert (read.send_lag_p99_ms, read.headroom) == (0.25, pytest.approx(headroom))


def test_costs_of_an_op_are_totals_over_ops_and_unknown_ones_are_none(swept: Findings) -> None:
    read = next(r for r in swept.per_op if (r.arm, r.point) == ("a", 1))
    ops = 1000 * SECONDS
    assert read.figures["server_cpu_us_per_op"] == pytest.approx(10e6 / ops, rel=0.02)
    assert read.figures["client_cpu_us_per_op"] == pytest.approx(2e6 / ops, rel=0.02)
    assert read.figures["context_switches_per_op"] == pytest.approx(10)
    assert read.figures["written_kb_per_op"] == pytest.approx(4)
    assert read.figures["read_kb_per_op"] == 0
    assert read.figures["fsyncs_per_op"] == pytest.approx(1)
    assert read.figures["statements_per_op"] == pytest.approx(20)
    assert read.figures["bytes_sent_per_op"] == pytest.approx(9000)
    assert read.figures["rows_read_per_op"] is None
    assert read.figures["retries_per_1000_ops"] == 0
    assert next(iter(read.figures)) == "server_cpu_us_per_op"


def test_the_generator_is_read_against_its_bound(swept: Findings) -> None:
    read = swept.generator[0]
    # 2 CPU seconds in 20 s on 2 cores are 5 %, a tenth of the bound.
    assert read.cpu_share_pct == pytest.approx(5.0)
    assert read.headroom == pytest.approx(10.0)


def test_counters_are_of_one_op_where_the_arms_differ_most(tmp_path: Path) -> None:
    def more_fsyncs(trial: Trial) -> Trial:
        if trial.arm != "b" or trial.summary is None:
            return trial
        ops = trial.summary.phases[0].ok
        status = {"Innodb_data_fsyncs": ops // 4, "Bytes_sent": 9000 * ops, "Aria_x": 5 * ops}
        return trial.model_copy(update={"status_by_phase": {"measure": status}})

    text = LOAD + (
        '[[claim]]\nsays = "few"\nstatus = "Innodb_data_fsyncs"\nof = "b"\nat = 8\nat_most = 0.3\n'
    )
    folder = load_run(
        tmp_path, at_rate(better_at_64), blocks=8, plan=plan(text), change=more_fsyncs
    )
    findings = find(folder)
    assert {c.point for c in findings.counters} == {2}
    (moved,) = findings.moved
    assert (moved.counter, moved.point, moved.op) == ("Innodb_data_fsyncs", 2, OP)
    assert moved.value == pytest.approx(0.25, rel=0.01)
    assert moved.baseline_value == pytest.approx(1.0)
    (claim,) = findings.claims
    assert claim.verdict == "reproduced"
    assert claim.measured is not None
    assert claim.measured.startswith("0.24") or claim.measured.startswith("0.25")
    assert " an op (0.2" in claim.measured


def test_a_statement_run_has_none_of_it(tmp_path: Path) -> None:
    from stored_runs import stored_run

    findings = find(stored_run(tmp_path, lambda arm, block: 1.0, blocks=8))
    assert findings.compared[0].metric == "time"
    assert findings.compared[0].point_label == ""
    for part in ("figures", "series", "latency", "stability", "scaling", "per_op", "generator"):
        assert getattr(findings, part) == []


@pytest.mark.slow
def test_findings_survive_their_file_and_depend_on_nothing_else(tmp_path: Path) -> None:
    folder = load_run(tmp_path, at_rate(better_at_64), blocks=8, plan=plan())
    findings = find(folder)
    assert Findings.model_validate_json(findings.model_dump_json()) == findings
    assert find(folder) == findings


def test_the_judge_watches_the_primary_comparisons(tmp_path: Path) -> None:
    def apart(arm: str, point: int) -> float:
        return RATES[point] * (1.3 if arm == "b" else 1.0)

    folder = load_run(tmp_path, at_rate(apart), blocks=8, plan=plan(), state="running")
    judged = LiveJudge(folder)(folder, is_look=True)
    assert judged.stop
    assert len(judged.lines) == 3
    assert judged.lines[2].startswith("b's throughput at 64 connections / a's  1.3")
    assert not LiveJudge(folder)(folder, is_look=False).stop


def test_an_empty_run_says_so(tmp_path: Path) -> None:
    findings = find(load_run(tmp_path, at_rate(better_at_64), blocks=0, plan=plan()))
    assert findings.answer == ["No trial succeeded, so nothing can be said."]
    checks: dict[str, Any] = {c.name: c.check for c in findings.fairness}
    for name in ("equal work", "failed ops", "steady state", "load generator"):
        assert checks[name] == "unknown"


def test_short_trials_promise_nothing_of_longer_ones(tmp_path: Path) -> None:
    """Two whole seconds don't say what varies within a trial."""
    made = plan(ONE.replace('duration = "20s"', 'duration = "2s"'))
    noisy = at_rate(lambda arm, point: 1000.0, noise=0.2, seconds=2)
    findings = find(load_run(tmp_path, noisy, blocks=8, plan=made))
    spread = compared(findings, "throughput", 0).spread
    assert spread is not None
    assert (spread.within, spread.by) == (None, "neither")
    last = made.looks[-1]
    assert re.fullmatch(
        rf"{last} blocks, the most, don't bring it to ±1\.0 %: blocks differ by \d+ %\.",
        spread.says,
    ), spread.says
    assert f"by {100 * spread.block:.0f} %" in spread.says
