"""What an op costs more on an arm: planted costs in, ratios with intervals and a sentence out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from load_runs import at_rate, load_run, plan

from dyno.analysis import find
from dyno.analysis.model import Findings
from dyno.store.trial import Trial

pytestmark = pytest.mark.slow


def three_syncs(trial: Trial) -> Trial:
    """On b an op takes three fsyncs, on a it takes one."""
    if trial.arm != "b":
        return trial
    status = trial.status_by_phase["measure"]
    more = {"measure": status | {"Innodb_data_fsyncs": 3 * status["Innodb_data_fsyncs"]}}
    return trial.model_copy(update={"status_by_phase": more})


def found(path: Path, blocks: int) -> Findings:
    """Trials take 10 s of CPU each: for b's fewer ops that is a quarter more an op."""
    rate = at_rate(lambda arm, point: 1000.0 if arm == "a" else 800.0)
    state = "complete" if blocks >= 8 else "running"
    return find(load_run(path, rate, blocks=blocks, plan=plan(), change=three_syncs, state=state))


def test_planted_costs_are_found_with_their_intervals(tmp_path: Path) -> None:
    findings = found(tmp_path, 8)
    ratios = {c.cost: c.ratio for c in findings.cost_changes if (c.arm, c.point) == ("b", 0)}
    for cost, planted in {"server_cpu_us_per_op": 1.25, "fsyncs_per_op": 3.0}.items():
        ratio = ratios[cost]
        assert ratio is not None
        assert ratio.interval is not None
        assert ratio.value == pytest.approx(planted, rel=0.01)
        assert ratio.interval[0] <= ratio.value <= ratio.interval[1]
    assert "read_kb_per_op" not in ratios  # 0 on both: no ratio.
    (said,) = findings.why
    assert said.startswith(
        "Against a, an op on b takes 3 times the fsyncs (3 to 3 times), 25 % more"
    )
    assert "context switches" not in said
    assert re.search(r", at \d+ connections, over 8 blocks\.$", said)


def test_before_the_first_look_nothing_is_said(tmp_path: Path) -> None:
    findings = found(tmp_path, 3)
    assert {c.ratio for c in findings.cost_changes} == {None}
    assert findings.why == []
