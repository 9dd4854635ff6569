"""Searches in the report's part on maintenance: the same words and figures in every form."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import forms_of
from search_runs import (
    LEAST,
    always_failed,
    by_arm,
    found,
    killed,
    never_failed,
    search_run,
)
from task_runs import INDEX

from dyno.analysis.model import Findings
from dyno.analysis.tasks.model import TaskSearch
from dyno.report import render_html
from dyno.report.sections import searches, tasks
from dyno.report.sheets import Cell
from dyno.stats import Estimate
from dyno.store.trial import TaskRun

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return search_run(tmp_path_factory.mktemp("run"))


def row(findings: Findings, arm: str) -> dict[str, Cell]:
    made = tasks.searched(findings)
    (section,) = made.groups
    assert section.title == LEAST
    (cells,) = [r.cells for r in section.rows if r.name == arm]
    return dict(zip((column.title for column in made.columns), cells, strict=True))


def test_every_form_says_the_same(run: Findings) -> None:
    forms = forms_of(run, render_html(run))
    for name, form in forms.items():
        assert "least log, a: innodb_online_alter_log_max_size needs 2.0 MiB (" in form, name
        assert "MiB, 3 blocks); 6 failed attempts took 1.00 s in the median" in form, name
        assert "1.2 times the time of those that succeeded." in form, name
        assert "4 tasks, done 24 times over all arms: 21 finished, 3 failed." in form, name
    for name in ("html", "markdown"):
        assert searches.TITLE in forms[name], name
        assert "SET GLOBAL innodb_online_alter_log_max_size = …; ALTER TABLE" in forms[name], name


def test_the_table_has_the_value_and_what_it_cost(run: Findings) -> None:
    cells = row(run, "b")
    assert (cells["Least value"].text, cells["Least value"].warn) == ("3.0 MiB", False)
    assert cells["Least value"].below.endswith("MiB")
    assert cells["Lowest to highest"].text == "1.5 MiB to 6.0 MiB"
    assert (cells["Answered"].text, cells["Attempts"].text) == ("3 of 3", "4")
    assert cells["A failure took"].text == "1.00 s"
    assert cells["A failure took"].below == "1.2 times the 800 ms of the others"
    assert (cells["Failed with"].text, cells["Failed with"].below) == ("6", "1799: 6")
    assert cells["n"].text == "3"


def test_a_search_is_in_no_table_of_times_or_loads(run: Findings) -> None:
    for made in (tasks.times(run), tasks.loads_around(run), tasks.progress(run)):
        titles = [section.title for section in made.groups]
        assert INDEX in titles
        assert LEAST not in titles
    assert not any(LEAST in line for line in tasks.untold(run))


@pytest.mark.parametrize(
    ("ended", "words", "answered"),
    [
        (never_failed(), "never failed, down to 64.0 KiB", "3 of 3"),
        (always_failed(), "always failed, up to 64.0 MiB", "0 of 3"),
        (killed(), "", "0 of 3"),
    ],
    ids=["never", "always", "killed"],
)
def test_bounds_are_given_in_words(
    tmp_path: Path, ended: TaskRun, words: str, answered: str
) -> None:
    made = search_run(tmp_path, lambda arm, block: by_arm(arm, block) if arm == "a" else ended)
    cells = row(made, "b")
    least = cells["Least value"]
    assert (least.text, least.missing) == ((words, "") if words else ("—", searches.NO_ANSWER))
    assert least.warn == bool(words)
    assert cells["Lowest to highest"].missing == searches.NO_ANSWER
    assert cells["Answered"].text == answered
    (line,) = [line for line in tasks.lines(made) if line.startswith(f"{LEAST}, b: ")]
    assert (words or searches.NO_ANSWER) in line


def test_trials_that_only_bound_it_are_counted(tmp_path: Path) -> None:
    ends = (found(1_048_576), never_failed(), always_failed())
    cells = row(search_run(tmp_path, lambda arm, block: ends[block % 3]), "a")
    assert cells["Least value"].text == "1.0 MiB"
    assert cells["Least value"].below == "1 trial never failed, 1 trial always failed"
    assert cells["Least value"].warn


def test_what_is_not_a_size_is_a_plain_number() -> None:
    plain = TaskSearch(
        variable="innodb_io_capacity",
        in_bytes=False,
        tried_from=100,
        tried_to=20_000,
        within=0.25,
        n=1,
        never_failed=0,
        always_failed=0,
        least=Estimate(1500.0),
        least_min=1500.0,
        least_max=1500.0,
        blocks=[(0, 1500.0)],
        attempts=4.0,
        failed=0,
        failed_codes={},
        failed_s=None,
        ended=4,
        ended_s=1.0,
    )
    assert searches.said(plain) == "innodb_io_capacity needs 1,500 (1 block)"
    assert searches.cells(plain, answered=Cell("1 of 1"))[4].missing == searches.NO_FAILURE
