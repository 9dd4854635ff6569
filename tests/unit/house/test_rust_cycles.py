"""Files of a crate that import one another in a circle are read and changed as one: few may be.

An edge is a `use` or a written path into another file of the crate, in tests too. `mod child;`
alone is none. A file that defines nothing passes on what it re-exports: a name that is taken from
it counts as taken from the file that defines it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FILES_MOST = 3
# Two command lines have larger ones still, which may only shrink.
LARGER = {"slap": 8, "sysbench": 4}
CRATES = sorted(path.parent.name for path in (ROOT / "crates").glob("*/src"))

Module = tuple[str, ...]
PUB = r"(?:pub(?:\([^)]*\))? )?"
ASIDE = re.compile(r"//[^\n]*|b?'(?:[^'\\]|\\.)'|r#\".*?\"#|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
CHILD = re.compile(r"(?:#\[path = \"(\w+)\.rs\"\]\n *)?" + PUB + r"mod (\w+);")
ITEM = re.compile(
    rf"^{PUB}(?:(?:const|async|unsafe) )*"
    r"(?:struct|enum|union|trait|fn|type|const|static|impl|macro_rules!)\b",
    re.MULTILINE,
)
INLINE = re.compile(rf"^( *){PUB}mod (\w+) \{{$.*?^\1\}}$", re.MULTILINE | re.DOTALL)
USE = re.compile(rf"^ *({PUB})use ([^;]+);", re.MULTILINE)
WRITTEN = re.compile(r"(?<![\w:$])\$?([a-z_]\w*(?:::\w+)+)")


@dataclass
class Source:
    """A file, with what it takes: paths, each with the module in which it is written."""

    module: Module
    taken: list[tuple[Module, Module]]
    exports: dict[str, Module]


def leaves(tree: str) -> Iterator[tuple[Module, str]]:
    """The paths of a `use`, each with the name that it gets."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    if brace:
        depth, part = 0, ""
        for letter in rest[: rest.rindex("}")] + ",":
            depth += (letter == "{") - (letter == "}")
            if letter == "," and depth == 0:
                if part.strip():
                    yield from leaves(head + part.strip())
                part = ""
            else:
                part += letter
        return
    path, _, alias = tree.partition(" as ")
    names = tuple(path.split("::"))
    names = names[:-1] if names[-1] == "self" and len(names) > 1 else names
    yield names, alias.strip() or names[-1]


def scopes(text: str, module: Module) -> Iterator[tuple[Module, str]]:
    """The text of a file, and that of the modules written within it, each under its own name."""
    for inline in INLINE.finditer(text):
        body = inline[0].split("\n", 1)[1].rsplit("\n", 1)[0]
        yield from scopes(body, (*module, inline[2]))
    yield module, INLINE.sub("", text)


def read(path: Path, module: Module) -> Source:
    # Strings and comments are no paths.
    text = ASIDE.sub("", path.read_text(encoding="utf-8"))
    passes_on = ITEM.search(INLINE.sub("", text)) is None
    source = Source(module, [], {})
    for scope, body in scopes(text, module):
        written = WRITTEN.findall(USE.sub("", body))
        source.taken += [(scope, tuple(names.split("::"))) for names in written]
        for use in USE.finditer(body):
            for names, alias in leaves(" ".join(use[2].split())):
                if use[1] and scope == module and passes_on:
                    source.exports[alias] = names
                else:
                    source.taken.append((scope, names))
    return source


