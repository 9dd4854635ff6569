"""How figures and selections are worded: digits, units, missing values, order."""

from __future__ import annotations

import io

import pytest
import report_fixtures as fixtures
from rich.console import Console

from dyno.analysis.signed import number
from dyno.report import counters, numbers, render_terminal, view
from dyno.report.sections import setting
from dyno.report.sections.counters import cell
from dyno.stats import Estimate


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.4816, "0.482"),
        (0.48, "0.480"),
        (1.0, "1.00"),
        (9.996, "10.0"),
        (0.09996, "0.100"),
        (12.345, "12.3"),
        (123.4, "123"),
        (1234.0, "1,230"),
        (0.00123, "0.00123"),
        (-1.5, "−1.50"),
        (0.0, "0"),
    ],
)
def test_three_significant_digits(value: float, text: str) -> None:
    assert numbers.significant(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4.69, "4.69 s"),
        (0.99996, "1.00 s"),
        (0.0123, "12.3 ms"),
        (0.000183, "183 µs"),
        (5e-8, "50.0 ns"),
        (0.0, "0 s"),
        (1234.5, "1,234 s"),
        (None, "—"),
    ],
)
def test_seconds_have_a_fitting_unit(value: float | None, text: str) -> None:
    assert numbers.seconds(value) == text


def test_estimates_never_lack_n() -> None:
    bounded = Estimate(0.4816, (0.463, 0.501))
    assert numbers.ratio_of(bounded, 12) == "0.482 (0.463 to 0.501), n = 12"
    assert numbers.ratio_of(Estimate(0.4816), 3) == "0.482, n = 3"
    assert numbers.ratio_of(None, 0) == "—, n = 0"
    in_blocks = numbers.estimate(bounded, "12 blocks", numbers.percent)
    assert in_blocks == "48 % (46 % to 50 %, 12 blocks)"
    assert numbers.estimate(Estimate(0.4816), "1 block", numbers.seconds) == "482 ms (1 block)"


def test_numbers_have_no_zero_below_zero() -> None:
    given = (15.04, -0.37, -0.04, 0.0)
    assert [number(value) for value in given] == ["15.0", "−0.4", "0.0", "0.0"]
    assert [number(value, sign="+") for value in given] == ["+15.0", "−0.4", "+0.0", "+0.0"]


def test_counts_are_whole_and_missing_is_not_zero() -> None:
    assert numbers.count(2_097_152.0) == "2,097,152"
    assert numbers.count(1.5) == "1.50"
    assert numbers.count(None) == "unavailable"
    assert cell(None).text == "—"
    assert cell(0.0).text == "0"


def test_host_facts_are_flat_and_null_is_unavailable() -> None:
    host = {
        "cpu": {"model": "x", "mhz": None},
        "smt": True,
        "size_bytes": 2048,
        "w": [],
        "n": 10_001,
    }
    assert setting.host_rows(host) == [
        ("cpu.model", "x"),
        ("cpu.mhz", "unavailable"),
        ("smt", "yes"),
        ("size_bytes", "2.0 KiB"),
        ("w", "none"),
        ("n", "10,001"),
    ]


def test_moved_counters_come_first_and_equal_ones_are_left_out() -> None:
    q2 = next(found for found in counters.op_counters(fixtures.rich()) if found.op == "Q2")
    both = "Key_read_requests / Aria_pagecache_read_requests"
    assert q2.picked[0].name == both
    assert (
        q2.moved[0].text
        == "6,292,456 on Aria 8K, 6,292,456 on Aria 2K, against 4,194,286 on MyISAM"
    )
    listed = {row.name for row in (*q2.picked, *q2.rest)}
    assert not listed & {"Handler_read_rnd_next", "Threads_created", "Key_read_requests"}
    assert q2.alike == 8


def test_problems_come_before_what_is_well() -> None:
    order = [check.check for check in view.by_severity(fixtures.rich().fairness)]
    assert order == ["warning", "unknown", "ok", "ok", "ok"]


def test_comparisons_of_two_ops_come_last() -> None:
    found = view.groups(fixtures.many())
    assert [group.title for group in found] == ["1M rows", "4M rows", "4M rows / 1M rows"]
    assert found[0].against() == "MyISAM, key buffer 8 MB"
    assert found[2].against() is None


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_terminal_keeps_to_its_width_without_colour(width: int) -> None:
    for made in (fixtures.rich, fixtures.damaged, fixtures.many, fixtures.empty):
        file = io.StringIO()
        Console(file=file, width=width, force_terminal=True, no_color=True).print(
            render_terminal(made())
        )
        assert "\x1b[3" not in file.getvalue()
        plain = file.getvalue().replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")
        assert max(len(line) for line in plain.splitlines()) <= width


def test_terminal_shows_markup_in_names_as_it_is() -> None:
    file = io.StringIO()
    Console(file=file, width=200).print(render_terminal(fixtures.damaged()))
    assert "[red]" in file.getvalue()
    assert "[Warning]" in file.getvalue()


def test_a_difference_with_a_large_adjusted_p_is_explained() -> None:
    run = fixtures.rich()
    assert view.holm_note(run) == ""
    first, *others = run.compared
    assert first.state == "different"
    odd = run.model_copy(update={"compared": [first.model_copy(update={"holm_p": 0.2}), *others]})
    assert f"all {len(run.compared)} primary comparisons" in view.holm_note(odd)
