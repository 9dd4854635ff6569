"""An image that gets full: what is lost then isn't the server's fault, so nothing was tested."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from rig import loops_in
from small_series import FLUSH_2, ended, needs_power, write

from dyno.home import find_home

# Each statement is written twice, in a table and in the binary log.
ARM = FLUSH_2.replace("{ ", '{ log_bin = "binlog", server_id = 1, ')
WITH_ROOM = """
import dyno.runner.crashes.series as series
from dyno.cli.main import main
series.ROOM_BYTES = ROOM_MB * 1024 * 1024
main()
"""


@needs_power
@pytest.mark.parametrize(
    ("room_mb", "begins"),
    [
        (40, "error: mariadb-debian didn't start, since the disk of "),
        (70, "error: the image was full: "),
    ],
)
def test_a_full_image_is_one_clear_line(tmp_path: Path, room_mb: int, begins: str) -> None:
    """The server doesn't fit, or the load fills what is left."""
    experiment = write(tmp_path, ARM, kinds=["power"], each=1, warmup_s=4)
    code = WITH_ROOM.replace("ROOM_MB", str(room_mb))
    arguments = ["run", str(experiment), "--out", str(tmp_path / "runs")]
    done = ended([sys.executable, "-c", code, *arguments])
    assert done.returncode == 3, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith(("error:", "hint:"))]
    assert len(said) == 2, done.stderr
    assert said[0].startswith(begins)
    assert "the image was full: " in said[0]
    assert said[0].endswith(" were free")
    assert said[1].startswith("hint: make the load shorter")
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "runs").glob("small/*"))
    work = find_home().work
    assert loops_in(work) == []
    assert str(work) not in Path("/proc/self/mountinfo").read_text()
    assert list(work.glob("dyno-*")) == []
