"""Root writes beside a process of the servers' own user that plants links wherever it can: no file
of anybody else's changes, and nothing waits for what it left lying about.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from thinned import thinned

from dyno.home import Home, server_user
from dyno.servers import Installation, create_data_dir, start
from dyno.servers.private import clean_private_dirs, make_private_dir

# Names that Dyno has for files and folders. With those of the server's own files it could only be
# kept from starting, which who is the same user always can.
NAMES = ("my.cnf", "owner", "server.err", "init.err", "snapshot.json", "s", "data", "mysql", "test")
# In Perl, which every Debian has where everybody may run it.
PLANTER = r"""
$| = 1;
my ($victim, $names, @places) = @ARGV;
my @names = split / /, $names;
sub folders {
    my ($top) = @_;
    opendir(my $handle, $top) or return ();
    my @found = grep { !/^\.\.?$/ && !-l "$top/$_" && -d _ } readdir($handle);
    return map { ("$top/$_", folders("$top/$_")) } @found;
}
print "ready\n";
while (getppid() != 1) {
    for my $place (@places) {
        for my $folder ($place, folders($place)) {
            # Those that can't be listed may still be walked through.
            for my $deeper ("", "/s", "/data", "/data/mysql") {
                symlink($victim, "$folder$deeper/$_") for @names;
            }
        }
    }
}
"""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@contextmanager
def planting(victim: Path, *places: Path) -> Iterator[None]:
    """A process of the servers' user that plants links to `victim` in what lies in `places`.

    Those are the test's own: what runs beside it has the same user, and would be hit as well.
    """
    user = server_user()
    assert user is not None
    process = subprocess.Popen(
        ["perl", "-e", PLANTER, str(victim), " ".join(NAMES), *map(str, places)],
        user=user.uid,
        group=user.gid,
        extra_groups=[],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        yield
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def shared() -> Iterator[Path]:
    """As /tmp: everybody may make folders there."""
    with tempfile.TemporaryDirectory(prefix="test-", dir="/tmp") as name:
        Path(name).chmod(0o1777)
        yield Path(name)


@pytest.fixture
def victim(work: Path) -> Path:
    path = work / "victim"
    path.write_text("precious")
    path.chmod(0o600)
    return path


@needs_root
def test_no_file_is_written_through_a_link(
    mariadb: Installation,
    home: Home,
    work: Path,
    shared: Path,
    victim: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = victim.stat()
    monkeypatch.setenv("TMPDIR", str(shared))
    with planting(victim, shared, work):
        for number in thinned(range(50), least=12):
            data = work / f"data-{number}"
            create_data_dir(mariadb, data, home=home)
            with start(mariadb, data_dir=data, run_dir=work / f"run-{number}") as server:
                assert server.is_alive()
    after = victim.stat()
    assert victim.read_text() == "precious"
    for what in ("st_mode", "st_uid", "st_gid", "st_mtime_ns", "st_ctime_ns", "st_nlink"):
        assert getattr(after, what) == getattr(before, what), what
    assert [path for path in shared.iterdir() if path.name.startswith("dyno-")] == []
    # It had its chances: in the data folders, which belong to it as to the servers.
    assert any(path.is_symlink() for path in work.rglob("*"))


@needs_root
def test_what_a_data_folder_is_initialised_in_is_as_safe(
    mariadb: Installation, new_home: Home, work: Path, victim: Path
) -> None:
    new_home.root.chmod(0o755)
    (new_home.servers / mariadb.name).symlink_to(mariadb.home)
    with planting(victim, new_home.work, new_home.data, new_home.root):
        create_data_dir(mariadb, work / "data", home=new_home)
    assert victim.read_text() == "precious"
    assert victim.stat().st_mode & 0o777 == 0o600


@needs_root
def test_foreign_folders_are_not_opened(shared: Path) -> None:
    user = server_user()
    assert user is not None
    trap = shared / "dyno-trap"
    trap.mkdir()
    # Opening it to read waits for somebody who writes.
    os.mkfifo(trap / "owner")
    for path in (trap / "owner", trap):
        os.chown(path, user.uid, user.gid)
    ours = shared / "dyno-ours"
    ours.mkdir()
    os.mkfifo(ours / "owner")
    linked = shared / "dyno-linked"
    linked.mkdir()
    (linked / "owner").symlink_to("/proc/self/cmdline")
    (shared / "dyno-file").write_text("no folder")
    clean_private_dirs(shared)
    made = make_private_dir(shared, user)
    assert made.inner.stat().st_uid == user.uid
    assert made.path.stat().st_uid == os.geteuid()
    assert {path.name for path in shared.iterdir()} > {"dyno-trap", "dyno-ours", "dyno-linked"}
