"""The report's part on `linkbench`: the same words and figures in every form, none for others."""

from __future__ import annotations

import io
import json

import load_fixtures as loads
import pytest
from html_reading import read_html
from linkbench_runs import COUNTERS, LINKBENCH, SWEEP, linkbench_run, plan
from rich.console import Console

from dyno.analysis import find
from dyno.analysis.model import Findings
from dyno.report import render_html, render_markdown, render_terminal
from dyno.report.charts import charts
from dyno.report.sections import linkbench
from dyno.report.sheets import Cell, Sheet
from dyno.store.trial import Trial

pytestmark = pytest.mark.slow

IDS = "ids of a multiget"


def with_failures(trial: Trial) -> Trial:
    """Arm b has seven ops that failed in each trial, and nobody knows what it wrote."""
    assert trial.summary is not None
    if trial.arm == "a":
        return trial
    (phase,) = trial.summary.phases
    update = {"failed": {"1205": 7}, "scheduled": phase.scheduled + 7}
    summary = trial.summary.model_copy(update={"phases": [phase.model_copy(update=update)]})
    return trial.model_copy(update={"summary": summary, "phases": {}})


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """Arm b's multigets ask for one id less than they should."""
    folder = linkbench_run(
        tmp_path_factory.mktemp("swept"),
        plan(SWEEP),
        counters=lambda arm: COUNTERS | ({"multiget_ids": 262} if arm == "b" else {}),
        change=with_failures,
    )
    return find(folder)


def cells(sheet: Sheet, section: int, row: int) -> list[Cell]:
    return sheet.groups[section].rows[row].cells


def named(sheet: Sheet, section: str, row: str) -> list[Cell]:
    (found,) = [s for s in sheet.groups if s.title == section]
    (cells_of,) = [r.cells for r in found.rows if r.name == row]
    return cells_of


def test_a_point_takes_one_line(swept: Findings) -> None:
    made = linkbench.points(swept)
    assert [s.title for s in made.groups] == ["4 connections", "8 connections"]
    rate, rows, limit, retries, failed, written, size, links, trials = cells(made, 0, 0)
    assert (rate.text, rate.below) == ("1,000", "1,000 to 1,000")
    assert (rows.text, rows.below) == ("8.00", "8.00 to 8.00")
    assert (limit.text, limit.below) == ("0.049 %", "of 30,420")
    assert (retries.text, retries.below) == ("6", "1213: 6")
    assert (failed.text, failed.warn) == ("0", False)
    assert cells(made, 0, 1)[4] == Cell("21", "1205: 21", warn=True)
    assert written.text == "4,000"
    assert cells(made, 0, 1)[5].missing == "unavailable"
    assert (size.text, size.below) == ("1.7 MiB", "from 1.5 MiB")
    assert (links.text, trials.text) == ("16.0", "3")


def test_ops_stand_with_the_profiles_share(swept: Findings) -> None:
    made = linkbench.ops(swept)
    assert [c.title for c in made.columns] == [
        "Ops", "Of all", "Asked", "Mean", "50 %", "95 %", "99 %", "99.9 %", "max"
    ]  # fmt: skip
    lists = named(made, "4 connections, a", "get_links_list")
    assert [c.text for c in lists[:4]] == ["30,420", "50.7 %", "50.7 %", "4.00 ms"]
    assert lists[7].missing == "too few ops for this percentile"
    assert len(made.groups) == 4
    assert all(row.code for section in made.groups for row in section.rows)


def test_what_was_asked_says_how_sure_it_is(swept: Findings) -> None:
    made = linkbench.draws(swept)
    together = ["all points together, a", "all points together, b"]
    assert [s.title for s in made.groups] == together
    assert len(linkbench.draws(swept, all_points=True).groups) == 6
    seen, sure, asked, n, state = named(made, together[0], "get_links_list among all ops")
    assert (seen.text, asked.text, n.text) == ("50.7 %", "50.7 %", "120,000")
    assert sure.text == "50.2 to 51.2 %"
    assert (state.text, state.warn) == ("as asked", False)
    seen, sure, asked, _, state = named(made, together[1], IDS)
    # 600 multigets, give or take 3.39 x 2.06 / sqrt(600).
    assert (seen.text, sure.text, asked.text) == ("2.62", "2.34 to 2.90", "3.62")
    assert (state.text, state.warn) == ("not as asked", True)
    deletes = named(made, together[0], "deletes that found their link")
    assert (deletes[0].text, deletes[2].missing, deletes[4].text) == (
        "25.0 %",
        "the data decide",
        "shown, not judged",
    )
    history = named(made, together[0], "lists that read on from an earlier one")
    assert history[2].text == "at most 0.300 %"


def test_what_is_wrong_comes_first(swept: Findings) -> None:
    said = list(linkbench.wrong(swept))
    assert said == [
        "b: ids of a multiget: 2.62, not 3.62",
        "b, 4 connections: 21 ops failed (1205: 21)",
        "b, 8 connections: 21 ops failed (1205: 21)",
    ]


def test_every_form_says_the_same(swept: Findings) -> None:
    console = Console(file=io.StringIO(), width=120, no_color=True, highlight=False)
    console.print(render_terminal(swept))
    assert isinstance(console.file, io.StringIO)
    forms = {
        "html": " ".join(read_html(render_html(swept)).text.split()),
        "markdown": render_markdown(swept),
        "terminal": " ".join(console.file.getvalue().split()),
    }
    for name, form in forms.items():
        assert "1,000 ids from 1 on, profile fb-as-coded (LinkBench as it is coded" in form, name
        assert "What was drawn: 27 as asked, 1 not as asked." in form, name
        assert "ids of a multiget: 2.62, not 3.62" in form, name
    for name in ("html", "markdown"):
        assert linkbench.TITLE in forms[name], name
        assert "has one connection, where the original has two" in forms[name], name
        assert "Rows of a list" in forms[name], name


def test_the_picture_of_latency_shows_the_ops_that_came_most_often(swept: Findings) -> None:
    (found,) = [chart for chart in charts(swept) if chart.name == "latency"]
    assert "9 of 20 points are drawn of the most frequent ops" in found.caption
    text = json.dumps(found.spec)
    for name in ("get_links_list", "get_node", "add_link", "update_link", "update_node"):
        assert name in text
    assert "multiget_link" not in text


def test_changed_properties_are_listed(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = LINKBENCH.replace(
        "ids = 1000", "ids = 1000\nproperties = { link_datasize = 8, node_datasize = 128 }"
    )
    found = find(linkbench_run(tmp_path_factory.mktemp("changed"), plan(text), blocks=1))
    assert ", 2 properties changed. What was drawn" in linkbench.says(found)


def test_other_runs_have_no_such_part() -> None:
    findings = loads.sweep()
    assert "LinkBench" not in render_markdown(findings)
    assert "Social graph" not in render_html(findings)
    with pytest.raises(ValueError, match="not a run of linkbench"):
        linkbench.points(findings)
