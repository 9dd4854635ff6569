"""Which room imports which, as CONTRIBUTING's table says, and what no command loads at once. The
order of the Python rooms is import-linter's.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[3]
ROW = re.compile(r"^\| `(?P<room>(?:crates/|dyno\.)\w+)` \| .+ \| (?P<may>.+) \|$", re.MULTILINE)


def rooms_of(kind: str) -> dict[str, set[str]]:
    """What each room of one kind imports, by the table of CONTRIBUTING."""
    rows = ROW.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    ours = {room.removeprefix(kind): may for room, may in rows if room.startswith(kind)}
    above: set[str] = set()
    table = {}
    for room, may in ours.items():
        every = above.copy() if may.startswith("all") else set()
        table[room] = every or set(may.split(", ")) - {"nothing"}
        above.add(room)
    return table


# The floor is the benches', and has no room.
ALLOWED = rooms_of("crates/") | {"floor": set()}
ROOMS = rooms_of("dyno.")


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Of each crate: the crates of the workspace that it imports, in tests and builds too."""
    cargo = shutil.which("cargo")
    assert cargo is not None, "cargo isn't on PATH"
    done = subprocess.run(
        [cargo, "metadata", "--no-deps", "--offline", "--format-version", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    packages = {p["name"].removeprefix("dyno-"): p for p in json.loads(done.stdout)["packages"]}
    return {
        name: {d["name"].removeprefix("dyno-") for d in package["dependencies"]} & packages.keys()
        for name, package in packages.items()
    }


def test_a_crate_imports_what_the_table_says(imports: dict[str, set[str]]) -> None:
    assert imports == ALLOWED


def test_every_crate_is_tested_with_assertions(imports: dict[str, set[str]]) -> None:
    settings = tomllib.loads((ROOT / "tests" / "checked.toml").read_text(encoding="utf-8"))
    checked = settings["profile"]["tests"]["package"]
    assert {name.removeprefix("dyno-") for name in checked} == imports.keys()
    assert all(crate["debug-assertions"] and crate["overflow-checks"] for crate in checked.values())


def test_a_room_imports_what_the_table_says() -> None:
    graph = grimp.build_graph("dyno", cache_dir=None)
    found: dict[str, set[str]] = {room: set() for room in ROOMS}
    for module in graph.modules - {"dyno"}:
        room = module.split(".")[1]
        imported = graph.find_modules_directly_imported_by(module) - {"dyno"}
        found.setdefault(room, set()).update({name.split(".")[1] for name in imported} - {room})
    assert found == ROOMS | {"cli": found["cli"]}, "cli may import all, the others what is said"


def test_what_is_slow_to_load_is_loaded_when_it_is_needed() -> None:
    """Each takes a fifth of a second or more, which nobody who types --help wants to wait for."""
    slow = {"scipy.special", "scipy.stats", "scipy.optimize", "distributed"}
    script = "import sys, dyno.cli.run, dyno.cli.report, dyno.cli.watch; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not slow & set(done.stdout.split())
