"""What stands beside a figure or the answer: a busy host, few blocks, blocks that no run has."""

from __future__ import annotations

from typing import Any

import load_fixtures as loads
import pytest
import report_fixtures as fixtures
from pages import forms_of

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.model import Findings
from dyno.report import load, render_html, view
from dyno.stats import Estimate

BUSY = "load average 3.1 before start: something else runs, or has just run"
GUEST = "the host is a virtual machine: other guests can take CPU and disk from it"


def with_checks(*checks: Fairness) -> Findings:
    return loads.single().model_copy(update={"fairness": list(checks)})


def host(*details: str) -> Fairness:
    says = "The host was not at its best."
    return Fairness(name="host", check="warning", says=says, details=list(details))


def test_a_busy_host_is_named_beside_the_answer_in_every_form() -> None:
    run = with_checks(host(GUEST, BUSY))
    said = f"The host may have contributed: {BUSY}."
    assert view.cautions(run) == [said]
    for form, words in forms_of(run, render_html(run)).items():
        answer = words.index(run.answer[0])
        assert answer < words.index(said) < words.index(view.run_facts(run)[0], answer), form


def test_stalls_of_the_host_and_its_floor_count_as_well() -> None:
    late = Fairness(name="stalls of the load host", check="warning", says="3 stalls were its own.")
    fine = Fairness(name="A/A floor", check="ok", says="This host shows 0.1 %.")
    said = "The host may have contributed: 3 stalls were its own."
    assert view.cautions(with_checks(late, fine)) == [said]


def test_what_is_always_so_is_no_caution() -> None:
    assert view.cautions(with_checks(host(GUEST))) == []


def few_p99(run: Findings) -> Findings:
    """The first arm's p99 is of its first two blocks."""
    first = next(f for f in run.figures if f.metric == "p99")
    fewer = first.model_copy(
        update={"n": 2, "blocks": first.blocks[:2], "median": Estimate(first.median.value)}
    )
    return run.model_copy(update={"figures": [fewer if f is first else f for f in run.figures]})


def test_a_percentile_of_few_blocks_is_no_figure() -> None:
    """Those blocks are the fast ones: their p99 could lie below the p95 of all."""
    run = loads.sweep()
    before = [c for g in load.figures(run).groups for r in g.rows for c in r.cells]
    assert not any("enough ops" in cell.missing for cell in before)
    n = max(f.n for f in run.figures)
    sheet = load.figures(few_p99(run))
    place = [column.title for column in sheet.columns].index("p99 latency")
    absent = [r.cells[place].missing for g in sheet.groups for r in g.rows]
    assert [why for why in absent if why] == [f"only 2 of {n} blocks have enough ops"]
    assert len(load.of_all_blocks(few_p99(run))) == len(run.figures) - 1


@pytest.mark.parametrize(
    ("most", "words"),
    [
        (None, "; about 40 blocks would be needed"),
        (60, "; about 40 blocks would be needed"),
        (12, "; not with this spread: a run has 12 blocks at most"),
    ],
)
def test_blocks_that_no_run_has_are_not_asked_for(most: int | None, words: str) -> None:
    made: dict[str, Any] = {"most_blocks": most}
    run = fixtures.rich()
    run = run.model_copy(update={"run": run.run.model_copy(update=made)})
    (claim,) = [claim for claim in run.claims if claim.needed_blocks == 40]
    assert view.why(run, claim) == claim.why + words
