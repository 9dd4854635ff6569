"""The house measures: sizes, opening comments, forbidden words. Reads sources, runs none."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[3]
FILE_LINES_MOST = 500
FILE_LINES_TYPICAL = 200
FUNCTION_LINES_MOST = 70
COLUMNS_MOST = 100

# Put together here, so that this file doesn't hold what it looks for.
UNFINISHED = ("TO" + "DO", "FIX" + "ME", "XX" + "X:")
MACHINE_PATHS = ("/wo" + "rk/",)
REGISTRY_HOSTS = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("repo1", "maven", "org"),
        ("repo", "maven", "apache", "org"),
        ("static", "crates", "io"),
        ("index", "crates", "io"),
        ("proxy", "golang", "org"),
        ("deb", "debian", "org"),
    )
)
# Forms that read like a translation, and what to write instead.
WORDS = {
    r"\banew\b": "again",
    r"\b(?:is|are|was|were) told\b(?! apart| from)": "is shown, reported, given",
    r"\bof which (?:it )?is said\b": "that ... says of",
    r"\bcame to its (?:end|tasks)\b": "finished, reached",
    r"\bwhereof\b|\bthereof\b|\bhereof\b|\bwherein\b": "of which, of it, in which",
    r"\bso many (?:rows|ops|ids|trials|bytes|seconds|clients)\b(?!.* that)": "n rows, this many",
    r"(?<!there )\bis no (?:engine|server|number|metric|workload|experiment|folder)\b": "isn't a",
}
# In some crates also these.
CRATE_WORDS = {
    r"\btold\b(?! apart)": "reported, shown, given",
    r"\b(?:it|this|which|that|and|status|`\w+`) tells\b|^\W*Tells\b": "reports, shows, gives",
    r"\bso (?:many|much|often|long)\b(?!.*\b(?:that|as)\b)": "this many, n rows",
    r"\bis said\b|\bwas said\b|\bsaid to\b": "is sent, stands in, is reported",
    r"\bin words\b": "plainly, as an event",
    r"\b(?:came|comes?) to (?:its|their) (?:end|limit)\b": "ended, reached",
    r"\bit is no\b|\bhasn't \d": "it isn't a, it doesn't have",
    r"\bfn (?:told|tell|said|whole|of|connected|came)\b": "a verb or a clear noun",
}
# Where the forms of WORDS are looked for.
READ_FIRST = ("python", "crates", "tests", "benches", "docs", "experiments", "README.md")
READ_FIRST += ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Makefile")
CRATE_WORDS_IN = ("workloads", "load", "wire", "dynoload")
RUST_FUNCTION = re.compile(
    r"^(?P<indent> *)(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn (?P<name>\w+)"
)


def files() -> list[Path]:
    """Everything that git keeps or would keep."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = [ROOT / name for name in listed.stdout.split("\0") if name]
    return sorted(path for path in found if path.is_file())


FILES = files()
SOURCES = [
    path
    for path in FILES
    if path.suffix in (".py", ".rs")
    and path.relative_to(ROOT).parts[0] in ("python", "crates", "tests", "benches", "fuzz")
]
PYTHON = [path for path in SOURCES if path.suffix == ".py"]
RUST = [path for path in SOURCES if path.suffix == ".rs"]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def listed(found: Iterable[str]) -> str:
    """What a failed test says: all offenders, a line each."""
    return "\n" + "\n".join(found)


@cache
def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def python_functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and lines of each function, decorators not counted."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def rust_functions(text: list[str]) -> Iterator[tuple[str, int]]:
    """Name and lines of each function with a body; rustfmt ends it at its own indentation."""
    for begin, line in enumerate(text):
        found = RUST_FUNCTION.match(line)
        if found is None:
            continue
        head = next(i for i in range(begin, len(text)) if text[i].endswith(("{", ";", "}")))
        if text[head].endswith("{"):
            closing = found["indent"] + "}"
            end = next(i for i in range(head, len(text)) if text[i] == closing)
            yield found["name"], end - begin + 1
        elif text[head].endswith("}"):
            yield found["name"], head - begin + 1


def test_the_sources_are_found() -> None:
    assert len(PYTHON) > 60, "git listed too few Python files"
    assert len(RUST) > 30, "git listed too few Rust files"


def test_no_file_is_long_and_most_are_short() -> None:
    sizes = {named(path): len(lines(path)) for path in SOURCES}
    long = [f"{name}: {size}" for name, size in sizes.items() if size > FILE_LINES_MOST]
    assert not long, listed(long)
    assert median(sizes.values()) < FILE_LINES_TYPICAL


