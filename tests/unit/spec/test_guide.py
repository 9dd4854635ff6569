"""The load example of the guide is an experiment, once it has a title and arms."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from textwrap import dedent

from dyno.spec.plan import Options, make_plan
from dyno.spec.read import parse_experiment

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "write-an-experiment.md"
ARMS = """
title = "T"
question = "Q?"
[[arm]]
name = "old"
baseline = true
server = "mysql-5.6.24"
[[arm]]
name = "new"
server = "mariadb-10.1.8"
"""


def test_the_load_of_the_guide_can_be_planned() -> None:
    section = GUIDE.read_text("utf-8").split("### Workload of kind oltp")[1]
    block = re.search(r"(?:^    .*\n|^\n)+", section[section.index("    [workload]") :], re.M)
    assert block is not None
    experiment = parse_experiment(tomllib.loads(ARMS + dedent(block[0])), source="guide")
    plan = make_plan(experiment, Options(), name="guide")
    assert [point.connections for point in plan.points] == [1, 4, 16, 64]
    assert len(plan.claims) == 4
