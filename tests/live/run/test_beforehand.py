"""What can't work, or can't be afforded, is refused before anything is started or made."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_run import Bench

from dyno.home import find_home
from dyno.servers import install

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")


def dyno(*arguments: str, cwd: Path, mounted: Path | None = None) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; with a new disk of 40 MB at `mounted`."""
    if mounted is not None:
        done = alone_in(mounted, f'{DISK % "40m"} && exec dyno "$@"', *arguments, cwd=cwd)
    else:
        done = subprocess.run(
            ["dyno", *arguments], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
        )
    return done.returncode, done.stdout, done.stderr


# For the shell, whose $0 is the place.
DISK = 'mount -t tmpfs -o size=%s,mode=755 none "$0"'


def alone_in(
    place: Path, script: str, *words: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """A shell's script whose mounts nobody else sees; `place` is its $0, and Dyno's home."""
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, str(place), *words],
        cwd=cwd,
        env=os.environ | {"DYNO_HOME": str(place)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.fixture
def place() -> Iterator[Path]:
    """An empty folder where the servers' user can get to, as it can't in a test's own folder."""
    folder = Path(tempfile.mkdtemp(prefix="test-"))
    folder.chmod(0o755)
    yield folder
    folder.rmdir()


@needs_root
def test_data_that_the_disk_cannot_hold(bench: Bench, tmp_path: Path) -> None:
    text = bench.experiment.read_text()
    bench.experiment.write_text(text.replace("rows = 2000", "rows = 1_000_000"))
    disk = tmp_path / "disk"
    disk.mkdir()
    for command in ("check", "run"):
        code, _, said = dyno(command, str(bench.experiment), cwd=tmp_path, mounted=disk)
        assert code == 2, said
        assert "error: the data take about" in said
        assert f"the disk of {disk} has" in said
        assert "--force" in said
    assert not (tmp_path / "runs").exists()
    code, _, said = dyno("check", str(bench.experiment), "--force", cwd=tmp_path, mounted=disk)
    assert code == 0, said


def test_data_that_take_longer_than_the_budget(bench: Bench, tmp_path: Path) -> None:
    text = bench.experiment.read_text()
    bench.experiment.write_text(text.replace("rows = 2000", "rows = 3_000_000"))
    code, _, said = dyno("check", str(bench.experiment), "--budget", "1s", cwd=tmp_path)
    assert code == 2, said
    assert "error: loading the data takes about" in said
    assert "the budget for measuring is 1" in said


def test_a_folder_here_is_an_experiment_and_check_repeats_what_was_typed(
    bench: Bench, tmp_path: Path
) -> None:
    code, shown, said = dyno("check", "small", "--scale", "2", "--seed", "7", cwd=tmp_path)
    assert code == 0, said
    assert "Run it with: dyno run small --scale 2 --seed 7" in shown


def test_what_only_the_generator_can_tell(bench: Bench, tmp_path: Path) -> None:
    (bench.experiment.parent / "broken.dat").write_text("no distribution\n")
    text = bench.experiment.read_text()
    head = text[: text.index("[workload]")]
    bench.experiment.write_text(
        head + '[workload]\nkind = "linkbench"\nids = 1000\ndistribution = "broken.dat"\n'
    )
    for command in ("check", "run"):
        code, _, said = dyno(command, str(bench.experiment), cwd=tmp_path)
        assert code == 2, said
        assert "broken.dat" in said
        assert said.count("error: ") == 1
    assert not (tmp_path / "runs").exists()


def test_a_server_that_nobody_knows(bench: Bench, tmp_path: Path) -> None:
    text = bench.experiment.read_text()
    bench.experiment.write_text(text.replace('server = "mariadb-', 'server = "mraiadb-', 1))
    for command in ("check", "run"):
        code, shown, said = dyno(command, str(bench.experiment), cwd=tmp_path)
        assert code == 2, said
        assert not shown
        assert "there is no server 'mraiadb-" in said
        assert "hint: did you mean 'mariadb-" in said
    assert not (tmp_path / "runs").exists()


FULL = """
import shutil, sys
from pathlib import Path
from dyno.errors import ServerError
from dyno.servers import create_data_dir, install, start
disk, mysql = Path(sys.argv[1]), install("mysql-5.6.24")
try:
    create_data_dir(mysql, disk / "small" / "data")
except ServerError as error:
    print(error.message)
create_data_dir(mysql, disk / "data")
with (disk / "rest").open("wb") as rest:
    try:
        while True:
            rest.write(bytes(65536))
            rest.flush()
    except OSError:
        pass
# No byte is left for its option file, and then some for it, and none for larger logs.
for left in (0, 64 * 1024):
    with (disk / "rest").open("r+b") as rest:
        rest.truncate((disk / "rest").stat().st_size - left)
    try:
        logs = {"innodb_log_file_size": 2**28}
        start(mysql, data_dir=disk / "data", run_dir=disk / "run", settings=logs)
    except ServerError as error:
        print(error.message)
"""


@needs_root
def test_a_server_on_a_full_disk(place: Path) -> None:
    """The disk is named, instead of what the server was about to write."""
    home = find_home().root
    script = (
        f'{DISK % "400m"} && mkdir "$0/small" && '
        'mount -t tmpfs -o size=20m,mode=755 none "$0/small" && '
        'DYNO_HOME="$2" exec python -c "$1" "$0"'
    )
    done = alone_in(place, script, FULL, str(home))
    assert done.returncode == 0, done.stderr
    copied, written, started = done.stdout.splitlines()
    assert f"to {place / 'small' / 'data'}" in copied
    assert "No space left on device" in copied
    assert "my.cnf can't be written: No space left on device" in written
    assert started.startswith(f"mysql-5.6.24 didn't start, since the disk of {place}")
    assert "is full" in started


@needs_root
def test_a_load_stops_before_the_disk_is_full(bench: Bench, place: Path) -> None:
    """With --force, on a disk of its own: the server isn't left without a byte in mid-write."""
    text = bench.experiment.read_text()
    more = text.replace("rows = 2000", "rows = 3_000_000").replace("length = 20", "length = 200")
    bench.experiment.write_text(more)
    servers = install("mariadb-10.1.8").home.parent
    script = f'{DISK % "500m"} && ln -s "$1" "$0/servers" && exec dyno run small --force'
    done = alone_in(place, script, str(servers), cwd=bench.path)
    assert done.returncode == 5, done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, done.stderr
    assert f"the disk of {place} is nearly full" in errors[0]
    assert "so the load was stopped" in errors[0]
