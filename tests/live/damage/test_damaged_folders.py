"""Whatever became of a run folder, `dyno report` and `dyno graph` read it or refuse it in one line
that names the file: exit code 5, and 2 of the graph, for which it is an input file.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import mutations
import pytest
from damaged_runs import EXPERIMENTS
from forks import Forks
from thinned import WHOLE, thinned

KINDS = list(EXPERIMENTS) if WHOLE else ["statements", "tpcc"]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A run folder of each kind."""
    place = tmp_path_factory.mktemp("damage")
    for kind in KINDS:
        (place / kind).mkdir()
        (place / kind / "experiment.toml").write_text(EXPERIMENTS[kind])
        command = ["dyno", "run", str(place / kind), "--out", str(place / "runs")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [next((place / "runs" / kind).iterdir()) for kind in KINDS]


def test_whole_folders_are_read(runs: list[Path], dyno: Forks, tmp_path: Path) -> None:
    for run in runs:
        ended = dyno.run("report", str(run), cwd=tmp_path)
        ended.require_one_line("whole", codes={0})


@pytest.mark.parametrize("seed", thinned(range(240), least=12))
def test_a_damaged_folder(seed: int, runs: list[Path], dyno: Forks, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(runs[seed % len(runs)], folder)
    done = mutations.damage(folder, seed)
    ended = dyno.run("report", str(folder), cwd=tmp_path)
    ended.require_one_line(done, codes={0, 5})
    if ended.code == 5:
        assert str(folder) in ended.stderr
    graph = dyno.run("graph", str(folder), "--out", str(tmp_path / "graph.html"), cwd=tmp_path)
    graph.require_one_line(done, codes={0, 2, 5})
