"""The trust bench: what is tried, in which order, and how it is counted. No server is started."""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import asdict
from pathlib import Path

import pytest
from benches.trust.__main__ import read, sessions
from benches.trust.calibrate import Slope, burn_for, slopes
from benches.trust.cases import CASES, PLACEMENTS, Case, experiment
from benches.trust.plant import COUNTS, SLOW, TWO_LONGS, Burn, taken_ns
from benches.trust.session import Found, Session, as_times, baseline_ns, what_of
from benches.trust.tables import false_alarms, planted, upper_bound

from dyno.errors import LoadError
from dyno.spec.plan import Options, make_plan
from dyno.spec.read import parse_experiment

ROOT = Path(__file__).parents[3]


def found(effect: float, state: str, ratio: float, **more: object) -> Found:
    given = {
        "key": "k",
        "case": "tpcc",
        "placement": "free",
        "neighbour": "quiet",
        "effect": effect,
        "burn": "spin",
        "what": "w",
        "state": state,
        "ratio": ratio,
        "low": ratio - 0.02,
        "high": ratio + 0.02,
        "truth": 1 + effect,
        "n": 12,
        "elapsed_s": 60.0,
        "spread": 0.012,
        "started": "2026-11-24T12:00:00Z",
        "dyno": "1",
    }
    return Found(**(given | more))  # type: ignore[arg-type]


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_each_case_is_an_experiment(case: Case, placement: str) -> None:
    text = experiment(case, placement, planted=True, last=12)
    plan = make_plan(parse_experiment(tomllib.loads(text), source="x"), Options(), name="x")
    assert [str(arm.server) for arm in plan.arms] == ["trust-plain", "trust-slow"]
    assert plan.looks[0] == 8
    text = experiment(case, placement, planted=False, last=2)
    plan = make_plan(parse_experiment(tomllib.loads(text), source="x"), Options(), name="x")
    assert plan.looks == [2]
    assert [c for c in plan.comparisons if c.primary]


def test_every_round_tries_everything_once() -> None:
    every = list(sessions())
    assert len({s.key for s in every}) == len(every)
    equal = [s for s in every if not s.effect]
    assert {(s.case, s.placement) for s in equal} == {
        (c.name, p) for c in CASES.values() for p in c.placements
    }
    assert {p for c in CASES.values() for p in c.placements} == set(PLACEMENTS)
    assert {s.neighbour for s in equal} == {"quiet", "bursts"}
    assert {s.effect for s in every} == {0.0, 0.005, 0.01, 0.02, 0.05, 0.20, 0.5}
    assert {s.effect for s in every if s.burn == "cpu"} == {0.5}
    assert [s.number for s in every] == sorted(s.number for s in every)
    assert {s.last for s in every} == {12, 40}


def test_only_what_is_chosen_is_tried() -> None:
    chosen = list(sessions(["read_write"], ["split"]))
    assert {(s.case, s.placement) for s in chosen} == {("read_write", "split")}
    assert [s.effect for s in chosen if s.effect] == [0.05, 0.02, 0.20, 0.05]
    assert [s.neighbour for s in chosen if not s.effect] == ["quiet", "quiet", "bursts"] * 2
    assert {s.burn for s in sessions(["point_select"], ["split"])} == {"spin"}
    small = list(sessions(["sliced_point_select_2"], ["free"], [0.05, 0.02]))
    assert [s.effect for s in small] == [0.05, 0.02, 0.05]


def test_slices_are_tried_where_the_kernel_places_the_threads() -> None:
    assert not list(sessions(["sliced_point_select_2"], ["split"]))
    few = list(sessions(["sliced_point_select_2"]))
    assert [s.effect for s in few] == [0.0, 0.05, 0.02, 0.20, 0.05]


def test_ratios_are_of_times_whatever_was_compared() -> None:
    compared = {"ratio": 0.8, "ratio_low": 0.5, "ratio_high": 1.0, "numerator_op": "q"}
    rate = compared | {"metric": "throughput", "point_label": "4 connections"}
    assert as_times(rate) == (1.25, 1.0, 2.0)
    assert what_of(rate) == "throughput, 4 connections"
    time = compared | {"metric": "time", "point_label": ""}
    assert as_times(time) == (0.8, 0.5, 1.0)
    assert what_of(time) == "q"


