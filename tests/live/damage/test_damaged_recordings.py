"""What a killed `dyno sysbench --out` left is filed late by `dyno report`, or refused in a line."""

from __future__ import annotations

from pathlib import Path

import pytest
import recordings
from forks import Forks
from thinned import thinned

DOORS = sorted(recordings.DOORS)


@pytest.mark.parametrize("door", DOORS)
def test_a_whole_recording_is_filed(door: str, dyno: Forks, tmp_path: Path) -> None:
    folder = recordings.killed(tmp_path / "run", door)
    dyno.run("report", str(folder.path), cwd=tmp_path).require_one_line(door, codes={0})
    assert folder.state().state == "interrupted"
    assert folder.done() == {1}


@pytest.mark.parametrize("seed", thinned(range(200), least=12))
def test_a_damaged_recording(seed: int, dyno: Forks, tmp_path: Path) -> None:
    folder = recordings.killed(tmp_path / "run", DOORS[seed % 2])
    done = recordings.damage(folder, seed)
    ended = dyno.run("report", str(folder.path), cwd=tmp_path)
    ended.require_one_line(done, codes={0, 4, 5})
