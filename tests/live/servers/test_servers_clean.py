"""`dyno servers clean` frees the disk that snapshots take, in Dyno's own folder only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from dyno.home import Home
from dyno.servers import snapshots


def test_clean_removes_every_snapshot(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    data = tmp_path / "data"
    data.mkdir()
    (data / "t.MYD").write_bytes(b"x" * 100_000)
    home.snapshots.mkdir(parents=True)
    home.locks.mkdir()
    snapshots.save("0" * 64, data, home=home)
    done = subprocess.run(
        [sys.executable, "-m", "dyno.cli.main", "servers", "clean"],
        env=os.environ | {"DYNO_HOME": str(home.root)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert "1 snapshots removed" in done.stdout
    assert snapshots.list(home=home) == []
    assert (data / "t.MYD").exists()
