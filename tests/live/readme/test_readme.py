"""The commands of README and guides: each is run as printed, or its subcommand and flags exist.

A block of commands is marked in its fence, "```console run" or "```console flags". A block of any
other kind than these and the quiet ones fails, so that none is forgotten.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BIN = Path(sys.executable).parent
FENCE = re.compile(r"^```(?P<mark>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
# Shown, not typed; TOML is parsed by tests/unit/house/test_docs.py.
QUIET = {"text", "python", "toml part", "toml experiment", "toml crashes", "toml hosts"}
# What a shell has anyway; everything else must be Dyno's or a target of make.
EVERYDAY = {"cd", "export", "git", "pip", "source"}
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "experiments/*/README.md")
    for page in ROOT.glob(pattern)
)
# A command may have to fetch a server first.
LIMIT_S = 900


def blocks(page: Path) -> list[tuple[str, list[str]]]:
    """The fenced blocks of a page: mark and commands; what has no prompt is output."""
    found = []
    for block in FENCE.finditer(page.read_text(encoding="utf-8")):
        prompted = [line for line in block["body"].splitlines() if line.startswith("$ ")]
        found.append((block["mark"], [line.removeprefix("$ ") for line in prompted]))
    return found


def commands(mark: str) -> list[tuple[Path, str]]:
    """Every command in blocks of a mark, with its page."""
    return [
        (page, command)
        for page in PAGES
        for found, typed in blocks(page)
        if found == mark
        for command in typed
    ]


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command as a reader types it, in a folder without a checkout."""
    return subprocess.run(
        shlex.split(command),
        cwd=folder,
        env=os.environ
        | {
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "DYNO_EXPERIMENTS": str(ROOT / "experiments"),
        },
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


@cache
def help_of(*words: str) -> str:
    """What `words --help` prints, wide and without colour."""
    done = subprocess.run(
        [str(BIN / words[0]), *words[1:], "--help"],
        env=os.environ | {"COLUMNS": "300", "NO_COLOR": "1", "TERM": "dumb"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(words)} --help: {done.stdout}{done.stderr}"
    return done.stdout


def is_subcommand(words: list[str], word: str) -> bool:
    """Whether the help of `words` lists `word` among its commands."""
    return re.search(rf"^[│|\s]*{re.escape(word)}\s", help_of(*words), re.MULTILINE) is not None


def check_flags(command: str) -> None:
    """The subcommand exists, and its help has every flag; a make target exists."""
    words = shlex.split(command)
    if words[0] in EVERYDAY:
        return
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        for target in words[1:]:
            assert re.search(rf"^{target}:.*##", makefile, re.MULTILINE), f"no target {target}"
        return
    assert words[0] in ("dyno", "dynoload"), f"{command}: an unknown program"
    path, rest = words[:1], words[1:]
    while rest and not rest[0].startswith("-") and "COMMAND" in help_of(*path).upper():
        assert is_subcommand(path, rest[0]), f"{command}: {' '.join(path)} has no {rest[0]}"
        path, rest = [*path, rest[0]], rest[1:]
        if "COMMAND [ARGS]" not in help_of(*path):
            break
    for flag in (word.partition("=")[0] for word in rest if word.startswith("-")):
        assert re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", help_of(*path)), (
            f"{command}: {' '.join(path)} has no {flag}"
        )


def test_every_block_is_run_checked_or_quiet() -> None:
    known = {"console run", "console flags"} | QUIET
    loose = [f"{p.relative_to(ROOT)}: {m!r}" for p in PAGES for m, _ in blocks(p) if m not in known]
    assert not loose, f"mark these blocks as console run or console flags: {loose}"
    empty = [
        p.name for p in PAGES for m, typed in blocks(p) if m.startswith("console") != bool(typed)
    ]
    assert not empty, f"console blocks have prompts, others have none: {empty}"


def test_the_readme_has_commands_of_both_kinds() -> None:
    readme = ROOT / "README.md"
    assert sum(page == readme for page, _ in commands("console run")) >= 5
    assert sum(page == readme for page, _ in commands("console flags")) >= 3


@pytest.mark.parametrize("command", sorted({c for _, c in commands("console flags")}))
def test_a_command_that_is_not_run_exists_with_its_flags(command: str) -> None:
    check_flags(command)


@pytest.mark.parametrize(
    "wrong",
    ["dyno measure a-a", "dyno run a-a --fast", "dyno servers lists", "make coffee", "rm x"],
)
def test_the_check_of_flags_can_fail(wrong: str) -> None:
    with pytest.raises(AssertionError):
        check_flags(wrong)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "page",
    sorted({page for page, _ in commands("console run")}),
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_commands_of_a_page_run_as_printed(page: Path, tmp_path: Path) -> None:
    for command in (c for p, c in commands("console run") if p == page):
        done = shell(command, tmp_path)
        assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
        assert done.stdout, f"$ {command} printed nothing"
        assert "Traceback" not in done.stderr
    if page == ROOT / "README.md":
        (report,) = tmp_path.glob("trying/a-a/*/report.html")
        assert report.stat().st_size > 10_000
