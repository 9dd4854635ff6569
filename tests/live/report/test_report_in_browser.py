"""The HTML report in a real Chromium: wide and narrow, light and dark, offline, on paper."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import load_fixtures as loads
import pytest
import report_fixtures as fixtures
import task_runs
from playwright.sync_api import BrowserContext, Page, sync_playwright
from thinned import WHOLE

from dyno.report import render_html

CHROMIUM = Path("/usr/bin/chromium")
INSTALL = "apt-get install -y --no-install-recommends chromium fonts-dejavu-core"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MADE = {
    "rich": fixtures.rich,
    "damaged": fixtures.damaged,
    "many": fixtures.many,
    "sweep": loads.profiled,
    "rates": loads.rates,
    "single": loads.single,
    "torso": loads.torso,
    "maintenance": task_runs.maintenance,
}
VIEWS = (
    [(width_px, scheme) for width_px in (1400, 1000, 700, 400) for scheme in ("light", "dark")]
    if WHOLE
    else [(1400, "light"), (400, "dark")]
)
# The texts of a drawn chart: what each says and where it stands on the page.
TEXTS = """[...document.querySelectorAll('.drawn svg text')]
  .filter(each => each.checkVisibility({checkOpacity: true}))
  .map(each => { const box = each.getBoundingClientRect();
    return [each.textContent, box.left, box.top, box.right, box.bottom]; })"""
FOLD_PX = 900


@dataclass
class Opened:
    """A page and what went on while it was opened."""

    page: Page
    requests: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    paths = {name: folder / f"{name}.html" for name in MADE}
    for name, path in paths.items():
        path.write_text(render_html(MADE[name]()), encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    assert CHROMIUM.exists(), f"{CHROMIUM} is missing; install it with: {INSTALL}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("profile")),
            executable_path=str(CHROMIUM),
            args=FLAGS,
            accept_downloads=True,
        )
        yield browser
        browser.close()


@pytest.fixture
def opened(context: BrowserContext) -> Iterator[Opened]:
    found = Opened(context.new_page())
    found.page.on("request", lambda request: found.requests.append(request.url))
    found.page.on("console", lambda message: found.messages.append(message.text))
    found.page.on("pageerror", lambda error: found.messages.append(str(error)))
    yield found
    found.page.close()


def show(opened: Opened, path: Path, *, width_px: int, scheme: str) -> Page:
    opened.page.set_viewport_size({"width": width_px, "height": FOLD_PX})
    opened.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    opened.page.goto(path.as_uri())
    return opened.page


@pytest.mark.parametrize(("width_px", "scheme"), VIEWS)
@pytest.mark.parametrize("name", MADE)
def test_report_fits_and_stays_offline(
    opened: Opened, reports: dict[str, Path], name: str, width_px: int, scheme: str
) -> None:
    page = show(opened, reports[name], width_px=width_px, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]
    assert opened.messages == []
    sent = [url for url in opened.requests if not url.startswith("data:")]
    assert sent == [reports[name].as_uri()]


@pytest.mark.parametrize("width_px", [1400, 400])
@pytest.mark.parametrize("name", MADE)
def test_answer_is_above_the_fold(
    opened: Opened, reports: dict[str, Path], name: str, width_px: int
) -> None:
    page = show(opened, reports[name], width_px=width_px, scheme="light")
    answer = page.locator(".answer p").first
    assert answer.inner_text() == (MADE[name]().answer or ["This run gives no answer."])[0]
    box = answer.bounding_box()
    assert box is not None
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= FOLD_PX


@pytest.mark.parametrize(("width_px", "shown"), [(1400, "wide"), (400, "narrow")])
def test_one_form_of_each_chart_is_shown(
    opened: Opened, reports: dict[str, Path], width_px: int, shown: str
) -> None:
    page = show(opened, reports["rich"], width_px=width_px, scheme="light")
    drawn = page.locator(".drawn")
    visible = [each.get_attribute("class") for each in drawn.all() if each.is_visible()]
    assert visible == [f"drawn {shown}"] * 3


@pytest.mark.parametrize("width_px", [1400, 400])
@pytest.mark.parametrize("name", ["sweep", "rates", "single", "torso", "maintenance"])
def test_texts_of_charts_stand_apart_and_inside_the_page(
    opened: Opened, reports: dict[str, Path], name: str, width_px: int
) -> None:
    page = show(opened, reports[name], width_px=width_px, scheme="light")
    texts = page.evaluate(TEXTS)
    assert len(texts) > 50
    for place, (said, left, top, right, bottom) in enumerate(texts):
        assert left >= -1, said
        assert right <= width_px + 1, said
        for other, left_2, top_2, right_2, bottom_2 in texts[place + 1 :]:
            wide = min(right, right_2) - max(left, left_2)
            high = min(bottom, bottom_2) - max(top, top_2)
            # Boxes are taller than letters; a rim is the same text drawn twice.
            assert said == other or wide <= 1 or high <= 4, f"{said!r} and {other!r} overlap"


def test_a_point_of_a_sweep_tells_its_figure(opened: Opened, reports: dict[str, Path]) -> None:
    page = show(opened, reports["sweep"], width_px=1400, scheme="light")
    page.locator("#throughput .drawn.wide path[aria-label^='MySQL 5.6.24, 64 conn']").first.hover()
    tip = page.locator("#tip").inner_text()
    assert tip.startswith("MySQL 5.6.24, 64 connections: throughput 8,7")
    assert tip.endswith("n = 8")


@pytest.mark.parametrize("width_px", [1400, 400])
def test_a_flame_graph_says_figures_and_zooms(
    opened: Opened, reports: dict[str, Path], width_px: int
) -> None:
    page = show(opened, reports["sweep"], width_px=width_px, scheme="light")
    graph = page.locator(".flame")
    found = graph.locator("g[name='btr_cur_search'] rect")
    found.hover()
    said = graph.locator("p").inner_text()
    assert said == ("btr_cur_search: 30.00 points in MariaDB 11.4.5, +3.00 against MySQL 5.5.9")
    small = found.bounding_box()
    found.click()
    page.wait_for_function("document.querySelector(\".flame g[name='malloc']\") === null")
    graph.locator("button").click()
    page.wait_for_function("document.querySelector(\".flame g[name='malloc']\") !== null")
    whole = graph.locator("svg").bounding_box()
    assert small is not None
    assert whole is not None
    # 30 of the 103.7 points that all of it costs.
    assert small["width"] / whole["width"] == pytest.approx(30 / 103.7, abs=0.02)


def test_charts_follow_the_scheme(opened: Opened, reports: dict[str, Path]) -> None:
    colour = "getComputedStyle(document.querySelector('.drawn.wide text')).fill"
    light = show(opened, reports["rich"], width_px=1400, scheme="light").evaluate(colour)
    dark = show(opened, reports["rich"], width_px=1400, scheme="dark").evaluate(colour)
    assert light == "rgb(28, 36, 48)"
    assert dark == "rgb(228, 232, 238)"
    opened.page.locator("#theme").click()
    assert opened.page.evaluate(colour) == light


def test_a_mark_tells_its_figure(opened: Opened, reports: dict[str, Path]) -> None:
    page = show(opened, reports["rich"], width_px=1400, scheme="light")
    mark = page.locator("#ratios .drawn.wide path[aria-label^='Q2, Aria 8K / MyISAM']")
    mark.hover()
    assert page.locator("#tip").inner_text().startswith("Q2, Aria 8K / MyISAM: 0.394 (0.388 to")


def test_downloads_can_be_saved(opened: Opened, reports: dict[str, Path], tmp_path: Path) -> None:
    page = show(opened, reports["rich"], width_px=1400, scheme="light")
    saved_as = {"SVG": "aria-tmp-tables-ratios.svg", "PNG": "aria-tmp-tables-ratios.png"}
    # Again, since the first time the PNG is painted.
    for label in ("SVG", "PNG", "PNG"):
        with page.expect_download() as saved:
            page.locator("#ratios .downloads a", has_text=label).click()
        assert saved.value.suggested_filename == saved_as[label]
        saved.value.save_as(tmp_path / saved_as[label])
        assert (tmp_path / saved_as[label]).stat().st_size > 5_000
    svg, png = ((tmp_path / name).read_bytes() for name in saved_as.values())
    size = re.search(rb' width="([\d.]+)" height="([\d.]+)"', svg)
    assert size is not None
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    drawn_px = tuple(2 * int(float(side)) for side in size.groups())
    assert struct.unpack_from(">II", png, 16) == drawn_px
    assert opened.messages == []


def test_it_prints(opened: Opened, reports: dict[str, Path]) -> None:
    page = show(opened, reports["rich"], width_px=1400, scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF-")
