"""The pictures of loads: every arm looks different, only what was measured is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import load_fixtures as loads
import load_parts as parts
import pytest
import vega_lite
from hypothesis import given
from hypothesis import strategies as st

from dyno.analysis.load.model import SeriesRead
from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared
from dyno.report import Chart, charts
from dyno.report.charts import law, look, ratios, series
from dyno.report.charts.arms import Arms, Note, legend
from dyno.report.charts.levels import Levels
from dyno.stats import Estimate

NAMES = ["throughput", "ratios", "ratios-p95", "latency", "series", "drift"]
MADE = [loads.sweep, loads.rates, loads.single, loads.torso]


def named(findings: Findings) -> dict[str, Chart]:
    return {chart.name: chart for chart in charts(findings)}


def values_in(spec: Any, key: str) -> list[dict[str, Any]]:
    """All values of a document, of every view and layer, that have `key`."""
    if isinstance(spec, list):
        return [value for part in spec for value in values_in(part, key)]
    if not isinstance(spec, dict):
        return []
    here = spec["values"] if isinstance(spec.get("values"), list) else []
    found = [v for v in here if isinstance(v, dict) and key in v]
    return found + [v for inner in spec.values() for v in values_in(inner, key)]


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.__name__)
def test_loads_have_their_pictures_and_specs_are_valid(made: Callable[[], Findings]) -> None:
    findings = made()
    drawn = charts(findings)
    names = [chart.name for chart in drawn]
    assert sorted(names) == sorted(NAMES)
    # What answers the question comes first.
    assert names[0] == ("throughput" if len(findings.points) > 1 else "ratios")
    for chart in drawn:
        for spec in (chart.spec, chart.narrow):
            vega_lite.validate(spec)


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.__name__)
def test_every_picture_of_a_load_says_which_way_is_better(made: Callable[[], Findings]) -> None:
    for name, chart in named(made()).items():
        assert "better" in chart.caption, name


def test_throughput_is_better_above_one_and_latency_below() -> None:
    drawn = named(loads.sweep())
    assert "right of 1 the first arm is better" in drawn["ratios"].caption
    assert "left of 1 the first arm is better" in drawn["ratios-p95"].caption
    assert "worse" in {p["side"] for p in values_in(drawn["ratios"].spec, "side")}
    for name, better in (("ratios", True), ("ratios-p95", False)):
        points = values_in(drawn[name].spec, "side")
        assert any(p["side"] == "better" for p in points)
        for point in points:
            if "ratio" in point and point["side"] != "even":
                assert (point["side"] == "better") == ((point["ratio"] > 1) == better)


@given(
    ratio=st.floats(0.05, 20).filter(lambda ratio: ratio != 1),
    metric=st.sampled_from(["time", "throughput", "p50", "p95", "p99", "p999"]),
)
def test_a_side_is_named_by_the_metric(ratio: float, metric: str) -> None:
    compared = loads.sweep_compared().model_copy(
        update={"ratio": Estimate(ratio), "metric": metric, "state": "different"}
    )
    better = ratio > 1 if metric == "throughput" else ratio < 1
    assert ratios.side_of(compared) == ("better" if better else "worse")
    assert ratios.side_of(compared.model_copy(update={"ratio": Estimate(1.0)})) == "even"
    even = compared.model_copy(update={"state": "undecided"})
    assert ratios.side_of(even) == "even"


def test_points_are_rows_and_bands_stand_at_their_own_point_only() -> None:
    spec = named(loads.sweep())["ratios"].spec
    pair = "MariaDB 10.1.8 / MySQL 5.5.9"
    assert spec["vconcat"][0]["title"]["text"] == pair
    rows = [v["row"] for v in values_in(spec["vconcat"][0], "ratio")]
    assert rows == [point.label for point in loads.sweep().points]
    bands = [
        (panel["title"]["text"], value["row"])
        for panel in spec["vconcat"]
        for value in panel["data"]["values"]
        if value["kind"] == "band"
    ]
    assert bands == [(pair, "1 connection"), (pair, "256 connections")]


def test_an_interval_is_drawn_where_there_is_one() -> None:
    sweep = values_in(named(loads.sweep())["throughput"].spec, "level")
    assert len(sweep) == 5 * 9 * 2
    assert all(value["low"] < value["value"] < value["high"] for value in sweep)
    torso = values_in(named(loads.torso())["throughput"].spec, "level")
    assert torso
    assert not any("low" in value for value in torso)
    assert not [v for v in torso if v["arm"] == loads.NASTY_ARM and v["level"] == 24]


def test_rings_and_curves_are_those_of_the_analysis() -> None:
    findings = loads.sweep()
    spec = named(findings)["throughput"].spec
    rings = {v["arm"]: v["level"] for v in values_in(spec, "n95") if v["n95"] == "yes"}
    assert rings == {read.arm: read.n95 for read in findings.scaling}
    curved = {value["arm"] for value in values_in(spec, "law")}
    assert curved == {read.arm for read in findings.scaling if read.usl is not None}
    assert "MySQL 5.6.24" not in curved


def test_a_law_that_is_far_off_is_not_drawn() -> None:
    read = loads.sweep().scaling[0]
    assert read.usl is not None
    far = read.model_copy(update={"usl": read.usl.model_copy(update={"residual_max": 0.11})})
    assert law.fitted([read]) == [(read.arm, read.usl)]
    assert law.fitted([far]) == []


def test_the_law_has_its_peak_where_it_says() -> None:
    read = loads.sweep().scaling[0].usl
    assert read is not None
    assert law.ops_per_s(read, 1) == pytest.approx(read.lambda_ops_per_s)
    assert read.n_star is not None
    at_peak = law.ops_per_s(read, read.n_star)
    assert all(law.ops_per_s(read, n) <= at_peak for n in range(1, 400))


def test_an_open_load_is_drawn_over_its_rate() -> None:
    chart = named(loads.rates())["throughput"]
    assert "offered rate" in chart.title
    assert [v["rate"] for v in values_in(chart.spec, "rate")] == [
        point.rate_per_s for point in loads.rates().points
    ]
    assert "did not keep up" in chart.caption


@given(levels=st.lists(st.integers(1, 4096), min_size=2, max_size=12, unique=True))
def test_arms_are_drawn_apart_near_their_level(levels: list[int]) -> None:
    arms = [f"arm {i}" for i in range(5)]
    axis = Levels(parts.points_of(sorted(levels)), of_rate=False)
    low, high = axis.domain()
    placed = axis.placed(arms, 800)
    for point in axis.points:
        x = [placed[arm, point.index] for arm in arms]
        assert x == sorted(x)
        assert x[2] == pytest.approx(point.connections)
        assert low < x[0]
        assert x[-1] < high
        px = 800 * math.log(x[-1] / x[0]) / math.log(high / low)
        assert 0 < px <= 4 * 7 + 1e-6


def read_of(values: list[float], cut_s: float = 0.0) -> SeriesRead:
    return SeriesRead(
        arm="A",
        point=0,
        block=0,
        t_s=[float(i + 1) for i in range(len(values))],
        ops_per_s=values,
        p95_ms=[None] * len(values),
        cut_s=cut_s,
    )


@given(
    values=st.lists(st.floats(0, 1e6), min_size=2, max_size=200),
    window=st.sampled_from([2, 4, 6, 20]),
)
def test_thinning_keeps_the_extremes_and_the_order(values: list[float], window: int) -> None:
    seconds = [(float(i), v) for i, v in enumerate(values)]
    kept = series.thinned(seconds, window)
    assert kept == sorted(kept)
    assert set(kept) <= set(seconds)
    assert min(v for _, v in kept) == min(values)
    assert max(v for _, v in kept) == max(values)
    assert len(kept) <= 2 * math.ceil(len(values) / window) or window == 2
    if window == 2:
        assert kept == seconds


@given(cut_s=st.floats(0, 40), seconds=st.integers(2, 30))
def test_warm_up_is_drawn_apart_and_nothing_is_lost(cut_s: float, seconds: int) -> None:
    cut, kept = series.halves(read_of([100.0] * seconds, cut_s), 2)
    times = [t for t, _ in cut if t is not None and t <= cut_s]
    times += [t for t, _ in kept if t is not None]
    assert times == [float(i + 1) for i in range(seconds)]
    assert all(t is not None and t > cut_s for t, _ in kept)


def test_a_thinned_long_run_says_so() -> None:
    chart = named(loads.single())["series"]
    assert "the least and the greatest second of every" in chart.caption
    lines = values_in(chart.spec, "ops_per_s")
    assert sum(len(line["t_s"]) for line in lines) <= series.VERTICES_MOST * 1.2
    assert min(v for line in lines for v in line["ops_per_s"] if v is not None) == 0.0


def test_trials_that_are_not_drawn_are_counted() -> None:
    chart = named(loads.sweep())["series"]
    assert "225 of 360 trials are drawn" in chart.caption
    lines = values_in(chart.spec, "ops_per_s")
    assert {tuple(line["blocks"]) for line in lines} == {(0, 2, 4, 5, 7)}


def test_latency_is_drawn_at_the_ends_and_the_middle() -> None:
    chart = named(loads.sweep())["latency"]
    panels = chart.spec["vconcat"][1]["concat"]
    titles = [panel["title"]["text"] for panel in panels]
    assert titles == ["1 connection", "16 connections", "256 connections"]
    assert "3 of 9 points are drawn" in chart.caption
    slowest = [v for v in values_in(panels, "quantile") if v["quantile"] == 1]
    assert len({v["place"] for v in slowest}) == 1
    assert all(v["part"] == "max" for v in slowest)


def test_many_arms_look_different() -> None:
    arms = Arms([f"arm {i}" for i in range(20)])
    looks = [
        [str(encoding["scale"]["range"][i]) for encoding in (arms.colour, arms.shape, arms.dash)]
        for i in range(20)
    ]
    assert len({tuple(each) for each in looks}) == 20
    assert len({each[0] for each in looks[:8]}) == 8


@pytest.mark.parametrize("page", [look.WIDE, look.NARROW], ids=["wide", "narrow"])
def test_the_legend_names_every_arm_inside_the_page(page: look.Page) -> None:
    names = [server.name for server in loads.SERVERS]
    view = legend(Arms(names), set(names), page, [Note("N95")], left_px=50)
    entries = view["data"]["values"]
    assert [" ".join(entry["text"].split()) for entry in entries] == [*names, "N95"]
    for entry in entries:
        longest = max(len(line) for line in entry["text"].split("\n"))
        assert entry["text_x"] + 50 + longest * look.CHAR_PX <= page.width_px - 12
        assert entry["y"] < view["height"]


@given(high=st.floats(0.01, 1e7))
def test_ticks_of_a_small_panel_are_round_and_below_its_top(high: float) -> None:
    ticks = look.round_steps(high)
    assert ticks[0] == 0
    assert ticks[-1] <= high
    assert 3 <= len(ticks) <= 6


def test_drift_of_a_sweep_shows_a_few_points_of_one_metric() -> None:
    chart = named(loads.sweep())["drift"]
    titles = {panel["title"]["text"] for panel in chart.spec["concat"]}
    assert titles == {f"Throughput, {n} connection{'s' * (n > 1)}" for n in (1, 16, 256)}
    assert "60 further comparisons are in the findings only" in chart.caption


def test_a_compared_without_ratio_is_not_drawn() -> None:
    points = values_in(named(loads.torso())["ratios"].spec, "ratio")
    assert [value["row"] for value in points] == ["1 connection", "3 connections"]
    assert isinstance(loads.torso().compared[0], Compared)
