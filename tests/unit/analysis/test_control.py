"""What two copies of one server differ by: it bars smaller differences, and can raise an alarm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stored_runs import plan_of, stored_run
from test_find import check_of, noise

from dyno.analysis import LiveJudge, find
from dyno.analysis.model import Findings
from dyno.report import render_html, view
from dyno.store.run import RunFolder

BLOCKS = 12


def run(path: Path, *, b: float, control: float, spread: float = 0.002, **more: Any) -> RunFolder:
    """Arms that need so many times the baseline's time, in each block."""
    times = {"a": 1.0, "b": b, "control": control}
    return stored_run(
        path,
        lambda arm, block: times[arm] * noise(arm, block, spread=spread),
        blocks=BLOCKS,
        plan=plan_of(control=True),
        **more,
    )


def found(folder: RunFolder) -> tuple[Findings, Any]:
    findings = find(folder)
    assert findings.control is not None
    return findings, findings.control


def test_equal_copies_bar_nothing(tmp_path: Path) -> None:
    findings, control = found(run(tmp_path, b=1.05, control=1.0))
    (compared,) = findings.compared
    assert compared.state == "different"
    (of_control,) = control.compared
    assert (of_control.numerator_arm, of_control.denominator_arm) == ("control", "a")
    assert of_control.n == BLOCKS
    assert of_control.state == "equivalent"
    assert (control.alarms, view.alarms(findings)) == ([], [])
    assert check_of(findings, "control arm") == "ok"


def test_what_is_no_larger_than_its_control_is_no_difference(tmp_path: Path) -> None:
    """Without the control the same figures are a difference."""
    plain = stored_run(
        tmp_path / "plain",
        lambda arm, block: (1.05 if arm == "b" else 1) * noise(arm, block, spread=0.002),
        blocks=BLOCKS,
    )
    assert find(plain).compared[0].state == "different"
    findings, _ = found(run(tmp_path, b=1.05, control=0.94))
    (compared,) = findings.compared
    assert compared.state == "precise"
    assert "two copies of one server lie 6" in compared.sentence
    larger, _ = found(run(tmp_path / "larger", b=1.20, control=0.94))
    assert larger.compared[0].state == "different"


def test_the_equivalence_margin_does_not_grow_with_it(tmp_path: Path) -> None:
    """A bad hour must not make servers equal."""
    findings, _ = found(run(tmp_path, b=1.03, control=1.06))
    assert findings.compared[0].state != "equivalent"


def test_copies_that_differ_stand_above_the_answer(tmp_path: Path) -> None:
    findings, control = found(run(tmp_path, b=1.2, control=1.06))
    assert control.alarms == [0]
    assert check_of(findings, "control arm") == "warning"
    (alarm,) = view.alarms(findings)
    assert alarm.startswith(
        "Equal servers came out different here: control is a second copy of a, and q: control "
        "needs 6"
    )
    page = render_html(findings)
    assert page.index("Equal servers came out different") < page.index('class="answer"')


def test_before_the_first_look_nothing_is_known_of_it(tmp_path: Path) -> None:
    folder = stored_run(
        tmp_path, lambda arm, block: 1.0, blocks=3, plan=plan_of(control=True), state="interrupted"
    )
    findings, control = found(folder)
    assert control.compared[0].ratio is None
    assert check_of(findings, "control arm") == "unknown"


def test_the_running_display_shows_it_and_does_not_wait_for_it(tmp_path: Path) -> None:
    """The copies lie far apart in turns: their contrast is never settled."""
    folder = stored_run(
        tmp_path,
        lambda arm, block: (
            {"a": 1.0, "b": 2.0, "control": 1.5 - (block % 2)}[arm]
            * noise(arm, block, spread=0.002)
        ),
        blocks=8,
        plan=plan_of(control=True),
        state="running",
    )
    verdict = LiveJudge(folder)(folder, is_look=True)
    assert any("control / a" in line for line in verdict.lines)
    assert verdict.stop


@pytest.mark.parametrize("ratio", [1.5, 0.97])
def test_a_stored_floor_counts_only_without_a_control(tmp_path: Path, ratio: float) -> None:
    floor = {"run": "x", "ratio": ratio, "low": 0.9, "high": 1.6, "n": 12}
    findings, _ = found(run(tmp_path, b=1.05, control=1.0, host={"floor": floor}))
    assert findings.compared[0].state == "different"
    assert findings.run.delta == pytest.approx(0.01)
    assert not [check for check in findings.fairness if check.name == "A/A floor"]
