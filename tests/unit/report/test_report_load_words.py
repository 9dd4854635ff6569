"""The words and tables of loads: ways, units, missing figures, and the same in every form."""

from __future__ import annotations

import io
import re

import load_fixtures as loads
import pytest
from html_reading import read_html
from hypothesis import given
from hypothesis import strategies as st
from pages import page_of
from report_fixtures import rich
from rich.console import Console

from dyno.analysis.model import Findings
from dyno.report import counters, load, numbers, render_markdown, render_terminal, view
from dyno.report.forms import terminal_load
from dyno.report.section import Lines, Table
from dyno.report.sections import costs_per_op, generator, profiles
from dyno.report.sheets import Cell, Sheet
from dyno.spec.metrics import METRICS

NO_BREAK = "\N{NO-BREAK SPACE}"


@pytest.fixture(scope="module")
def sweep_page() -> str:
    return page_of(loads.sweep)


def terminal(findings: Findings, width: int = 120) -> str:
    console = Console(file=io.StringIO(), width=width, no_color=True, highlight=False)
    console.print(render_terminal(findings))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def sheets_of(findings: Findings) -> list[Sheet]:
    return [
        load.figures(findings),
        load.latency(findings, all_points=True),
        load.stability(findings, all_points=True),
        load.scaling(findings),
        costs_per_op.costs_per_op(findings, all_points=True),
        profiles.profiles(findings),
        generator.generator(findings, all_points=True),
    ]


def cells_of(sheet: Sheet) -> list[Cell]:
    return [cell for section in sheet.groups for row in section.rows for cell in row.cells]


@pytest.mark.parametrize(
    ("value", "text"),
    [(12345.6, "12,350"), (999.96, "1,000"), (321.04, "321.0"), (0.5, "0.5000"), (None, "—")],
)
def test_throughput_has_four_digits(value: float | None, text: str) -> None:
    assert numbers.rate(value) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (2.46, 2.841, "2.46 to 2.84 ms"),
        (0.95, 1.2, "0.950 to 1.20 ms"),
        (0.8, 0.9, "800 to 900 µs"),
        (900, 1500, "0.900 to 1.50 s"),
        (0.0, 0.0, "0 to 0 ns"),
    ],
)
def test_an_interval_of_latencies_has_one_unit(low: float, high: float, text: str) -> None:
    assert numbers.milliseconds_span(low, high) == text


@given(st.lists(st.integers(), min_size=1, max_size=40, unique=True), st.integers(1, 9))
def test_a_spread_keeps_the_first_the_last_and_the_order(items: list[int], most: int) -> None:
    kept = load.spread(items, most)
    assert len(kept) == min(len(items), most)
    assert kept[0] == items[0]
    assert kept[-1] == items[-1] or most == 1
    assert [item for item in items if item in kept] == kept


@pytest.mark.parametrize("made", [loads.sweep, loads.rates, loads.single, loads.torso])
def test_rows_of_every_table_are_as_long_as_its_head(made: object) -> None:
    assert callable(made)
    for sheet in sheets_of(made()):
        for section in sheet.groups:
            for row in section.rows:
                assert len(row.cells) == len(sheet.columns), f"{sheet.name}: {row.name}"


def test_every_figure_has_its_way_and_its_n() -> None:
    sheet = load.figures(loads.sweep())
    ways = {column.title: column.way for column in sheet.columns}
    assert ways.pop("n") == ""
    assert ways.pop("Throughput, ops/s") == "more is better"
    assert set(ways.values()) == {"less is better"}
    assert [len(section.rows) for section in sheet.groups] == [5] * 9
    assert {row.cells[-1].text for section in sheet.groups for row in section.rows} == {"8"}


@pytest.mark.slow
def test_ratios_say_their_way_in_every_form(sweep_page: str) -> None:
    says = "Throughput: above 1 is better. p95 latency: below 1 is better."
    assert says in read_html(sweep_page).text
    assert says in render_markdown(loads.sweep())
    assert "above 1 is better" in terminal(loads.sweep())
    assert view.ratios_are(rich()).endswith("below 1 the first arm is faster.")


def test_missing_is_a_dash_and_never_zero() -> None:
    torso = loads.torso()
    for name, sheet in (
        ("per op", costs_per_op.costs_per_op(torso)),
        ("generator", generator.generator(torso)),
    ):
        texts = {cell.text for cell in cells_of(sheet)}
        assert "0" not in texts, name
        assert any(cell.missing for cell in cells_of(sheet)), name
    unknown = load.stability(torso, all_points=True)
    for section in unknown.groups:
        for row in section.rows:
            assert all(cell.missing for cell in row.cells[:-1])
    assert "unavailable" in load.stability_says(torso)


