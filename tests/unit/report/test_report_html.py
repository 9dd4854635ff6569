"""The HTML report as a file: whole, safe, small, offline, and the same for the same findings."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from urllib.parse import unquote

import load_fixtures as loads
import pytest
import report_fixtures as fixtures
from html_reading import Reading, read_html
from pages import page_of

from dyno.analysis.model import Findings
from dyno.report import render_html, render_markdown
from dyno.report.charts import look
from dyno.report.forms.html import PALETTE

# Pages are drawn whole: seconds, not for the quick loop.
pytestmark = pytest.mark.slow

SIZE_MOST_BYTES = 2_000_000
# For 14 arms, 8 ops and 60 blocks (6,720 trials), or a load of 5 arms, 9 points and 8 blocks.
LARGEST_MOST_BYTES = 4_000_000
LARGE = ("of fourteen", "five servers from 2010 to 2025")
# Names of document types, never loaded.
NAMES_ONLY = {
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xlink",
    "https://vega.github.io/schema/vega-lite/v6.json",
}
MADE = [
    fixtures.rich,
    fixtures.damaged,
    pytest.param(fixtures.many, marks=pytest.mark.slow),
    pytest.param(fixtures.largest, marks=pytest.mark.slow),
    fixtures.empty,
    pytest.param(loads.sweep, marks=pytest.mark.slow),
    pytest.param(loads.rates, marks=pytest.mark.slow),
    loads.single,
    pytest.param(loads.torso, marks=pytest.mark.slow),
    loads.idle,
]


@pytest.fixture(scope="module", params=MADE, ids=lambda made: made.__name__)
def page(request: pytest.FixtureRequest) -> str:
    return page_of(request.param)


@pytest.fixture(scope="module")
def rich_page() -> str:
    return page_of(fixtures.rich)


@pytest.fixture(scope="module")
def damaged_page() -> str:
    return page_of(fixtures.damaged)


@pytest.fixture(scope="module")
def damaged(damaged_page: str) -> Reading:
    return read_html(damaged_page)


def test_page_is_well_formed_and_small(page: str) -> None:
    found = read_html(page)
    assert found.errors == []
    assert len(found.ids) == len(set(found.ids))
    most = LARGEST_MOST_BYTES if any(words in page for words in LARGE) else SIZE_MOST_BYTES
    assert len(page.encode()) < most


def test_page_loads_nothing(page: str) -> None:
    found = read_html(page)
    inside = [link for link in found.links if link.startswith(("#", "data:"))]
    assert found.links == inside
    assert set(re.findall(r"https?://[^\s\"'<>)]+", unquote(page))) <= NAMES_ONLY
    assert not re.search(r"@import|url\((?!#)|\bfetch\(|XMLHttpRequest|\bimport\(", page)


def test_contents_lead_somewhere(page: str) -> None:
    found = read_html(page)
    anchors = {link[1:] for link in found.links if link.startswith("#")}
    assert anchors
    assert anchors <= set(found.ids)


@pytest.mark.slow
def test_same_findings_same_bytes(rich_page: str, forget_drawings: Callable[[], None]) -> None:
    forget_drawings()
    assert render_html(fixtures.rich()) == rich_page


def test_nothing_that_others_wrote_becomes_markup(damaged: Reading, damaged_page: str) -> None:
    assert damaged.scripts == 1
    assert "<script>alert" not in damaged_page
    assert fixtures.NASTY_ARM in damaged.text
    assert fixtures.SCRIPT in damaged.text
    assert "b" not in damaged.tags
    assert "title" in damaged.tags
    assert damaged.tags.count("title") == 1


def test_answer_comes_first_and_sections_in_order(rich_page: str) -> None:
    ids = read_html(rich_page).ids
    order = ["answer", "ratios", "claims", "times", "drift", "comparisons", "counters"]
    order += ["plans", "fairness", "arms", "costs", "host", "limits", "repeat"]
    assert [each for each in ids if each in order] == order


def test_every_claim_says_verdict_figure_and_n(rich_page: str) -> None:
    text = read_html(rich_page).text
    for claim in fixtures.rich().claims:
        assert claim.says in text
        assert claim.why in text
        assert claim.expected in text
    assert "0.394 (0.388 to 0.401), n = 12" in text.replace("\N{NO-BREAK SPACE}", " ")


def test_downloads_hold_what_they_say(rich_page: str) -> None:
    found = [link for link in read_html(rich_page).links if link.startswith("data:")]
    content: dict[str, list[bytes]] = {}
    for link in found:
        head, _, encoded = link.removeprefix("data:").partition(",")
        kind, _, how = head.partition(";")
        plain = base64.b64decode(encoded) if how == "base64" else unquote(encoded).encode()
        content.setdefault(kind, []).append(plain)
    assert all(svg.startswith(b"<svg") for svg in content["image/svg+xml"])
    assert all("$schema" in json.loads(spec) for spec in content["application/json"])
    assert [len(content[k]) for k in ("image/svg+xml", "application/json")] == [3] * 2
    (packed,) = content["application/gzip"]
    assert Findings.model_validate_json(gzip.decompress(packed)) == fixtures.rich()


def test_style_sheet_recolours_every_colour_of_the_charts(rich_page: str) -> None:
    colours = {value for value in vars(look).values() if re.fullmatch(r"#[0-9a-f]{6}", str(value))}
    assert colours == set(PALETTE)
    drawn = "".join(re.findall(r"<svg.*?</svg>", rich_page, re.DOTALL))
    used = set(re.findall(r'(?:fill|stroke)="(#[^"]+|[a-z]+)"', drawn))
    assert used - {"none", "transparent"} <= colours
    for colour, name in PALETTE.items():
        light = re.search(rf"--{name}: light-dark\((#\w+), (#\w+)\)", rich_page)
        assert light is not None
        assert light.group(1) == colour


def luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("place", range(1, len(look.ARMS) + 1))
def test_arms_stand_out_from_the_page(rich_page: str, place: int, mode: int) -> None:
    pairs = dict(re.findall(r"--([\w-]+): light-dark\((#\w+, #\w+)\)", rich_page))
    one, other = (luminance(pairs[k].split(", ")[mode]) for k in (f"arm-{place}", "paper"))
    contrast = (max(one, other) + 0.05) / (min(one, other) + 0.05)
    assert contrast >= 3, f"arm {place}: {contrast:.2f} of the 3 that WCAG asks of graphics"


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "muted", "less", "more", "good", "part", "bad", "open"])
def test_text_has_contrast(rich_page: str, name: str, mode: int) -> None:
    pairs = dict(re.findall(r"--(\w+): light-dark\((#\w+, #\w+)\)", rich_page))
    for behind in ("paper", "soft"):
        one, other = (luminance(pairs[key].split(", ")[mode]) for key in (name, behind))
        contrast = (max(one, other) + 0.05) / (min(one, other) + 0.05)
        assert contrast >= 4.5, f"{name} on {behind}: {contrast:.2f} of the 4.5 that WCAG AA asks"


def test_markdown_is_pure_and_keeps_tables_whole() -> None:
    written = render_markdown(fixtures.damaged())
    assert written == render_markdown(fixtures.damaged())
    widths: set[int] = set()
    for line in [*written.splitlines(), ""]:
        if line.startswith("|"):
            widths.add(len(re.findall(r"(?<!\\)\|", line)))
        else:
            assert len(widths) <= 1, f"a table before {line!r} has rows of {widths} bars"
            widths.clear()
    assert not re.search(r"(?<!\\)<script", re.sub(r"(`+).*?\1", "", written))
