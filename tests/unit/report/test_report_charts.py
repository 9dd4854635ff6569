"""The charts: valid Vega-Lite, drawn as SVG and PNG, honest about what they lack."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from xml.etree import ElementTree

import load_fixtures as loads
import pytest
import report_fixtures as fixtures
import vega_lite

from dyno.analysis.model import Findings
from dyno.report import Chart, charts
from dyno.report.charts import look
from dyno.report.charts.stack import MARK_GAP_PX, MARK_PX

MADE = [
    fixtures.rich,
    fixtures.damaged,
    pytest.param(fixtures.many, marks=pytest.mark.slow),
    pytest.param(fixtures.largest, marks=pytest.mark.slow),
    pytest.param(loads.sweep, marks=pytest.mark.slow),
    pytest.param(loads.rates, marks=pytest.mark.slow),
    loads.single,
    loads.torso,
]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=MADE, ids=lambda made: made.__name__)
def drawn(request: pytest.FixtureRequest) -> list[Chart]:
    return charts(request.param())


def named(findings: Findings) -> dict[str, Chart]:
    return {chart.name: chart for chart in charts(findings)}


@pytest.mark.parametrize("made", [fixtures.rich, fixtures.damaged])
def test_specs_are_valid_vega_lite(made: Callable[[], Findings]) -> None:
    drawn = charts(made())
    assert [chart.name for chart in drawn] == ["ratios", "times", "drift"]
    for chart in drawn:
        for spec in (chart.spec, chart.narrow):
            vega_lite.validate(spec)


def test_svg_is_xml_and_fits_its_page(drawn: list[Chart]) -> None:
    for chart in drawn:
        for page in (look.WIDE, look.NARROW):
            root = ElementTree.fromstring(chart.svg(narrow=page.narrow))
            assert root.tag == f"{SVG}svg"
            assert float(root.attrib["width"]) <= page.width_px + 30, chart.name


def test_svg_is_the_same_every_time() -> None:
    chart = named(fixtures.damaged())["ratios"]
    assert chart.svg() == chart.svg()
    assert chart.png() == chart.png()


def test_png_is_whole_and_twice_the_size_of_the_svg() -> None:
    chart = named(fixtures.rich())["ratios"]
    png = chart.png()
    width, height = struct.unpack_from(">II", png, 16)
    root = ElementTree.fromstring(chart.svg())
    assert width == pytest.approx(2 * float(root.attrib["width"]), abs=2)
    assert height == pytest.approx(2 * float(root.attrib["height"]), abs=2)
    at, kinds = 8, []
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        chunk = png[at + 4 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length)[0] == zlib.crc32(chunk)
        kinds.append(chunk[:4])
        at += 12 + length
    assert kinds[0] == b"IHDR"
    assert kinds[-1] == b"IEND"


def test_labels_keep_hostile_names() -> None:
    for chart in charts(fixtures.damaged()):
        root = ElementTree.fromstring(chart.svg())
        texts = " ".join("".join(text.itertext()) for text in root.iter(f"{SVG}text"))
        assert "A<b>&\"'|" in texts
        assert not list(root.iter(f"{SVG}script"))


def test_every_block_is_a_dot_where_they_are_few() -> None:
    findings = fixtures.rich()
    blocks = sum(len(times.blocks) for times in findings.times)
    svg = named(findings)["times"].svg()
    assert len(re.findall(r'aria-label="[^"]*, block \d+:', svg)) == blocks
    assert "Each dot is one block" in named(findings)["times"].caption


def test_too_many_blocks_become_ranges_with_a_note() -> None:
    chart = named(fixtures.largest())["times"]
    assert ", block " not in chart.svg()
    assert "fastest to the slowest" in chart.caption
    assert (
        "further comparisons are in the findings only" in named(fixtures.largest())["drift"].caption
    )


def test_without_intervals_there_are_points_and_a_note() -> None:
    chart = named(fixtures.damaged())["ratios"]
    assert "Points only" in chart.caption
    kinds = {value["kind"] for panel in chart.spec["vconcat"] for value in panel["data"]["values"]}
    assert "line" not in kinds


def test_bands_stand_behind_their_own_comparison_only() -> None:
    spec = named(fixtures.rich())["ratios"].spec
    bands = {
        (panel["title"]["text"], value["row"])
        for panel in spec["vconcat"]
        for value in panel["data"]["values"]
        if value["kind"] == "band"
    }
    to_myisam = "Aria 8K / MyISAM"
    assert bands == {("Q2", to_myisam), ("Q5", to_myisam), ("Q6", to_myisam)} | {
        ("Q3", "Aria 2K / Aria 8K")
    }


def test_verdicts_are_marked_at_their_own_comparison_only() -> None:
    chart = named(fixtures.rich())["ratios"]
    marks = {
        (panel["title"]["text"], value["row"]): value["mark"]
        for panel in chart.spec["vconcat"]
        for value in panel["data"]["values"]
        if value.get("mark")
    }
    to_myisam = "Aria 8K / MyISAM"
    assert marks == {
        ("Q2", to_myisam): "≈",
        ("Q3", "Aria 2K / Aria 8K"): "?",
        ("Q5", to_myisam): "✗",
        ("Q6", to_myisam): "✓",
    }
    assert "✗ not reproduced" in chart.caption


@pytest.mark.parametrize("made", [fixtures.empty, loads.idle])
def test_nothing_measured_means_no_charts(made: Callable[[], Findings]) -> None:
    assert charts(made()) == []


@pytest.mark.parametrize(
    "values",
    [[0.98, 1.01], [0.4, 1.4], [0.01, 1.2], [30.0], [1.0], [1e-6, 5.0]],
    ids=str,
)
def test_ratio_axis_holds_its_values_and_one(values: list[float]) -> None:
    low, high = look.ratio_domain(values)
    assert low < min(values)
    assert max(values) < high
    assert low < 1 < high
    if max(values) <= 3 and min(values) >= 1 / 3:
        assert low * high == pytest.approx(1)
    for narrow in (False, True):
        ticks = look.ratio_ticks((low, high), narrow)
        assert 1 in ticks
        assert 2 <= len(ticks) <= 9


def test_on_a_narrow_page_a_long_name_has_two_lines_and_a_mark_is_beside_its_figure() -> None:
    svg = ElementTree.fromstring(named(fixtures.many())["ratios"].svg(narrow=True))
    texts = {"".join(text.itertext()): text for text in svg.iter(f"{SVG}text")}
    named_long = texts["MariaDB 11.4.5 with aname that is sixty…"]
    assert len(list(named_long.iter(f"{SVG}tspan"))) == 2
    figure, mark = placed(texts["0.0565, n = 18"]), placed(texts["✓"])
    assert mark[1] == figure[1]
    assert mark[0] - figure[0] == MARK_PX + MARK_GAP_PX


def placed(text: ElementTree.Element) -> tuple[float, float]:
    """Where in its group a text is drawn."""
    x, y = re.findall(r"-?[\d.]+", text.attrib["transform"])
    return float(x), float(y)
