"""A crash before anything was acknowledged tests nothing. One is passed over, three aren't."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from small_series import FLUSH_2, ended, write

# Whether the first answer comes before a crash is chance, so it is said here that it didn't.
WITH_EARLY = """
import dyno.runner.crashes.series as series
from dyno.cli.main import main
from dyno.errors import LoadError
crash_once = series.crash_once
def early(template, site, order, folder):
    if order.round < EARLY:
        raise LoadError(f"{order.cell.arm}: no ops were acknowledged")
    return crash_once(template, site, order, folder)
series.crash_once = early
main()
"""


@pytest.mark.parametrize(("early", "code", "kept"), [(1, 0, [2, 3]), (3, 4, [])])
def test_an_arm_is_given_up_after_three(
    tmp_path: Path, early: int, code: int, kept: list[int]
) -> None:
    experiment = write(tmp_path, FLUSH_2, kinds=["kill"], each=3)
    arguments = ["run", str(experiment), "--out", str(tmp_path / "runs")]
    script = WITH_EARLY.replace("EARLY", str(early))
    done = ended([sys.executable, "-c", script, *arguments])
    assert done.returncode == code, done.stderr
    crashes = (tmp_path / "runs").glob("small/*/crashes/*.json")
    assert sorted(int(path.stem) for path in crashes) == kept
    note = "flush 2 failed before its crash: no ops were acknowledged"
    assert done.stderr.count(note) == min(early, 2)
    assert ("error: flush 2: no ops were acknowledged" in done.stderr) == bool(code)
    assert "Traceback" not in done.stderr
