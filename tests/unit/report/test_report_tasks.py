"""The report's part on maintenance: the same words and figures in every form, none for others."""

from __future__ import annotations

from typing import Any

import load_fixtures as loads
import pytest
import vega_lite
from html_reading import read_html
from pages import forms_of, page_of
from task_runs import CHECKPOINT, COLUMN, INDEX, REFUSED, task_run

from dyno.analysis import find
from dyno.analysis.model import Findings
from dyno.report import Chart, charts, render_html, render_markdown
from dyno.report.sections import tasks
from dyno.report.sheets import Cell, Sheet

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return find(task_run(tmp_path_factory.mktemp("run")))


@pytest.fixture(scope="module")
def page(run: Findings) -> str:
    return render_html(run)


def row(sheet: Sheet, section: str, name: str) -> list[Cell]:
    (found,) = [s for s in sheet.groups if s.title == section]
    (cells,) = [r.cells for r in found.rows if r.name == name]
    return cells


def named(findings: Findings, name: str) -> Chart:
    (found,) = [chart for chart in charts(findings) if chart.name == name]
    return found


def values_in(spec: Any, key: str) -> list[dict[str, Any]]:
    """All values of a document, of every view and layer, that have `key`."""
    if isinstance(spec, list):
        return [value for part in spec for value in values_in(part, key)]
    if not isinstance(spec, dict):
        return []
    here = spec["values"] if isinstance(spec.get("values"), list) else []
    found = [v for v in here if isinstance(v, dict) and key in v]
    return found + [v for inner in spec.values() for v in values_in(inner, key)]


def test_every_form_says_the_same(run: Findings, page: str) -> None:
    forms = forms_of(run, page)
    for name, form in forms.items():
        assert "3 tasks, done 18 times over all arms: 15 finished, 3 failed." in form, name
        assert f"Add a column failed on 3 of 3 trials of b: 1799 {REFUSED}" in form, name
        assert "add an index, a: 4.10 s (" in form, name
        assert "the load beside it kept 60 % of its throughput (60 % to 60 %)" in form, name
        assert "at the longest 400 ms without an op" in form, name
        assert "its row log was at most 40 % full" in form, name
        assert "up to 40 points behind the truth" in form, name
    for name in ("html", "markdown"):
        assert tasks.TITLE in forms[name], name
        assert "MySQL 5.6.24 doesn't report its progress" in forms[name], name
        assert "ALTER TABLE sbtest1 ADD INDEX k2 (k)" in forms[name], name
        assert "Innodb_defragment_count" in forms[name], name


def test_a_failed_task_has_no_time_and_is_marked(run: Findings) -> None:
    made = tasks.times(run)
    titles = [column.title for column in made.columns]
    cells = dict(zip(titles, row(made, COLUMN, "b"), strict=True))
    assert cells["Time"].missing == tasks.NO_END
    assert cells["Finished"].text == "0 of 3"
    assert cells["Finished"].below == "3 failed: 1799"
    assert cells["Finished"].warn
    assert cells["Row log, most"].text == "99.5 %"
    assert cells["n"].warn
    fine = dict(zip(titles, row(made, INDEX, "a"), strict=True))
    assert (fine["Time"].text, fine["Finished"].text) == ("4.10 s", "3 of 3")
    assert not fine["Finished"].warn
    assert (fine["On disk after"].text, fine["On disk after"].below) == ("2.9 KiB", "from 2.0 KiB")


def test_the_load_beside_is_shown_before_during_and_after(run: Findings) -> None:
    made = tasks.loads_around(run)
    assert {section.title for section in made.groups} == {INDEX, COLUMN}, "not the one alone"
    titles = [column.title for column in made.columns]
    cells = dict(zip(titles, row(made, INDEX, "b"), strict=True))
    assert (cells["Before, ops/s"].text, cells["During"].text) == ("1,000", "276.0")
    assert cells["Kept"].text == "28 %"
    assert (cells["Without an op"].text, cells["Without an op"].below) == ("400 ms", "before 0 s")
    assert (cells["95 % before"].text, cells["95 % before"].below) == ("9.14 ms", "99 %: 9.84 ms")
    assert cells["95 % during"].below == "", "4,140 ops don't tell a 99th percentile"
    failed = dict(zip(titles, row(made, COLUMN, "b"), strict=True))
    assert failed["During"].below == "until it failed"


