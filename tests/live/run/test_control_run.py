"""The control arm on real servers: it is measured, compared, drawn, and costs what an arm costs."""

from __future__ import annotations

import json

from small_run import Bench


def test_a_second_copy_of_the_baseline_runs_in_each_block(loads: Bench) -> None:
    done = loads.dyno("run", "small/experiment.toml", "--control")
    assert done.returncode == 0, done.stderr
    trials = loads.all_trials()
    for block in (0, 1):
        for point in (0, 1):
            arms = [t["arm"] for t in trials if (t["block"], t["point"]) == (block, point)]
            assert sorted(arms) == ["A", "B", "control"]
    assert all(trial["status"] == "ok" for trial in trials)
    # It is the baseline's server, with the baseline's settings and not those of B.
    read = {t["arm"]: t["server"]["fingerprint"] for t in trials}
    assert read["control"] == read["A"]
    findings = json.loads((loads.run_folder() / "findings.json").read_text())
    control = findings["control"]
    assert (control["arm"], control["of"]) == ("control", "A")
    compared = {(c["metric"], c["point"]) for c in findings["compared"] if c["n"]}
    assert {(c["metric"], c["point"]) for c in control["compared"]} == compared
    assert all(c["n"] == 2 for c in control["compared"])
    assert not any(
        "control" in (c["numerator_arm"], c["denominator_arm"]) for c in findings["compared"]
    )
    page = (loads.run_folder() / "report.html").read_text()
    assert "second copy of" in page


def test_the_plan_names_it_and_what_it_costs(loads: Bench) -> None:
    plain = json.loads(loads.dyno("check", "small/experiment.toml", "--json").stdout)
    assert plain["control"] is None
    done = loads.dyno("check", "small/experiment.toml", "--control")
    assert done.returncode == 0, done.stderr
    assert "control (copy of A)" in done.stdout
    assert "6 trials a block" in done.stdout