def test_a_burn_follows_in_proportion() -> None:
    first = Slope(ns_per_ns=2.0, baseline_ns=1e6)
    now = {"a": 2e6, "b": 1.0}
    large = Session("tpcc", "free", "quiet", 0.05, "spin", 0)
    assert burn_for(large, {"a": first, "b": Slope(1.0, 1.0)}, now) == Burn(50_000)
    small = Session("tpcc", "free", "quiet", 0.005, "sleep", 0)
    assert burn_for(small, {"a": first}, now) == Burn(5_000, asleep=True)
    assert burn_for(Session("tpcc", "free", "quiet", 0, "spin", 0), {}, {}) == Burn()
    fewer = burn_for(Session("tpcc", "free", "quiet", 0.5, "cpu", 0), {}, {})
    assert fewer == Burn(cpu=min(os.sched_getaffinity(0)))


def test_a_calibration_is_shared_with_the_longer_case_of_the_same_load(tmp_path: Path) -> None:
    shorter, longer = (CASES[f"sliced_{more}read_write_2"] for more in ("", "220_"))
    assert longer.like == shorter.name
    measured = {"throughput, 2 connections": Slope(ns_per_ns=20.0, baseline_ns=4e5)}
    file = tmp_path / f"slopes-{shorter.name}-free-spin.json"
    file.write_text(json.dumps({what: asdict(slope) for what, slope in measured.items()}))
    for case in (shorter, longer):
        session = Session(case.name, "free", "quiet", 0.05, "spin", 0)
        assert slopes(session, tmp_path) == measured


def test_a_sleep_is_as_long_as_the_server_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNO_HOME", str(tmp_path))
    counts = tmp_path / "servers" / SLOW / COUNTS
    counts.parent.mkdir(parents=True)
    counts.write_bytes(TWO_LONGS.pack(4, 1000))
    assert taken_ns(Burn(200, asleep=True)) == 250
    assert taken_ns(Burn(200)) == 200
    counts.write_bytes(TWO_LONGS.pack(0, 0))
    with pytest.raises(LoadError, match="counted none of its sleeps"):
        taken_ns(Burn(200, asleep=True))


def test_the_baselines_op_is_in_nanoseconds_whatever_was_compared() -> None:
    compared = {"denominator_arm": "one", "denominator_op": "q", "point": 1}
    keys = {"arm": "one", "op": "q", "point": 1}
    findings = {
        "times": [{"arm": "one", "op": "q", "median_s": 0.5}, {"arm": "b", "op": "q"}],
        "figures": [
            keys | {"metric": "throughput", "unit": "ops/s", "median": 50.0},
            keys | {"metric": "new_orders_per_min", "unit": "new orders/min", "median": 60.0},
            keys | {"metric": "throughput", "point": 0},
        ],
        "tasks": {"tasks": [{"task": "q", "arm": "one", "point": 1, "median_s": 2.0}]},
    }
    assert {
        metric: baseline_ns(findings, compared | {"metric": metric})
        for metric in ("time", "throughput", "new_orders_per_min", "task_time")
    } == {"time": 5e8, "throughput": 2e7, "new_orders_per_min": 1e9, "task_time": 2e9}


def test_equal_arms_that_differ_are_counted() -> None:
    equal = [found(0, "different", 1.1), *[found(0, "undecided", 1.0)] * 19]
    table = false_alarms([*equal, found(0.05, "different", 1)])
    assert "| tpcc | free | quiet | 20 | 1 (5.0%) | 21.6% | 12 | 1.2 % (1.2 to 1.2) |" in table
    assert "| all |" in table


def test_planted_effects_are_counted_by_side_and_cover() -> None:
    table = planted(
        [
            found(0.05, "different", 1.05),
            found(0.05, "different", 0.9),
            found(0.05, "undecided", 1.06),
            found(0.05, "different", 1.2, truth=None),
        ]
    )
    (line,) = [line for line in table.splitlines() if line.startswith("| 5 %")]
    assert line == "| 5 %, spin | tpcc | free | quiet | 4 | 3 | 1 | 2 of 3 | 12 | 1.0 min |"


def test_the_bound_is_clopper_pearsons() -> None:
    assert upper_bound(0, 59) == pytest.approx(0.0495, abs=1e-3)
    assert upper_bound(3, 3) == 1.0


def test_what_was_being_written_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "sessions.ndjson"
    assert read(file) == []
    line = json.dumps(asdict(found(0, "different", 1.1)))
    file.write_text(f"{line}\n{line[:20]}")
    assert [f.state for f in read(file)] == ["different"]


def test_the_page_shows_what_is_on_record() -> None:
    page = (ROOT / "docs" / "concepts" / "trust.md").read_text()
    on_record = read(ROOT / "benches" / "trust" / "found" / "sessions.ndjson")
    assert false_alarms(on_record) in page
    assert planted(on_record) in page
