"""Reads a report as a strict parser and as a reader would: well-formedness, outline, plain text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
BLOCK = {"article", "dd", "div", "dt", "figcaption", "footer", "h1", "h2", "h3", "header", "li"}
BLOCK |= {"nav", "p", "pre", "section", "summary", "table", "title", "tr"}
CELL = {"td", "th"}
UNSEEN = {"style", "script", "svg"}


@dataclass
class Reading:
    """What a page holds."""

    text: str = ""
    ids: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    scripts: int = 0


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = Reading()
        self.open: list[str] = []
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.found.errors.append(f"<{tag}> has an attribute twice: {names}")
        given = dict(attrs)
        if given.get("id") is not None:
            self.found.ids.append(str(given["id"]))
        for name in ("href", "src"):
            if given.get(name) is not None:
                self.found.links.append(str(given[name]))
        self.found.scripts += tag == "script"
        self.found.tags.append(tag)
        if tag in BLOCK:
            self.pieces.append("\n")
        elif tag in CELL:
            self.pieces.append(" | ")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.found.errors.append(f"</{tag}> at {self.getpos()} closes nothing")

    def handle_data(self, data: str) -> None:
        if not UNSEEN & set(self.open):
            self.pieces.append(data if "pre" in self.open else " ".join(data.split("\n")))


def read_html(page: str) -> Reading:
    """Parse `page`; what is wrong with it is in `errors`."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    reader.found.errors += [f"<{tag}> is never closed" for tag in reader.open]
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).split("\n"))
    reader.found.text = "\n".join(line for line in lines if line) + "\n"
    return reader.found
