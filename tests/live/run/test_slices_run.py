"""Slices on real servers: both arms' servers are up, and take short turns."""

from __future__ import annotations

import json

import pytest
from small_run import Bench


@pytest.mark.parametrize(("duration", "shown"), [("1s", "1.0 s"), ("500ms", "0.5 s")])
def test_servers_take_turns_while_both_are_up(loads: Bench, duration: str, shown: str) -> None:
    loads.edit("connections = [1, 4]", "connections = [2]")
    loads.edit('duration = "1s"', f'duration = "{duration}"\nslices = 4\ncontrol = false')
    done = loads.dyno("run", "small/experiment.toml")
    assert done.returncode == 0, done.stderr
    trials = loads.all_trials()
    assert len(trials) == 2 * 4 * 2
    for block in (0, 1):
        mine = [trial for trial in trials if trial["block"] == block]
        started = [trial["arm"] for trial in mine if "start" in trial["steps"]]
        assert sorted(started) == ["A", "B"]
        assert [sorted(t["arm"] for t in mine[at : at + 2]) for at in range(0, 8, 2)] == [
            ["A", "B"]
        ] * 4
    findings = json.loads((loads.run_folder() / "findings.json").read_text())
    (ratio,) = [c for c in findings["compared"] if c["metric"] == "throughput"]
    assert ratio["n"] == 2
    page = (loads.run_folder() / "report.html").read_text()
    assert f"4 slices of {shown}" in page
    assert "2 blocks of 4 slices" in done.stdout
    checked = loads.dyno("check", "small/experiment.toml")
    assert "4 slices a block" in checked.stdout
