"""The engine above its floor and the sizes of tables, in every form of the report."""

from __future__ import annotations

from collections.abc import Callable

import load_fixtures as loads
import pytest
import vega_lite
from html_reading import read_html

from dyno.analysis.costs.model import EngineCost
from dyno.analysis.model import Findings
from dyno.analysis.tables.model import SizeRead
from dyno.report import charts, render_html, render_markdown
from dyno.report.charts import look


def cost(arm: str, floor: str, quantity: str, *, share: float | None) -> EngineCost:
    return EngineCost.model_validate(
        {
            "arm": arm,
            "floor": floor,
            "op": loads.OP,
            "point": 0,
            "quantity": quantity,
            "n": 8,
            "arm_us": 250.0,
            "floor_us": 200.0,
            "share": share,
            "share_low": None if share is None else share - 0.03,
            "share_high": None if share is None else share + 0.04,
        }
    )


def size(arm: str, each: float, *, by_files: bool = True) -> SizeRead:
    return SizeRead(
        arm=arm,
        engines=["MyISAM"],
        trials=8,
        rows=1000,
        data_bytes=1000 * each,
        index_bytes=0,
        disk_bytes=1000 * each if by_files else None,
        by_files=by_files,
        bytes_per_row=each,
        bytes_per_row_min=each,
        bytes_per_row_max=each + 1,
    )


def floored() -> Findings:
    made = loads.sweep()
    first, second, third = (arm.name for arm in made.arms[:3])
    return made.model_copy(
        update={
            "engine_costs": [
                cost(first, third, "time", share=0.2),
                cost(first, third, "server_cpu", share=None),
                cost(second, third, "time", share=-0.05),
            ],
            "sizes": [size(first, 180.0), size(second, 45.0, by_files=False)],
        }
    )


def page_text(findings: Findings) -> str:
    return read_html(render_html(findings)).text


@pytest.mark.parametrize(
    "words_of", [render_markdown, pytest.param(page_text, marks=pytest.mark.slow)]
)
def test_the_split_has_its_interval_and_what_is_unknown_is_not_zero(
    words_of: Callable[[Findings], str],
) -> None:
    words = words_of(floored())
    assert "20%" in words
    assert "17% to 24%" in words
    assert "-5%" in words
    assert "250 µs" in words


def test_sizes_are_shown_with_their_basis() -> None:
    words = render_markdown(floored())
    assert "0.25" in words
    assert "by the server's word" in words
    assert "180" in words


def test_both_have_a_picture_that_is_valid() -> None:
    drawn = {chart.name: chart for chart in charts(floored())}
    for name in ("engine-cost", "size"):
        for spec in (drawn[name].spec, drawn[name].narrow):
            vega_lite.validate(spec)
        assert "better" in drawn[name].caption
        for page in (look.WIDE, look.NARROW):
            assert drawn[name].svg(narrow=page.narrow).startswith("<svg")


def test_without_floors_and_sizes_there_is_no_text() -> None:
    names = [chart.name for chart in charts(loads.sweep())]
    assert "engine-cost" not in names
    assert "size" not in names
    assert "above its floor" not in render_markdown(loads.sweep())
