"""Whatever an experiment file is, `dyno check` reads it or refuses it in one line, at once."""

from __future__ import annotations

import shutil
from pathlib import Path

import experiments
import pytest
from forks import Forks
from thinned import thinned

BASES = sorted(Path("experiments").glob("*/experiment.toml"))
# With those of the command line: exit codes of docs/reference/exit-codes.md.
READ, REFUSED = 0, 2


@pytest.mark.parametrize("seed", thinned(range(360), least=72))
def test_a_damaged_experiment(seed: int, dyno: Forks, tmp_path: Path) -> None:
    base = BASES[seed % len(BASES)]
    folder = tmp_path / "experiment"
    shutil.copytree(base.parent, folder)
    done, options = experiments.damage(folder / "experiment.toml", seed)
    ended = dyno.run("check", str(folder / "experiment.toml"), *options, cwd=tmp_path)
    ended.require_one_line(done, codes={READ, REFUSED})
    assert experiments.SECRET not in ended.stdout + ended.stderr, done


@pytest.mark.parametrize("seed", range(3600, 3606))
def test_what_check_refuses_run_refuses(seed: int, dyno: Forks, tmp_path: Path) -> None:
    base = BASES[seed % len(BASES)]
    folder = tmp_path / "experiment"
    shutil.copytree(base.parent, folder)
    experiments.damage(folder / "experiment.toml", seed)
    with (folder / "experiment.toml").open("a") as file:
        file.write("\nnot_toml")
    ended = dyno.run("run", str(folder / "experiment.toml"), cwd=tmp_path)
    ended.require_one_line(str(seed), codes={REFUSED})
    assert not (tmp_path / "runs").exists()
