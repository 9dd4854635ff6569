"""Bundled experiments: what they ask for can be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyno.spec.choose import Options
from dyno.spec.cost import estimate
from dyno.spec.experiment import Experiment
from dyno.spec.plan import make_plan
from dyno.spec.read import read_any

ROOT = Path(__file__).parents[3]
FOLDERS = sorted(path.parent for path in ROOT.glob("experiments/*/experiment.toml"))
MEASURED = {
    folder.name: found for folder in FOLDERS if isinstance(found := read_any(folder), Experiment)
}


@pytest.mark.parametrize("quick", [False, True], ids=["in full", "quick"])
@pytest.mark.parametrize("name", MEASURED)
def test_the_budget_holds_the_first_look(name: str, quick: bool) -> None:
    plan = make_plan(MEASURED[name], Options(quick=quick), name=name)
    assert estimate(plan).first_look_s < plan.protocol.budget


@pytest.mark.parametrize("name", MEASURED)
def test_the_quick_form_takes_less_than_ten_minutes(name: str) -> None:
    plan = make_plan(MEASURED[name], Options(quick=True), name=name)
    assert estimate(plan).last_look_s < 600
