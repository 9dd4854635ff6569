"""Finds experiments by name and runs by experiment. Reads names only."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from dyno.errors import SpecError, StoreError


def experiment_folders() -> Iterator[Path]:
    """Where experiments are looked for: here, $DYNO_EXPERIMENTS, then the bundled ones."""
    yield Path("experiments")
    if os.environ.get("DYNO_EXPERIMENTS"):
        yield Path(os.environ["DYNO_EXPERIMENTS"])
    yield Path(__file__).parents[3] / "experiments"
    yield Path(sys.prefix) / "share" / "dyno" / "experiments"


def list_experiments() -> dict[str, Path]:
    """Every experiment by name; a nearer one hides a bundled one of the same name."""
    found: dict[str, Path] = {}
    for folder in experiment_folders():
        for file in sorted(folder.glob("*/experiment.toml")):
            found.setdefault(file.parent.name, file.parent)
    return dict(sorted(found.items()))


def find_experiment(name: str) -> tuple[str, Path]:
    """The (name, path) of an experiment given by name, folder or file. Raises SpecError."""
    path = Path(name)
    if path.suffix == ".toml" or "/" in name:
        folder = path.parent if path.suffix == ".toml" else path
        label = folder.resolve().name if path.name == "experiment.toml" else path.stem
        return label, path
    known = list_experiments()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        raise SpecError(
            f"there is no experiment {name!r}",
            hint=f"did you mean {near[0]!r}?" if near else "dyno experiments lists them",
        )
    return name, known[name]


def runs_of(name: str, out: Path) -> list[Path]:
    """The run folders of an experiment, oldest first: their names begin with the time."""
    return sorted(p.parent for p in (out / name).glob("*/plan.json"))


def newest_run(name: str, out: Path) -> Path:
    """The newest run folder of an experiment. Raises StoreError if there is none."""
    runs = runs_of(name, out)
    if not runs:
        raise StoreError(
            f"there is no run of {name!r} in {out}", hint=f"start one with: dyno run {name}"
        )
    return runs[-1]
