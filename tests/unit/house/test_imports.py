"""Which crate may import which, and what no command loads at once. import-linter has the rest."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ALLOWED: dict[str, set[str]] = {
    "dyno-wire": set(),
    "dyno-load": set(),
    "dyno-floor": set(),
    "dyno-workloads": {"dyno-wire", "dyno-load"},
    "dyno-sysbench": {"dyno-wire", "dyno-load", "dyno-workloads"},
    "dyno-slap": {"dyno-wire", "dyno-load", "dyno-workloads"},
    "dyno-linkbench": {"dyno-wire", "dyno-load", "dyno-workloads"},
    "dynoload": {
        *("dyno-wire", "dyno-load", "dyno-workloads"),
        *("dyno-sysbench", "dyno-slap", "dyno-linkbench"),
    },
}


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
    packages = json.loads(done.stdout)["packages"]
    ours = {package["name"] for package in packages}
    return {p["name"]: {d["name"] for d in p["dependencies"]} & ours for p in packages}


def test_every_crate_has_a_rule(imports: dict[str, set[str]]) -> None:
    assert imports.keys() == ALLOWED.keys()


@pytest.mark.parametrize("crate", ALLOWED)
def test_a_crate_imports_only_what_it_may(imports: dict[str, set[str]], crate: str) -> None:
    assert imports[crate] <= ALLOWED[crate]


def test_the_program_is_made_of_all_of_them(imports: dict[str, set[str]]) -> None:
    assert imports["dynoload"] == ALLOWED["dynoload"]


def test_what_is_slow_to_load_is_loaded_when_it_is_needed() -> None:
    """Each takes half a second or more, which nobody who types --help wants to wait for."""
    slow = {"scipy.stats", "scipy.optimize"}
    script = "import sys, dyno.cli.run, dyno.cli.report, dyno.cli.watch; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not slow & set(done.stdout.split())
