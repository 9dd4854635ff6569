"""From stored runs of `tpcc` to findings: hand-computed orders, shares and limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from load_runs import at_rate, load_run
from load_runs import plan as oltp
from tpcc_runs import COUNTERS, PACED, PER_S, SWEEP, TPCC, plan, tpcc_run

from dyno.analysis import find
from dyno.analysis.model import Findings
from dyno.analysis.tpcc.model import Tpcc, TpccAudit, TpccPoint, TpccType
from dyno.store.trial import Trial

pytestmark = pytest.mark.slow

ROLLBACKS, LINES = "rollbacks among new orders", "lines of an order"
BY_NAME = "by name among payments"

# Of a trial of 60 orders, 60 payments and 20 order statuses at one warehouse.
FEW = {
    "order_lines": 600,
    "remote_order_lines": 0,
    "remote_payments": 0,
    "payments_by_name": 36,
    "order_statuses_by_name": 12,
    "delivered_orders": 200,
    "skipped_deliveries": 0,
}


def part(findings: Findings) -> Tpcc:
    assert findings.tpcc is not None
    return findings.tpcc


def at(findings: Findings, arm: str, point: int = 0) -> TpccPoint:
    (found,) = [read for read in part(findings).points if (read.arm, read.point) == (arm, point)]
    return found


def typed(findings: Findings, arm: str, name: str) -> TpccType:
    (found,) = [read for read in at(findings, arm).types if read.name == name]
    return found


def audited(findings: Findings, arm: str, figure: str, point: int | None = 0) -> TpccAudit:
    (found,) = [
        read
        for read in part(findings).audit
        if (read.arm, read.figure, read.point) == (arm, figure, point)
    ]
    return found


def b_by_id(arm: str) -> dict[str, int]:
    """Arm b finds two in five payments by name, not three."""
    return COUNTERS | ({"payments_by_name": 800} if arm == "b" else {})


@pytest.fixture(scope="module")
def unpaced(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    path = tmp_path_factory.mktemp("unpaced")

    def per_s(arm: str, point: int) -> dict[str, int]:
        return PER_S | ({"new_order": 79} if arm == "b" else {})

    return find(tpcc_run(path, plan(), per_s=per_s, counters=b_by_id))


def test_new_orders_count_those_that_roll_back(unpaced: Findings) -> None:
    read = at(unpaced, "a")
    assert read.new_orders_per_min == pytest.approx(6000)
    assert read.without_rollbacks_per_min == pytest.approx(5940)
    assert read.per_warehouse_per_min == pytest.approx(3000)
    assert read.of_ceiling is None, "12.86 is a bound of terminals with pauses"
    assert at(unpaced, "b").new_orders_per_min == pytest.approx(4800)


def test_the_headline_is_new_orders(unpaced: Findings) -> None:
    (figure,) = [f for f in unpaced.figures if (f.arm, f.metric) == ("a", "new_orders_per_min")]
    assert (figure.op, figure.unit, figure.n) == ("new_order", "new orders/min", 3)
    assert figure.median.value == pytest.approx(6000)
    (primary,) = [c for c in unpaced.compared if c.primary]
    assert primary.metric == "new_orders_per_min"
    assert primary.numerator_arm == "b"
    assert [b.value for b in primary.blocks] == pytest.approx([0.8] * 3)
    assert "b's new orders/min at 1 connection" in primary.sentence


def test_counts_are_sums_and_sizes_are_medians(unpaced: Findings) -> None:
    read = at(unpaced, "a")
    assert read.trials == 3
    assert read.retries == {"1213": 6}
    assert read.failed == {}
    assert (read.delivered_orders, read.skipped_deliveries) == (5970, 30)
    assert read.skipped_share == pytest.approx(0.005)
    assert (read.size_before_bytes, read.size_after_bytes) == (100_000_000, 120_000_000)


def test_types_have_the_percentiles_that_they_carry(unpaced: Findings) -> None:
    orders = typed(unpaced, "a", "New-Order")
    assert orders.count == 6000, "with those that roll back"
    assert orders.mean_ms == pytest.approx(4.0)
    # Latencies are 4 ms x exp(0.3 z), z evenly from -3 to 3.
    assert orders.p50_ms == pytest.approx(4.0, rel=0.03)
    assert orders.p90_ms == pytest.approx(4.0 * 2.05, rel=0.03)
    assert orders.p99_ms is None, "60 ops beyond are fewer than a hundred"
    assert typed(unpaced, "a", "Delivery").p90_ms is None
    assert orders.limit is None
    assert orders.mean_kept is True


def test_a_mean_above_the_90th_percentile_is_seen(tmp_path: Path) -> None:
    def slow(trial: Trial) -> Trial:
        assert trial.summary is not None
        (phase,) = trial.summary.phases
        ops = [op.model_copy(update={"mean_ns": 9e6}) for op in phase.ops]
        summary = trial.summary.model_copy(
            update={"phases": [phase.model_copy(update={"ops": ops})]}
        )
        return trial.model_copy(update={"summary": summary})

    found = find(tpcc_run(tmp_path, plan(), blocks=1, change=slow))
    assert typed(found, "a", "Payment").mean_kept is False
    assert typed(found, "a", "Delivery").mean_kept is None


def test_ranges_are_judged_by_what_n_can_tell(unpaced: Findings) -> None:
    rollbacks = audited(unpaced, "a", ROLLBACKS)
    assert rollbacks.value == pytest.approx(0.01)
    assert rollbacks.n == 6000
    assert rollbacks.state == "too few", "60 of 6000 is 0.7 to 1.4 %"
    lines = audited(unpaced, "a", LINES)
    assert lines.value == pytest.approx(10)
    # 2.576 x sqrt(10) / sqrt(6000)
    assert lines.sure_low == pytest.approx(10 - 0.1052, abs=1e-3)
    assert lines.state == "in range"
    assert audited(unpaced, "a", BY_NAME).state == "in range"
    by_id = audited(unpaced, "b", BY_NAME)
    assert (by_id.value, by_id.state) == (pytest.approx(0.4), "out of range")
    # 900 of 6000: 15 % give or take 1.2 %
    assert audited(unpaced, "a", "remote among payments").state == "too few"
    assert audited(unpaced, "a", "by name among order statuses").n == 600


def test_of_a_sweep_all_points_are_judged_together_first(tmp_path: Path) -> None:
    found = find(tpcc_run(tmp_path, plan(SWEEP), blocks=1))
    together = audited(found, "a", ROLLBACKS, None)
    assert part(found).audit[0] == together
    assert together.n == 2 * audited(found, "a", ROLLBACKS, 1).n == 4000
    assert [(read.op, read.arm) for read in found.scaling] == [
        ("new_order", "a"),
        ("new_order", "b"),
    ]
    assert found.scaling[0].peak_ops_per_s == pytest.approx(100)
    assert "6,000 new orders/min at" in found.scaling[0].says


def test_what_was_not_reported_is_not_0(tmp_path: Path) -> None:
    found = find(
        tpcc_run(
            tmp_path,
            plan(),
            blocks=1,
            counters=lambda arm: {},
            change=lambda trial: trial.model_copy(update={"sizes_before": []}),
        )
    )
    read = at(found, "a")
    assert read.skipped_share is None
    assert read.skipped_deliveries is None
    assert read.size_before_bytes is None
    assert audited(found, "a", LINES).value is None
    assert audited(found, "a", LINES).state == "too few"
    assert audited(found, "a", ROLLBACKS).value == pytest.approx(0.01), "ops are counted anyway"


@pytest.fixture(scope="module")
def paced(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    per_s = dict.fromkeys(PER_S, 1) | {"new_order": 3, "new_order_rollback": 0, "payment": 3}
    return find(
        tpcc_run(
            tmp_path_factory.mktemp("paced"),
            plan(PACED),
            per_s=lambda arm, point: per_s,
            # At the most 2.46 times as long.
            ms={"new_order": 2000.0, "payment": 6000.0, "stock_level": 8000.0},
            counters=lambda arm: FEW,
        )
    )


def test_paced_is_compared_with_its_limits(paced: Findings) -> None:
    orders = typed(paced, "a", "New-Order")
    assert (orders.count, orders.limit_s, orders.limit) == (180, 5.0, "kept")
    assert typed(paced, "a", "Payment").limit == "missed"
    levels = typed(paced, "a", "Stock-Level")
    assert (levels.limit_s, levels.limit) == (20.0, "kept")


def test_paced_is_compared_with_what_its_pauses_allow(paced: Findings) -> None:
    read = at(paced, "a")
    assert read.per_warehouse_per_min == pytest.approx(180)
    assert read.of_ceiling == pytest.approx(180 / 12.8633, rel=1e-4)


def test_with_one_warehouse_nothing_is_remote(paced: Findings) -> None:
    states = {r.figure: r.state for r in part(paced).audit if r.arm == "a"}
    assert states["remote among order lines"] == "not applicable"
    assert states["remote among payments"] == "not applicable"


def test_few_ops_say_nothing_about_a_limit(tmp_path: Path) -> None:
    per_s = dict.fromkeys(PER_S, 1)
    found = find(
        tpcc_run(
            tmp_path,
            plan(PACED),
            blocks=1,
            per_s=lambda arm, point: per_s,
            counters=lambda arm: FEW | {"payments_by_name": 21},
        )
    )
    # 20 of 20 within: the 99 % interval begins at 20 / (20 + 6.63) = 75 %.
    assert typed(found, "a", "Payment").limit == "too few"
    more_than_all = audited(found, "a", BY_NAME)
    assert (more_than_all.n, more_than_all.state) == (20, "out of range")
    assert more_than_all.sure_low is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TPCC, "can't be compared with audited results"),
        (TPCC, "no screens and no menus"),
        (TPCC, "executed inline"),
        (TPCC, "one fixed date"),
        (TPCC, "20 s a trial, not for 2 h"),
        (TPCC, "no terminal emulation"),
        (TPCC, "1 connection leaves 1 of 2 warehouses without work"),
        (TPCC.replace("= 2\n", '= 2\nhome = "random"\n', 1), "no terminal is bound"),
        (TPCC.replace("= 2\n", '= 2\nisolation = "read_committed"\n', 1), "READ COMMITTED"),
        (PACED.replace('"paced"', '"paced"\npause_scale = 0.5'), "0.5 times those"),
        (SWEEP.replace("[protocol]", '[protocol]\nrestart = "block"'), "in a drawn order"),
    ],
)
def test_deviations_are_listed(tmp_path: Path, text: str, said: str) -> None:
    found = part(find(tpcc_run(tmp_path, plan(text), blocks=1))).deviations
    assert any(said in line for line in found), found


def test_a_run_without_deviations_in_pauses_says_none(paced: Findings) -> None:
    said = " ".join(part(paced).deviations)
    assert "no terminal emulation" not in said
    assert "times those of the specification" not in said
    assert "in a drawn order" not in said


def test_other_workloads_have_no_such_part(tmp_path: Path) -> None:
    folder = load_run(tmp_path, at_rate(lambda arm, point: 100.0), blocks=1, plan=oltp())
    assert find(folder).tpcc is None