class Crate:
    """The files of a crate by their modules."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources: dict[Module, Source] = {}
        self.paths: dict[Module, Path] = {}
        root = folder / "lib.rs"
        self._add(root if root.is_file() else folder / "main.rs", ())

    def _add(self, path: Path, module: Module) -> None:
        self.sources[module] = read(path, module)
        self.paths[module] = path
        is_root = path.name in ("lib.rs", "main.rs", "mod.rs")
        beside = path.parent if is_root else path.parent / path.stem
        for file, name in CHILD.findall(path.read_text(encoding="utf-8")):
            if file:
                child = path.parent / f"{file}.rs"
            else:
                child = beside / f"{name}.rs"
                child = child if child.is_file() else beside / name / "mod.rs"
            self._add(child, (*module, name))

    def owner(self, scope: Module, names: Module) -> Module | None:
        """The module that a path comes from; None for another crate's or a local name."""
        at, rest = scope, list(names)
        if rest[0] == "crate":
            at, rest = (), rest[1:]
        elif rest[0] in ("self", "super"):
            while rest and rest[0] in ("self", "super"):
                at, rest = (at[:-1] if rest[0] == "super" else at), rest[1:]
        elif (*at, rest[0]) not in self.sources:
            return None
        while rest and (*at, rest[0]) in self.sources:
            at, rest = (*at, rest[0]), rest[1:]
        while at not in self.sources:
            # A module that is written within a file.
            at = at[:-1]
        exports = self.sources[at].exports
        if rest and rest[0] in exports:
            return self.owner(at, (*exports[rest[0]], *rest[1:]))
        return at

    def edges(self) -> dict[Module, set[Module]]:
        found: dict[Module, set[Module]] = {}
        for module, source in self.sources.items():
            owners = {self.owner(scope, names) for scope, names in source.taken}
            found[module] = {owner for owner in owners if owner is not None} - {module}
        return found

    def circles(self) -> list[list[str]]:
        """Sets of files of which each reaches each, the largest first."""
        edges = self.edges()
        reached = {module: reach(edges, module) for module in edges}
        circles = {
            frozenset(other for other in reached[module] if module in reached[other])
            for module in edges
        }
        named = [sorted(str(self.paths[m].relative_to(self.folder)) for m in c) for c in circles]
        return sorted((files for files in named if files), key=lambda files: (-len(files), files))


def reach(edges: dict[Module, set[Module]], begin: Module) -> set[Module]:
    """All that can be reached from a file by one edge or more."""
    seen: set[Module] = set()
    left = [begin]
    while left:
        new = edges[left.pop()] - seen
        seen |= new
        left += new
    return seen


@pytest.mark.parametrize("crate", CRATES)
def test_few_files_import_one_another_in_a_circle(crate: str) -> None:
    most = LARGER.get(crate, FILES_MOST)
    circles = Crate(ROOT / "crates" / crate / "src").circles()
    found = [f"{len(files)} files: {' '.join(files)}" for files in circles if len(files) > most]
    assert not found, "\n" + "\n".join(found)


def test_every_file_of_a_crate_is_read_and_most_import_another() -> None:
    folder = ROOT / "crates" / "workloads" / "src"
    crate = Crate(folder)
    assert set(crate.paths.values()) == set(folder.rglob("*.rs"))
    assert sum(map(len, crate.edges().values())) > 2 * len(crate.paths)


def written(folder: Path, files: dict[str, str]) -> Crate:
    """A made-up crate."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Crate(folder)


# `a` takes from `b`, that from `c::deep`, and that from `a` by any of these.
WAYS_BACK = (
    "use crate::a::{self as other, Thing as Renamed};",
    "use super::super::a::Thing;",
    "fn f() { let x = crate::a::Thing; }",
    "#[cfg(test)]\nmod tests {\n    use super::super::super::a::Thing;\n}",
    "use crate::{\n    b::{B},\n    a::{\n        Thing,\n    },\n};",
    "use crate::passing::Thing;",
)


@pytest.mark.parametrize("back", [*WAYS_BACK, ""])
def test_a_circle_is_found_however_it_is_written(back: str, tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod a;\npub mod b;\nmod c;\nmod passing;\n",
        "a.rs": "use crate::b::B;\nuse std::fmt;\npub struct Thing;\n",
        "b.rs": "//! Not `crate::a::Thing`.\npub struct B(crate::c::Deep);\n",
        "c/mod.rs": "mod deep;\npub use deep::Deep;\n",
        "c/deep.rs": f"{back}\npub struct Deep;\n",
        "passing.rs": "pub use crate::a::*;\npub use crate::a::Thing;\n",
    }
    circles = written(tmp_path, files).circles()
    assert circles == ([["a.rs", "b.rs", "c/deep.rs"]] if back else [])


def test_a_parent_that_defines_something_stands_for_itself(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod c;\nmod user;\n",
        "c/mod.rs": "mod deep;\npub use deep::Deep;\npub struct Own;\n",
        "c/deep.rs": "use crate::user::User;\npub struct Deep;\n",
        "user.rs": "use crate::c::Deep;\npub struct User;\n",
    }
    assert written(tmp_path, files).circles() == [["c/deep.rs", "c/mod.rs", "user.rs"]]
