"""The page: whole, safe, self-contained, the same for the same files; in a browser too."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from graph_samples import GOLDEN, SAMPLES, graph_of
from html_reading import read_html

from dyno.graph import charts, document, read, render_page
from dyno.graph.model import Graph
from dyno.graph.read import Wanted

NASTY = '<script>alert("1")</script>&{{ 7 * 7 }}'
NAMES_ONLY = {
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xlink",
    "https://vega.github.io/schema/vega-lite/v6.json",
}


def all_samples() -> Graph:
    return graph_of(f"{NASTY}=sysbench-loop.log", *(n for n in SAMPLES if n != "sysbench-loop.log"))


@cache
def page() -> str:
    graph = all_samples()
    return render_page(graph, charts(graph), "dyno graph x")


@pytest.mark.slow
def test_the_page_loads_nothing() -> None:
    found = read_html(page())
    assert all(link.startswith(("#", "data:")) for link in found.links)
    assert set(re.findall(r"https?://[^\s\"'<>)]+", unquote(page()))) <= NAMES_ONLY
    assert not re.search(r"@import|url\((?!#)|\bfetch\(|XMLHttpRequest|\bimport\(", page())
    assert "default-src 'none'" in page()


@pytest.mark.slow
def test_the_page_is_well_formed_and_its_contents_lead_somewhere() -> None:
    found = read_html(page())
    assert found.errors == []
    assert len(found.ids) == len(set(found.ids))
    anchors = {link[1:] for link in found.links if link.startswith("#")}
    assert {"files", "throughput", "runs", "limits", "repeat"} <= anchors <= set(found.ids)
    assert found.scripts == 1
    assert NASTY in found.text
    assert "49" not in found.text.split("Files")[0]


@pytest.mark.slow
def test_what_was_read_is_inside() -> None:
    link = next(x for x in read_html(page()).links if x.startswith("data:application/gzip"))
    packed = base64.b64decode(link.partition(",")[2])
    assert json.loads(gzip.decompress(packed)) == json.loads(json.dumps(document(all_samples())))


@pytest.mark.slow
def test_the_page_says_what_is_missing_and_passed_over() -> None:
    text = read_html(page()).text
    assert "1 of 2 runs have no figures" in text
    assert "not output of mysqlslap; the first is line 3" in text
    assert "there is no interval and no verdict here" in text
    slap = graph_of("slap-engines.csv")
    alone = read_html(render_page(slap, charts(slap), "")).text
    assert "No run holds two percentiles" in alone
    assert "No run has interval lines" in alone


@pytest.mark.slow
def test_the_same_files_give_the_same_page(
    tmp_path: Path, forget_drawings: Callable[[], None]
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes((GOLDEN / "slap-engines.csv").read_bytes())
    made = []
    for _ in range(2):
        forget_drawings()
        graph = read([Wanted(str(path))])
        made.append(render_page(graph, charts(graph), ""))
    assert made[0] == made[1]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_is_wider_than_the_page(width: int, scheme: str, tmp_path: Path) -> None:
    browsers = pytest.importorskip("playwright.sync_api")
    path = tmp_path / "graph.html"
    path.write_text(page(), encoding="utf-8")
    with browsers.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        view = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        said: list[str] = []
        view.on("pageerror", lambda error: said.append(str(error)))
        view.goto(path.as_uri())
        wide = view.evaluate("document.documentElement.scrollWidth")
        shown = view.locator(".drawn:visible svg").count()
        browser.close()
    assert said == []
    assert wide <= width
    assert shown == len(charts(all_samples()))
