"""Builds dynoload with the workload `scratch`, in a copy of the crates that stays between runs."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from test_one_place import insert

ROOT = Path(__file__).parents[3]
COPY = ROOT / "target" / "scratch"
WORKLOAD = Path(__file__).parent / "scratch_workload" / "scratch.rs"
CRATES = Path("crates", "workloads", "src")
# The two files that exist already: where the text goes, and the text.
EDITS = {
    CRATES / "lib.rs": ("pub mod script;\n", "pub mod scratch;\n"),
    Path("crates", "kinds", "src", "any.rs"): (
        "}\n\nimpl AnyWorkload {\n    /// Reads the part",
        '    /// One number.\n    "scratch" Scratch(workloads::scratch::Scratch),\n',
    ),
}


def _copy() -> None:
    shutil.rmtree(COPY, ignore_errors=True)
    # Times are copied too, so that cargo builds what was edited and what needs that.
    for folder in ("crates", "benches/floor"):
        shutil.copytree(ROOT / folder, COPY / folder)
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy2(ROOT / name, COPY / name)
    shutil.copy2(WORKLOAD, COPY / CRATES / "scratch.rs")
    for file, (before, text) in EDITS.items():
        insert(COPY / file, before, text)
    # A name of its own: the folder of what was built is shared with the true one.
    manifest = COPY / "crates" / "dynoload" / "Cargo.toml"
    insert(manifest, '"\npath = "src/main.rs"', "-scratch")


def _cargo(*arguments: str) -> None:
    done = subprocess.run(
        ["cargo", *arguments],
        cwd=COPY,
        env=os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def build() -> Path:
    """The program. Tests in several processes wait for one another."""
    COPY.parent.mkdir(exist_ok=True)
    with (COPY.parent / "scratch.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _copy()
        _cargo("fmt", "--check", "-p", "dyno-workloads", "-p", "dyno-kinds")
        checked = ("--profile", "tests", "--config", str(ROOT / "tests" / "checked.toml"))
        _cargo("build", "--quiet", "--locked", *checked, "-p", "dynoload")
    return ROOT / "target" / "tests" / "dynoload-scratch"
