"""A report about losses in its three forms, and its picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from crashes import LOSS, folder, made_series, price
from rich.console import Console

from dyno.analysis.durability import Losses, find_losses
from dyno.report.losses import (
    last_seconds,
    losses_html,
    losses_markdown,
    losses_terminal,
    prices,
)
from dyno.spec.crash_load import TpccOrders
from dyno.spec.durability import Price


@pytest.fixture
def found(tmp_path: Path) -> Losses:
    return find_losses(folder(tmp_path / "run", loose_power=LOSS))


def terminal(losses: Losses, width: int = 120) -> str:
    console = Console(width=width, color_system=None, file=None, record=True)
    with console.capture() as shown:
        console.print(losses_terminal(losses))
    return shown.get()


def test_each_form_has_the_matrix_with_letters(found: Losses) -> None:
    html, markdown, screen = losses_html(found), losses_markdown(found), terminal(found)
    assert 'class="m-loses"' in html
    assert "| loose | **0** 0 of 6, below 39 % | **L** 6 of 6, 300 ops, 0.41 s |" in markdown
    assert "L  6 of 6, 300 ops, 0.41 s" in screen
    for form in (html, markdown, screen):
        assert "loses acknowledged commits at power loss" in form


def test_the_load_says_what_is_counted(found: Losses, tmp_path: Path) -> None:
    assert "An op is an insert, an update or a transaction" in losses_markdown(found)
    assert "ledger with 1,000 rows (insert, update, transaction)" in losses_markdown(found)
    series = made_series(load=TpccOrders(kind="tpcc", warehouses=2))
    orders = find_losses(folder(tmp_path / "orders", series, loose_power=LOSS))
    markdown, chart = losses_markdown(orders), last_seconds(orders)
    assert "tpcc with 2 warehouses, 8 connections" in markdown
    assert "A new order counts once a client knew it to be done." in markdown
    assert "**L** 6 of 6, 300 new orders, 0.41 s" in markdown
    assert "in 6 of 6 crashes, up to 300 new orders of the last 0.41 s" in markdown
    assert chart is not None
    assert ": new orders that clients knew to be done" in chart.caption
    assert "300 ops" not in losses_html(orders).partition("<main>")[2]


def test_names_are_text_and_never_markup(tmp_path: Path) -> None:
    series = made_series()
    arms = [arm.model_copy(update={"name": "<b>|[red]"}) for arm in series.arms[:1]]
    odd = made_series(arms=arms, control=None, claims=[])
    losses = find_losses(folder(tmp_path / "run", odd))
    assert "<b>" not in losses_html(losses).partition("<main>")[2]
    assert "[red]" in terminal(losses)
    assert "\\<b\\>\\|\\[red\\]" in losses_markdown(losses)


def test_the_last_seconds_of_the_worst_crash_are_drawn(found: Losses) -> None:
    chart = last_seconds(found)
    assert chart is not None
    values = chart.spec["data"]["values"]
    assert sum(value["to"] - value["from"] for value in values if value["what"] == "lost") == 320
    assert "300 of them, of the last 0.41 s, were gone afterwards" in chart.caption
    assert chart.svg().startswith("<svg")


def test_without_a_loss_there_is_no_picture(tmp_path: Path) -> None:
    assert last_seconds(find_losses(folder(tmp_path / "run"))) is None


def test_a_narrow_terminal_wraps_and_loses_nothing(found: Losses) -> None:
    assert all(len(line) <= 80 for line in terminal(found, 80).splitlines())


def test_prices_are_drawn_and_listed_beside_what_is_lost(tmp_path: Path) -> None:
    series = made_series(price=Price(baseline="safe", blocks=8))
    made = folder(tmp_path / "run", series, loose_power=LOSS)
    price(made, safe=1000.0, loose=2100.0)
    losses = find_losses(made)
    chart = prices(losses)
    assert chart is not None
    (label,) = [v for v in values_of(chart.spec) if v["kind"] == "label"]
    assert (label["side"], label["state"]) == ("worse", "different")
    assert chart.svg().startswith("<svg")
    html, markdown, screen = losses_html(losses), losses_markdown(losses), terminal(losses)
    assert 'id="prices"' in html
    assert "| loose | 2,100 | 2.10" in markdown.replace("2,174", "2,100")
    for form in (html, markdown, screen):
        assert "2.1 times as fast as safe" in form.replace("\n", " ")


def values_of(spec: Any) -> list[dict[str, Any]]:
    (panel,) = spec["vconcat"]
    found: list[dict[str, Any]] = panel["data"]["values"]
    return found


def test_without_prices_there_is_no_section_of_them(found: Losses) -> None:
    assert prices(found) is None
    assert "Price list" not in losses_html(found)