def test_progress_is_shown_with_its_worst_error(run: Findings) -> None:
    made = tasks.progress(run)
    cells = row(made, INDEX, "a")
    assert [cell.text for cell in cells] == [
        "Innodb_onlineddl_pct_progress",
        "−40.0",
        "30.0",
        "2.67 s",
        "0.0",
        "3",
    ]
    assert cells[-1].below == "20 samples or more"
    assert cells[1].below == "reported 20 % at 60 % of the time"
    silent = row(made, INDEX, "b")
    assert {cell.missing for cell in silent[:5]} == {"MySQL 5.6.24 doesn't report its progress"}
    assert tasks.untold(run) == [
        "How far it was is unavailable on b (add an index): "
        "MySQL 5.6.24 doesn't report its progress."
    ]


def test_what_several_arms_lack_is_named_once(run: Findings) -> None:
    whole = tasks.of(run)
    (silent,) = [r for r in whole.tasks if r.task == INDEX and r.arm == "b"]
    again = silent.model_copy(update={"arm": "c", "task": COLUMN})
    more = whole.model_copy(update={"tasks": [*whole.tasks, again]})
    assert tasks.untold(run.model_copy(update={"tasks": more})) == [
        "How far it was is unavailable on b, c (add an index, add a column): "
        "MySQL 5.6.24 doesn't report its progress."
    ]


def test_compared_tasks_come_first(run: Findings) -> None:
    assert tasks.of(run).tasks[0].task == CHECKPOINT
    shown = list(tasks.lines(run))
    assert [line.partition(",")[0] for line in shown[-2:]] == [CHECKPOINT] * 2
    assert shown[0].startswith(f"{INDEX}, a: ")


def test_pictures_are_valid_and_show_the_spans(run: Findings) -> None:
    for name in ("beside-tasks", "progress"):
        for spec in (named(run, name).spec, named(run, name).narrow):
            vega_lite.validate(spec)
        assert "better" in named(run, name).caption
        assert named(run, name).svg().startswith("<svg")
    spans = values_in(named(run, "beside-tasks").spec, "begin_s")
    assert {(s["begin_s"], s["end_s"], s["words"]) for s in spans} == {
        (5.0, 9.1, "add an index: 4.1 s"),
        (5.0, 10.0, "add an index: 5 s"),
        (13.0, 15.0, "add a column: 2 s"),
        (13.0, 15.0, "add a column: 2 s, failed"),
    }
    seconds = values_in(named(run, "beside-tasks").spec, "ops_per_s")
    assert {(v["t_s"], v["ops_per_s"]) for v in seconds if v["arm"] == "a"} >= {(8.0, 600.0)}
    lines = values_in(named(run, "progress").spec, "reported_pct")
    assert {line["arm"] for line in lines} == {"a"}
    titles = [p["title"]["text"] for p in named(run, "progress").spec["vconcat"][1]["concat"]]
    assert titles == [INDEX, COLUMN]


def test_comparisons_name_their_task(page: str) -> None:
    said = " ".join(read_html(page).text.split())
    assert "add an index, Task time, 4 connections" in said


def test_other_runs_have_no_such_part() -> None:
    findings = loads.torso()
    assert tasks.TITLE not in render_markdown(findings)
    assert 'id="tasks"' not in page_of(loads.torso)
    assert "beside-tasks" not in {chart.name for chart in charts(findings)}
    with pytest.raises(ValueError, match="a run without tasks"):
        tasks.times(findings)
