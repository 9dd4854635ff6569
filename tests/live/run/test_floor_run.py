"""A run with a floor: the engine's share and the tables' sizes come from real servers."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest
from floored import floored_run
from small_run import Bench


@pytest.fixture(scope="module")
def floored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, dict[str, Any]]:
    """The run and its findings."""
    return floored_run(tmp_path_factory.mktemp("floor"))


def test_the_engine_is_what_the_floor_does_not_take(
    floored: tuple[Bench, dict[str, Any]],
) -> None:
    bench, findings = floored
    costs = {(c["arm"], c["quantity"]): c for c in findings["engine_costs"]}
    assert set(costs) == {
        (arm, quantity)
        for arm in ("MyISAM", "Archive", "InnoDB")
        for quantity in ("time", "server_cpu")
    }
    measured_us = {
        arm: median(cpu_us_per_insert(t) for t in bench.all_trials() if t["arm"] == arm)
        for arm in ("MyISAM", "Archive", "InnoDB", "Blackhole")
    }
    for (arm, quantity), cost in costs.items():
        assert (cost["n"], cost["floor"]) == (2, "Blackhole")
        assert cost["arm_us"] > 0
        assert cost["floor_us"] > 0
        if quantity == "server_cpu":
            assert cost["arm_us"] == pytest.approx(measured_us[arm])
            assert cost["floor_us"] == pytest.approx(measured_us["Blackhole"])


def cpu_us_per_insert(trial: dict[str, Any]) -> float:
    """What the server took, by the trial's own file."""
    (ok,) = [p["ok"] for p in trial["summary"]["phases"] if p["phase"] == "measure"]
    cost = trial["phases"]["measure"]
    return 1e6 * (cost["cpu_user_s"] + cost["cpu_system_s"]) / ok


def test_rows_and_bytes_are_those_of_the_tables(floored: tuple[Bench, dict[str, Any]]) -> None:
    bench, findings = floored
    for trial in bench.all_trials():
        (table,) = trial["sizes"]
        measured = [p for p in trial["summary"]["phases"] if p["phase"] in ("warmup", "measure")]
        written = sum(phase["ok"] for phase in measured)
        if trial["arm"] == "Blackhole":
            assert table["rows"] == 0
            assert "file_bytes" not in table
            continue
        assert table["rows"] == 200 + written
        assert table["file_bytes"] > 20 * table["rows"]
    sizes = {size["arm"]: size for size in findings["sizes"]}
    assert set(sizes) == {"MyISAM", "Archive", "InnoDB"}
    assert sizes["Archive"]["bytes_per_row"] < 0.5 * sizes["MyISAM"]["bytes_per_row"]
    assert all(size["by_files"] for size in sizes.values())
