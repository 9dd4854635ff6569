"""From stored runs of `linkbench` to findings: hand-computed rates, lists, shares and means."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from linkbench_runs import COUNTERS, LINKBENCH, PER_S, SWEEP, linkbench_run, plan
from load_runs import at_rate, load_run
from load_runs import plan as oltp

from dyno.analysis import find
from dyno.analysis.linkbench.asked import PROFILES, asked, data_bytes, multiget_ids
from dyno.analysis.linkbench.model import Linkbench, LinkbenchDraw, LinkbenchOp, LinkbenchPoint
from dyno.analysis.model import Findings
from dyno.spec.linkbench import LinkbenchWorkload
from dyno.store.trial import Trial

pytestmark = pytest.mark.slow

IDS, LISTS = "ids of a multiget", "get_links_list among all ops"


def part(findings: Findings) -> Linkbench:
    assert findings.linkbench is not None
    return findings.linkbench


def at(findings: Findings, arm: str, point: int = 0) -> LinkbenchPoint:
    (found,) = [read for read in part(findings).points if (read.arm, read.point) == (arm, point)]
    return found


def op(findings: Findings, arm: str, name: str) -> LinkbenchOp:
    (found,) = [read for read in at(findings, arm).ops if read.name == name]
    return found


def drawn(findings: Findings, arm: str, figure: str, point: int | None = 0) -> LinkbenchDraw:
    (found,) = [
        read
        for read in part(findings).draws
        if (read.arm, read.figure, read.point) == (arm, figure, point)
    ]
    return found


def with_workload(**keys: object) -> str:
    lines = "".join(f"{key} = {value}\n" for key, value in keys.items())
    return LINKBENCH.replace("ids = 1000\n", f"ids = 1000\n{lines}")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """Arm b asks for fewer lists, and for one id less in each multiget."""
    return find(
        linkbench_run(
            tmp_path_factory.mktemp("run"),
            plan(),
            per_s=lambda arm, point: PER_S | ({"get_links_list": 407} if arm == "b" else {}),
            counters=lambda arm: COUNTERS | ({"multiget_ids": 262} if arm == "b" else {}),
        )
    )


def test_a_point_has_the_rate_of_all_ops(run: Findings) -> None:
    read = at(run, "a")
    assert read.ops_per_s == pytest.approx(1000)
    assert at(run, "b").ops_per_s == pytest.approx(900)
    (figure,) = [f for f in run.figures if (f.arm, f.metric) == ("a", "total_throughput")]
    assert figure.median.value == read.ops_per_s
    assert {c.metric for c in run.compared if c.primary} == {"total_throughput"}


def test_lists_have_their_rows(run: Findings) -> None:
    read = at(run, "a")
    assert read.lists == 30_420
    assert read.range_size is not None
    assert read.range_size.value == pytest.approx(8)
    assert read.range_size.interval == pytest.approx((8, 8))
    assert read.at_limit_share == pytest.approx(15 / 30_420)


def test_counts_are_sums_and_sizes_are_medians(run: Findings) -> None:
    read = at(run, "a")
    assert (read.trials, read.retries, read.failed) == (3, {"1213": 6}, {})
    assert (read.size_before_bytes, read.size_after_bytes) == (1_580_000, 1_780_000)
    assert read.link_rows_per_id == pytest.approx(16)


def test_ops_have_the_percentiles_that_they_carry(run: Findings) -> None:
    lists = op(run, "a", "get_links_list")
    assert (lists.count, lists.share) == (30_420, pytest.approx(0.507))
    assert lists.asked_share == pytest.approx(0.507119145)
    assert lists.mean_ms == pytest.approx(4)
    assert lists.p50_ms == pytest.approx(4, rel=0.03)
    assert lists.p99_ms is not None
    assert lists.p999_ms is None, "30 ops beyond are fewer than a hundred"
    assert op(run, "a", "multiget_link").p95_ms is None
    assert [read.name for read in at(run, "a").ops] == list(PER_S)


def test_what_was_drawn_is_compared_with_the_profile(run: Findings) -> None:
    lists = drawn(run, "a", LISTS)
    assert (lists.n, lists.state) == (60_000, "as asked")
    # 3.39 deviations of sqrt(0.25 / 60,000): fourteen intervals that hold together at 99 %.
    assert lists.sure_low == pytest.approx(0.507 - 3.386 * math.sqrt(0.25 / 60_000), abs=1e-4)
    assert drawn(run, "b", LISTS).state == "not as asked"
    ids = drawn(run, "a", IDS)
    assert (ids.value, ids.is_mean, ids.state) == (pytest.approx(3.62), True, "as asked")
    assert ids.asked == pytest.approx(3.618, abs=1e-3)
    # Of 300 multigets, with a deviation of 2.06 ids.
    assert ids.sure_high == pytest.approx(3.62 + 3.386 * 2.058 / math.sqrt(300), abs=1e-3)
    assert drawn(run, "b", IDS).state == "not as asked"
    for figure in ("bytes of a link's data", "bytes of a node's data"):
        assert drawn(run, "a", figure).state == "as asked"
    states = {read.state for read in part(run).draws if read.arm == "a"}
    assert states == {"as asked", "only told"}


def test_what_the_data_decide_is_shown_and_not_judged(run: Findings) -> None:
    shares = {
        "adds and updates that inserted a link": 2000 / 3400,
        "deletes that found their link": 0.25,
        "counts that found a row": 700 / 980,
        "ids of multigets with a link": 70 / 362,
        "node reads that found a node": 2500 / 2580,
    }
    for figure, share in shares.items():
        read = drawn(run, "a", figure)
        assert (read.value, read.asked, read.state) == (pytest.approx(share), None, "only told")


def test_ops_that_failed_were_asked_for_too(tmp_path: Path) -> None:
    def failing(trial: Trial) -> Trial:
        assert trial.summary is not None
        (phase,) = trial.summary.phases
        lists = next(op for op in phase.ops if op.op == "get_links_list")
        others = [op for op in phase.ops if op is not lists]
        half = lists.count // 2
        ok = lists.model_copy(update={"count": lists.count - half})
        bad = lists.model_copy(update={"count": half, "outcome": "failed"})
        changed = phase.model_copy(
            update={
                "ops": [*others, ok, bad],
                "ok": phase.ok - half,
                "failed": {"1205": half},
            }
        )
        summary = trial.summary.model_copy(update={"phases": [changed]})
        return trial.model_copy(update={"summary": summary})

    found = find(linkbench_run(tmp_path, plan(), blocks=1, change=failing))
    assert drawn(found, "a", LISTS).value == pytest.approx(0.507)
    assert at(found, "a").failed == {"1205": 5070}
    assert op(found, "a", "get_links_list").count == 5070


def test_too_many_lists_from_the_history_are_seen(tmp_path: Path) -> None:
    figure = "lists that read on from an earlier one"

    def history(arm: str) -> dict[str, int]:
        return COUNTERS | {"history_lists": 0 if arm == "a" else 100}

    found = find(linkbench_run(tmp_path, plan(), blocks=1, counters=history))
    none = drawn(found, "a", figure)
    assert (none.asked, none.at_most, none.state) == (pytest.approx(0.003), True, "as asked")
    assert drawn(found, "b", figure).state == "not as asked"


def test_of_a_sweep_all_points_are_judged_together_first(tmp_path: Path) -> None:
    found = find(linkbench_run(tmp_path, plan(SWEEP), blocks=1))
    together = drawn(found, "a", LISTS, None)
    assert together.n == 2 * drawn(found, "a", LISTS, 1).n == 40_000
    assert part(found).draws[0].point is None


def test_what_was_not_reported_is_not_0(tmp_path: Path) -> None:
    found = find(
        linkbench_run(
            tmp_path,
            plan(),
            blocks=1,
            counters=lambda arm: {},
            change=lambda trial: trial.model_copy(update={"sizes_before": [], "sizes": []}),
        )
    )
    read = at(found, "a")
    assert (read.lists, read.range_size, read.at_limit_share) == (None, None, None)
    assert (read.size_before_bytes, read.link_rows_per_id) == (None, None)
    assert drawn(found, "a", IDS).value is None
    assert drawn(found, "a", IDS).state == "too few"
    assert drawn(found, "a", LISTS).state == "as asked", "ops are counted anyway"


def test_more_than_all_is_not_as_asked(tmp_path: Path) -> None:
    found = find(
        linkbench_run(
            tmp_path, plan(), blocks=1, counters=lambda arm: COUNTERS | {"history_lists": 20_000}
        )
    )
    read = drawn(found, "a", "lists that read on from an earlier one")
    assert (read.sure_low, read.state) == (None, "not as asked")


def test_means_by_hand() -> None:
    # One more than a geometric distribution with p = 0.382 from 1 on: 1 + 1 / 0.382.
    ids = multiget_ids(1, 128, 0.382)
    assert ids.mean == pytest.approx(1 + 1 / 0.382, abs=1e-6)
    assert ids.deviation == pytest.approx(math.sqrt(1 - 0.382) / 0.382, abs=1e-6)
    assert multiget_ids(1, 3, 0.5).mean == pytest.approx(2), "3 and more are cut off"
    assert multiget_ids(0, 3, 0.5).mean == pytest.approx(1.5), "1 or 2, which are all the others"
    # A log-normal mean is median x exp(1/2), a deviation sqrt(e - 1) as much; a link's is clipped.
    nodes = data_bytes(128, 2**20 - 1)
    assert nodes.mean == pytest.approx(128 * math.exp(0.5), rel=1e-4)
    assert nodes.deviation == pytest.approx(nodes.mean * math.sqrt(math.e - 1), rel=1e-3)
    assert data_bytes(8, 254).mean == pytest.approx(13.17, abs=0.005)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_mix_is_all(profile: str) -> None:
    workload = LinkbenchWorkload.model_validate({"kind": "linkbench", "profile": profile})
    found = asked(workload)
    assert found is not None
    assert sum(found.mix.values()) == pytest.approx(1, abs=1e-7)


def test_properties_go_before_the_profile(tmp_path: Path) -> None:
    text = with_workload(
        properties="{ addlink = 0, getnode = 21.9213284, link_multiget_dist_prob = 0.5 }"
    )
    found = find(linkbench_run(tmp_path, plan(text), blocks=1))
    assert op(found, "a", "add_link").asked_share == 0
    assert drawn(found, "a", "add_link among all ops").state == "not as asked"
    assert drawn(found, "a", IDS).asked == pytest.approx(3)
    assert part(found).properties["addlink"] == "0"


def test_the_fork_asks_for_another_mix(tmp_path: Path) -> None:
    found = find(linkbench_run(tmp_path, plan(with_workload(profile='"mc-2017"')), blocks=1))
    assert drawn(found, "a", LISTS).asked == pytest.approx(0.2257039)
    assert drawn(found, "a", LISTS).state == "not as asked"


def test_without_a_distribution_a_multiget_asks_for_one_id() -> None:
    keys = {"kind": "linkbench", "properties": {"link_multiget_dist": ""}}
    found = asked(LinkbenchWorkload.model_validate(keys))
    assert found is not None
    assert (found.multiget_ids.mean, found.multiget_ids.deviation) == (1, 0)


def test_a_property_that_is_not_a_number_is_not_compared() -> None:
    keys = {"kind": "linkbench", "properties": {"addlink": "many"}}
    assert asked(LinkbenchWorkload.model_validate(keys)) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LINKBENCH, "has one connection, where the original has two"),
        (
            LINKBENCH,
            "rolled back before it is tried again, at most 100 times in an experiment and 65,535 "
            "times by dyno linkbench",
        ),
        (LINKBENCH, "the original notes 0 for it"),
        (LINKBENCH, "from a fixed instant"),
        (LINKBENCH, "0.1 % fewer links"),
        (with_workload(partitions=0), "linktable isn't partitioned"),
        (with_workload(partitions=1), "has 1 partition; the original's has 16"),
        (with_workload(secondary_index='"after"'), "when all rows are in"),
        (with_workload(properties="{ addlink = 9 }"), "changed: addlink = 9."),
        (LINKBENCH + "connections = 4\nrate = 500\n", "from when an op was due"),
        (SWEEP.replace("[protocol]", '[protocol]\nrestart = "block"'), "in a drawn order"),
    ],
)
def test_deviations_are_listed(tmp_path: Path, text: str, said: str) -> None:
    found = part(find(linkbench_run(tmp_path, plan(text), blocks=1))).deviations
    assert any(said in line for line in found), found


def test_what_equals_the_original_is_left_out(run: Findings) -> None:
    said = " ".join(part(run).deviations)
    for words in ("partition", "when all rows are in", "was due", "drawn order", "changed"):
        assert words not in said


def test_other_workloads_have_no_such_part(tmp_path: Path) -> None:
    folder = load_run(tmp_path, at_rate(lambda arm, point: 100.0), blocks=1, plan=oltp())
    assert find(folder).linkbench is None
