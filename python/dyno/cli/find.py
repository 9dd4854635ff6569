"""Finds experiments by name and runs by experiment. Reads names only."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from dyno.errors import SpecError, StoreError
from dyno.spec.printable import printable
from dyno.spec.words import shortened

# What names the folder of its runs.
LABEL_MAX = 100


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
    known = list_experiments()
    if path.suffix == ".toml" or "/" in name or (name not in known and _is_experiment(path)):
        if path.suffix == ".toml" and path.name != "experiment.toml":
            label = path.stem
        else:
            label = (path.parent if path.suffix == ".toml" else path).resolve().name
        return printable(label)[:LABEL_MAX] or "experiment", path
    if name not in known:
        near = difflib.get_close_matches(name[:LABEL_MAX], known, n=1, cutoff=0.5)
        raise SpecError(
            f"there is no experiment {shortened(name)!r}",
            hint=f"did you mean {near[0]!r}?"
            if near
            else "dyno experiments lists them; a folder with an experiment.toml will do, too",
        )
    return name, known[name]


def _is_experiment(path: Path) -> bool:
    return (path / "experiment.toml").is_file()


def runs_of(name: str, out: Path) -> list[Path]:
    """The run folders of an experiment, oldest first: their names begin with the time."""
    return sorted(p.parent for p in (out / name).glob("*/plan.json"))


def find_run(name: str, out: Path) -> Path:
    """A run folder, or the newest one of the experiment of this name, which may be a folder here,
    too. Raises StoreError if there is none.
    """
    if (Path(name) / "plan.json").exists():
        return Path(name)
    runs = runs_of(Path(name).name, out)
    if not runs:
        if Path(name).is_dir() and not _is_experiment(Path(name)):
            return Path(name)
        can_run = name in list_experiments() or _is_experiment(Path(name))
        raise StoreError(
            f"there is no run of {shortened(name)!r} in {out}",
            hint=f"start one with: dyno run {name} --out {out}"
            if can_run
            else "give a run folder, or an experiment's name and its runs' folder with --out",
        )
    return runs[-1]