def test_no_function_is_longer_than_a_screen_or_two() -> None:
    functions = [(path, *f) for path in PYTHON for f in python_functions(path)]
    functions += [(path, *f) for path in RUST for f in rust_functions(lines(path))]
    assert len(functions) > 1000, "the scan finds too few functions"
    long = [f"{named(p)}: {name}, {n} lines" for p, name, n in functions if n > FUNCTION_LINES_MOST]
    assert not long, listed(long)


def test_the_rust_scan_counts_bodies() -> None:
    text = ["fn a() {", "    x", "}", "trait T {", "    fn b(&self);", "    fn c(", "    ) {}", "}"]
    assert list(rust_functions(text)) == [("a", 3), ("c", 2)]


def test_no_line_is_wider_than_the_page() -> None:
    wide = [
        f"{named(path)}:{number}"
        for path in SOURCES
        for number, line in enumerate(lines(path), 1)
        if len(line) > COLUMNS_MOST
    ]
    assert not wide, listed(wide)


def test_every_file_opens_by_saying_what_it_is() -> None:
    silent = [p for p in PYTHON if not ast.get_docstring(ast.parse(p.read_text("utf-8")))]
    silent += [p for p in RUST if not lines(p)[0].startswith("//!")]
    assert not silent, listed(map(named, silent))


def test_any_folders_of_tests_can_be_collected_together() -> None:
    # pytest imports test files by their bare names, and whichever conftest came last is `conftest`.
    tests = [path for path in PYTHON if ROOT / "tests" in path.parents]
    assert tests
    count = Counter(path.name for path in tests if path.name != "conftest.py")
    assert not (twice := [name for name, n in count.items() if n > 1]), listed(twice)
    imports = re.compile(r"^(from|import) conftest\b", re.MULTILINE)
    asking = [named(path) for path in tests if imports.search(path.read_text())]
    assert not asking, listed(asking)


def test_libraries_do_not_print() -> None:
    loud = [
        f"{named(path)}:{node.lineno}"
        for path in PYTHON
        if path.is_relative_to(ROOT / "python")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    loud += [
        f"{named(path)}:{number}"
        for path in RUST
        for number, line in enumerate(lines(path), 1)
        if re.search(r"\b(?:dbg|todo|unimplemented)!", line)
        or ("/src/" in named(path) and re.search(r"\be?println!", line))
    ]
    assert not loud, listed(loud)


def test_copies_of_models_are_checked() -> None:
    unchecked = [
        f"{named(path)}:{number}: write changed(model, key=value)"
        for path in PYTHON
        if path.is_relative_to(ROOT / "python")
        for number, line in enumerate(lines(path), 1)
        if re.search(r"\bmodel_(?:copy|construct)\(", line)
    ]
    assert not unchecked, listed(unchecked)


@pytest.mark.parametrize("word", [*UNFINISHED, *MACHINE_PATHS, *REGISTRY_HOSTS])
def test_no_file_holds_a_forbidden_word(word: str) -> None:
    holders = [named(path) for path in FILES if word.encode() in path.read_bytes()]
    assert not holders, listed(holders)


def is_plain(path: Path) -> bool:
    """Whether the forms of WORDS are looked for in a file."""
    room = path.relative_to(ROOT).parts[0]
    is_text = path.suffix in (".py", ".rs", ".lua", ".md", ".toml", ".html")
    return room in READ_FIRST and (is_text or path.name == "Makefile")


def holding(form: str, paths: Iterable[Path]) -> list[str]:
    """The lines that have a form."""
    return [
        f"{named(path)}:{number}: {line.strip()}"
        for path in paths
        for number, line in enumerate(lines(path), 1)
        # The name of a test is a sentence.
        if re.search(form, line.replace("_", " ") if "def test_" in line else line, re.IGNORECASE)
    ]


@pytest.mark.parametrize("form", WORDS)
def test_words_are_plain(form: str) -> None:
    found = holding(form, filter(is_plain, FILES))
    assert not found, f"write {WORDS[form]!r} instead:{listed(found)}"


@pytest.mark.parametrize("form", CRATE_WORDS)
def test_words_of_crates_are_plain(form: str) -> None:
    found = holding(form, (p for p in RUST if p.relative_to(ROOT).parts[1] in CRATE_WORDS_IN))
    assert not found, f"write {CRATE_WORDS[form]!r} instead:{listed(found)}"


def test_the_forms_are_found() -> None:
    """Each of them, in a line that had it."""
    held = [
        "/// What the server has told.",
        "/// Tells how far a table is.",
        "/// Connections are made by so many threads",
        "What is said next",
        "the first of each kind in words",
        "they came to their end",
        "it is no regular file",
        "fn whole(plan: &Plan)",
    ]
    for form, line in zip(CRATE_WORDS, held, strict=True):
        assert re.search(form, line, re.IGNORECASE), form