def test_an_arm_without_a_trial_keeps_its_row() -> None:
    last = load.figures(loads.torso()).groups[-1]
    assert [row.name for row in last.rows] == ["base | line", loads.NASTY_ARM]
    *figures, n = last.rows[1].cells
    assert all(cell.missing for cell in figures)
    assert (n.text, n.warn) == ("0", True)


def test_a_stall_that_did_not_happen_has_no_length() -> None:
    sheet = load.stability(loads.sweep(), all_points=True)
    place = [column.title for column in sheet.columns].index("Longest stall")
    stalls = [column.title for column in sheet.columns].index("Stalls")
    for row in (row for section in sheet.groups for row in section.rows):
        assert (row.cells[stalls].text == "0") == bool(row.cells[place].missing)


def test_costs_stand_side_by_side_with_the_baseline_first() -> None:
    sheet = costs_per_op.costs_per_op(loads.sweep())
    assert [column.title for column in sheet.columns] == [s.name for s in loads.SERVERS]
    titles = [section.title for section in sheet.groups]
    assert titles == ["1 connection", "16 connections", "256 connections"]
    rows = {row.name: row for row in sheet.groups[0].rows}
    assert list(rows)[:2] == ["Server's CPU, µs", "Load generator's CPU, µs"]
    cpu = rows["Server's CPU, µs"].cells
    assert (cpu[0].text, cpu[0].below) == ("262", "")
    assert (cpu[2].text, cpu[2].below) == ("205", "0.782 ×")
    assert rows["Read from disk, kB"].cells[1].missing
    assert [cell.text for cell in rows["n, trials"].cells] == ["8"] * 5
    assert len(costs_per_op.costs_per_op(loads.sweep(), all_points=True).groups) == 9


def test_profiles_stand_side_by_side_and_say_why_one_lacks() -> None:
    sheet = profiles.profiles(loads.sweep())
    assert "MySQL 5.5.9" not in [column.title for column in sheet.columns]
    largest = [max(float(c.text.split()[0]) for c in r.cells if not c.missing)
               for r in sheet.groups[0].rows]  # fmt: skip
    assert largest == sorted(largest, reverse=True)
    (gone,) = profiles.unprofiled(loads.sweep())
    assert gone == ("MySQL 5.5.9", "perf can't read this build's symbols: it was stripped")
    arms = f"base | line, {loads.NASTY_ARM}"
    assert profiles.unprofiled(loads.torso()) == [(arms, "`perf` <is> missing")]


def test_compared_profiles_say_what_differs_before_their_tables() -> None:
    section = profiles.section(loads.profiled())
    assert section is not None
    lines, by_part, by_function = section.blocks[:3]
    assert isinstance(lines, Lines)
    assert isinstance(by_part, Table)
    assert isinstance(by_function, Table)
    assert lines.title == "MariaDB 11.4.5 against MySQL 5.5.9, 256 connections"
    assert lines.lines[0].startswith("MariaDB 11.4.5 takes 3.7 points more CPU per op")
    assert [column.title for column in by_part.sheet.columns] == [
        "Difference, points",
        "Baseline, points",
    ]
    rows = {row.name: row.cells for row in by_function.sheet.groups[0].rows}
    assert (rows["btr_cur_search"][0].text, rows["btr_cur_search"][0].below) == (
        "2.00",
        "1.40 to 2.60",
    )
    assert rows["btr_cur_search"][2].text == "2.5 (1.8 to 3.2)"
    assert rows["all else"][3].missing
    # Shares alone say less, and would be a second answer.
    assert not any(isinstance(b, Table) and b.sheet.name == "Profile" for b in section.blocks)


def test_counters_of_a_load_are_small_and_say_where() -> None:
    (found,) = counters.op_counters(loads.sweep())
    assert found.at == "256 connections"
    picked = [row.name for row in found.picked]
    assert picked[0] == "Innodb_log_writes"
    assert {"Innodb_buffer_pool_read_requests", "Innodb_log_writes"} == set(picked)
    assert found.moved[0].text == "0.520 on MariaDB 10.1.8, against 1.04 on MySQL 5.5.9"
    assert all(each.at == "" for each in counters.op_counters(rich()))


def test_slowdowns_stand_below_the_stalls() -> None:
    sheet = load.stability(loads.sweep(), all_points=True)
    assert {cell.below for cell in cells_of(sheet)} == {"", "and 2 slowdowns"}


def test_the_generator_says_where_it_was_nearest_to_the_limit() -> None:
    says = generator.generator_says(loads.rates())
    assert says.startswith("1 trial void because the load generator was the limit.")
    assert "23.7 % of the CPU time that it may use (MariaDB 11.4.5, 6,000 ops/s)" in says
    assert generator.generator_says(loads.torso()).startswith("2 trials void")
    lag = [column.title for column in generator.generator(loads.rates()).columns]
    assert "Send lag, p99" in lag
    closed = [column.title for column in generator.generator(loads.sweep()).columns]
    assert "Send lag, p99" not in closed


