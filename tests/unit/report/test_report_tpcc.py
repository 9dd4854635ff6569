"""The report's part on `tpcc`: the same words and figures in every form, none for other runs."""

from __future__ import annotations

import io

import load_fixtures as loads
import pytest
from html_reading import read_html
from rich.console import Console
from tpcc_runs import COUNTERS, PACED, PER_S, SWEEP, plan, tpcc_run

from dyno.analysis import find
from dyno.analysis.model import Findings
from dyno.report import render_html, render_markdown, render_terminal
from dyno.report.charts import charts
from dyno.report.sections import tpcc
from dyno.report.sheets import Cell, Sheet

pytestmark = pytest.mark.slow


def b_skips(arm: str) -> dict[str, int]:
    """Arm b finds no order in one of five districts, and looks for names too seldom."""
    more = {"delivered_orders": 1600, "skipped_deliveries": 400, "payments_by_name": 800}
    return COUNTERS | (more if arm == "b" else {})


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    folder = tpcc_run(tmp_path_factory.mktemp("swept"), plan(SWEEP), blocks=3, counters=b_skips)
    return find(folder)


@pytest.fixture(scope="module")
def paced(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    per_s = {op: 10 for op in PER_S}
    few = {name: 0 for name in COUNTERS} | {"order_lines": 4000, "delivered_orders": 2000}
    few |= {"deliveries_queued": 200, "deliveries_in_time": 170}
    folder = tpcc_run(
        tmp_path_factory.mktemp("paced"),
        plan(PACED),
        blocks=1,
        per_s=lambda arm, point: per_s,
        ms={"payment": 6000.0},
        counters=lambda arm: few,
    )
    return find(folder)


def cells(sheet: Sheet, section: int, row: int) -> list[Cell]:
    return sheet.groups[section].rows[row].cells


def test_a_point_takes_one_line(swept: Findings) -> None:
    made = tpcc.orders(swept)
    assert [s.title for s in made.groups] == ["4 connections", "8 connections"]
    orders, without, each, retries, failed, skipped, before, after, trials = cells(made, 0, 0)
    assert (orders.text, orders.below) == ("6,000", "6,000 to 6,000")
    assert without.text == "5,940"
    assert (each.text, each.below) == ("3,000", "")
    assert (retries.text, retries.below) == ("6", "1213: 6")
    assert (failed.text, failed.warn) == ("0", False)
    assert (skipped.text, skipped.below, skipped.warn) == ("0.50 %", "30 districts", False)
    assert (before.text, after.text) == ("95.4 MiB", "114.4 MiB")
    assert trials.text == "3"
    assert cells(made, 0, 1)[5].warn, "20 % skipped"


def test_queued_deliveries_are_held_to_their_80_s(paced: Findings) -> None:
    skipped = cells(tpcc.orders(paced), 0, 0)[5]
    assert (skipped.text, skipped.warn) == ("0 %", True)
    assert skipped.below == "0 districts; 170 of 200 queued executed within 80 s"
    assert any("170 of 200 queued" in problem for problem in tpcc.wrong(paced))


def test_paced_shows_its_bounds(paced: Findings) -> None:
    each = cells(tpcc.orders(paced), 0, 0)[2]
    # 20 new orders a second are 1,200 a minute of the one warehouse.
    assert each.text == "1,200"
    assert each.below == "9,300 % of 12.86"
    made = tpcc.types(paced)
    limits = [row.cells[-1] for row in made.groups[0].rows]
    assert made.columns[-1].title == "Limit of 90 %"
    assert [(c.text, c.below) for c in limits] == [
        ("5 s", "kept"), ("5 s", "missed"), ("5 s", "kept"), ("5 s", "kept"), ("20 s", "kept")
    ]  # fmt: skip
    assert limits[1].warn


def test_unpaced_has_no_limits(swept: Findings) -> None:
    titles = [c.title for c in tpcc.types(swept).columns]
    assert titles == ["Ops", "Mean", "50 %", "90 %", "95 %", "99 %", "max"]


def audited(sheet: Sheet, section: str, figure: str) -> list[Cell]:
    (found,) = [s for s in sheet.groups if s.title == section]
    (row,) = [row for row in found.rows if row.name == figure]
    return row.cells


def test_ranges_say_how_sure_they_are(swept: Findings) -> None:
    made = tpcc.audit(swept)
    together = ["all points together, a", "all points together, b"]
    assert [s.title for s in made.groups] == together
    assert [s.title for s in tpcc.audit(swept, all_points=True).groups][2:] == [
        "4 connections, a",
        "4 connections, b",
        "8 connections, a",
        "8 connections, b",
    ]
    assert [row.cells[2].text for row in made.groups[0].rows] == [
        "0.9 to 1.1 %", "0.95 to 1.05 %", "9.5 to 10.5", "14 to 16 %", "57 to 63 %", "57 to 63 %"
    ]  # fmt: skip
    seen, sure, _, n, state = audited(made, together[0], "by name among payments")
    # 60 % of 12,000, give or take 2.576 x sqrt(0.24 / 12,000) = 1.15 %.
    assert (seen.text, sure.text) == ("60.0 %", "58.8 to 61.1 %")
    assert (n.text, state.text, state.warn) == ("12,000", "in range", False)
    seen, _, _, _, state = audited(made, together[1], "by name among payments")
    assert (seen.text, state.text, state.warn) == ("40.0 %", "out of range", True)
    rollbacks = audited(made, together[0], "rollbacks among new orders")
    assert rollbacks[-1].text == "too few to say"
    lines = audited(made, together[0], "lines of an order")
    assert (lines[0].text, lines[1].text) == ("10.0", "9.93 to 10.1")


def test_one_warehouse_has_nothing_remote(paced: Findings) -> None:
    remote = audited(tpcc.audit(paced), "10 connections, a", "remote among payments")
    assert remote[0].missing == "with one warehouse nothing is remote"
    assert remote[-1].text == "not applicable"


def test_what_is_out_of_bounds_comes_first(swept: Findings, paced: Findings) -> None:
    said = list(tpcc.wrong(swept))
    assert "b: by name among payments: 40.0 %, not 57 to 63 %" in said
    assert "b, 4 connections: deliveries skip 20 % of the districts" in said
    assert not any(line.startswith("a") for line in said)
    missed = "a, 10 connections: Payment misses its limit of 5 s for nine in ten"
    assert missed in list(tpcc.wrong(paced))


def test_every_form_says_the_same(swept: Findings) -> None:
    console = Console(file=io.StringIO(), width=120, no_color=True, highlight=False)
    console.print(render_terminal(swept))
    assert isinstance(console.file, io.StringIO)
    forms = {
        "html": " ".join(read_html(render_html(swept)).text.split()),
        "markdown": render_markdown(swept),
        "terminal": console.file.getvalue(),
    }
    for name, form in forms.items():
        assert "TPC-C-like, unaudited: 2 warehouses, mode unpaced." in form, name
        assert "new orders/min" in form, name
        assert "deliveries skip 20 % of the districts" in form, name
        assert "tpmC" not in form, name
    for name in ("html", "markdown"):
        assert "no terminal emulation" in forms[name], name
        assert "Without rollbacks" in forms[name], name


def test_pictures_are_of_new_orders(swept: Findings) -> None:
    first = charts(swept)[0]
    assert first.title == "New orders/min, over connections"
    panels = first.spec["vconcat"][1:]
    assert panels[0]["title"]["text"] == "New orders/min"
    values = panels[0]["data"]["values"]
    assert {round(value["value"]) for value in values} == {6000}
    said = {value["words"] for value in values}
    assert "a, 4 connections: 6,000 new orders/min (6,000 to 6,000), n = 3" in said


def test_other_runs_have_no_such_part() -> None:
    findings = loads.sweep()
    assert "TPC-C" not in render_markdown(findings)
    with pytest.raises(ValueError, match="not a run of tpcc"):
        tpcc.orders(findings)