@pytest.mark.slow
def test_page_of_a_sweep_has_its_sections_in_order(sweep_page: str) -> None:
    order = ["answer", "throughput", "claims", "ratios", "ratios-p95", "latency", "series"]
    order += ["drift", "figures", "scaling", "stability", "comparisons", "per-op", "counters"]
    order += ["fairness"]
    assert [each for each in read_html(sweep_page).ids if each in order] == order


@pytest.mark.slow
def test_every_form_describes_scaling_in_words(sweep_page: str) -> None:
    for written in (read_html(sweep_page).text, render_markdown(loads.sweep())):
        for read in loads.sweep().scaling:
            assert read.says in written.replace("\\", "")
    assert "The law does not fit" in terminal(loads.sweep())


def test_comparisons_on_the_side_are_put_away() -> None:
    main, aside = view.groups_apart(loads.sweep())
    assert {group.metric for group in main} == {"throughput"}
    assert {group.metric for group in aside} == {"p95"}
    assert [group.title for group in main][:2] == [
        "Throughput, 1 connection",
        "Throughput, 2 connections",
    ]
    assert view.groups_apart(rich())[1] == []


def test_groups_of_several_ops_name_theirs() -> None:
    found = loads.sweep()
    several = found.model_copy(
        update={"ops": [*found.ops, found.ops[0].model_copy(update={"name": "other"})]}
    )
    assert view.groups(several)[0].title == "oltp_read_write, Throughput, 1 connection"


def test_a_metric_is_capitalised_but_for_percentiles() -> None:
    assert METRICS["throughput"].title == "Throughput"
    assert METRICS["p999"].title == "p99.9 latency"


def test_terminal_has_every_arm_at_every_point() -> None:
    lines = terminal(loads.sweep()).splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("Points"))
    for point in loads.sweep().points:
        assert sum(line.strip() == point.label for line in lines[begin:]) == 1
    ours = [line for line in lines[begin:] if line.startswith("  MariaDB 11.4.5 ")]
    assert len(ours) == 9
    cells = r"  MariaDB 11\.4\.5 +[\d,.]+ +[\d.]+ [≠?] +[\d.]+ to [\d.]+ +8 +[\d.]+ m?s"
    assert all(re.match(cells, line) for line in ours)


def test_terminal_marks_each_state_and_says_what_the_marks_mean() -> None:
    text = terminal(loads.sweep())
    assert "≠ different, = equivalent, ± precise, ? undecided\n" in text
    assert "1.07 ≠" in text
    assert "1.01 ?" in text
    tail = [c.model_copy(update={"tail_driven": True}) for c in loads.sweep().compared]
    driven = terminal(loads.sweep().model_copy(update={"compared": tail}))
    assert "! tail-driven" in driven
    assert "1.07 ≠!" in driven


def test_terminal_lists_what_claims_ask_beside_the_points() -> None:
    found = loads.sweep()
    assert terminal_load.others(found) == []
    other = found.compared[0].model_copy(update={"metric": "p99", "primary": True})
    with_other = found.model_copy(update={"compared": [*found.compared, other]})
    assert terminal_load.others(with_other) == [other]
    assert "p99 latency, 1 connection" in terminal(with_other)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_terminal_keeps_to_its_width(width: int) -> None:
    for made in (loads.sweep, loads.rates, loads.single, loads.torso, loads.idle):
        assert max(len(line) for line in terminal(made(), width).splitlines()) <= width


@pytest.mark.slow
def test_hostile_names_stay_text_in_loads() -> None:
    page = page_of(loads.torso)
    found = read_html(page)
    assert found.errors == []
    assert found.scripts == 1
    assert "`perf` <is> missing" in found.text
    assert loads.NASTY_ARM in found.text
    written = render_markdown(loads.torso())
    widths: set[int] = set()
    for line in [*written.splitlines(), ""]:
        if line.startswith("|"):
            widths.add(len(re.findall(r"(?<!\\)\|", line)))
        else:
            assert len(widths) <= 1, f"a table before {line!r} has rows of {widths} bars"
            widths.clear()


def test_a_run_without_a_trial_says_so() -> None:
    assert view.is_load(loads.idle())
    assert not view.is_load(rich())
    assert "No trial gave a figure." in render_markdown(loads.idle())
    assert "Status counters" not in render_markdown(loads.idle())
    assert "No trial gave a figure to draw." in read_html(page_of(loads.idle)).text
