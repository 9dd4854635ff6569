"""Dyno's home, the catalog, snapshots' keys, archives: what needs files but no server."""

from __future__ import annotations

import os
import re
import subprocess
import tarfile
import threading
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.errors import ServerError
from dyno.home import Home, User, find_home, locked, replacing, server_user, size_bytes, start_ticks
from dyno.servers import catalog, snapshots
from dyno.servers.catalog import library_packages, unknown_server
from dyno.servers.datadir import copy_folder
from dyno.servers.install import unpack
from dyno.servers.layout import find_plugins, make_readable
from dyno.servers.private import allows, clean_private_dirs, make_private_dir

NAMES = (
    "mysql-5.5.9 mysql-5.6.24 mariadb-10.1.8 mariadb-10.1.23 mariadb-10.2.11 mariadb-10.11.5 "
    "mariadb-11.4.5 mariadb-debian mariadb-trixie mariadb-sid mysql-sid path"
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home({"DYNO_HOME": str(tmp_path / "home")})


def test_the_catalog_is_complete_and_pinned() -> None:
    assert list(catalog()) == NAMES.split()
    for name, entry in catalog().items():
        assert entry.name == name
        assert entry.note
        if entry.source in ("maven", "npm"):
            assert re.fullmatch(r"[0-9a-f]{64}", str(entry.sha256))
            assert name == f"{entry.product}-{entry.version}"
        else:
            assert entry.sha256 is None
    sums = [entry.sha256 for entry in catalog().values() if entry.sha256]
    assert len(set(sums)) == len(sums)
    assert library_packages("libaio.so.1") == ("libaio1", "libaio1t64")
    assert library_packages("libnothing.so.9") == ()


def test_an_unknown_server_is_reported_with_the_nearest_name() -> None:
    error = unknown_server("maria-10.1.8", catalog())
    assert "did you mean 'mariadb-10.1.8'?" in str(error.hint)
    assert "did you mean" not in str(unknown_server("oracle", catalog()).hint)


def test_where_home_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert find_home({"DYNO_HOME": str(tmp_path / "a")}).root == tmp_path / "a"
    assert find_home({"XDG_DATA_HOME": str(tmp_path)}).root == tmp_path / "dyno"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_home({}).root == tmp_path / ".local/share/dyno"
    assert (tmp_path / "a/packages").is_dir()


def test_a_home_that_cant_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError, match="can't make Dyno's folder") as caught:
        find_home({"DYNO_HOME": str(tmp_path / "file/x")})
    assert "DYNO_HOME" in str(caught.value.hint)


def test_who_servers_run_as(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    user = server_user({})
    assert user is not None
    assert user.name == "nobody"
    with pytest.raises(ServerError, match="never run as root"):
        server_user({"DYNO_USER": "root"})
    with pytest.raises(ServerError, match="there is no user 'mrs-nobody'"):
        server_user({"DYNO_USER": "mrs-nobody"})
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert server_user({"DYNO_USER": "root"}) is None


def test_permissions_are_read_off_the_mode(tmp_path: Path) -> None:
    status = tmp_path.stat()
    tmp_path.chmod(0o751)
    owner = User("owner", status.st_uid, status.st_gid)
    group = User("group", status.st_uid + 1, status.st_gid)
    other = User("other", status.st_uid + 1, status.st_gid + 1)
    assert allows(tmp_path, owner, 0o7)
    assert allows(tmp_path, group, 0o5)
    assert not allows(tmp_path, group, 0o2)
    assert allows(tmp_path, other, 0o1)
    assert not allows(tmp_path, other, 0o4)


def test_a_process_is_known_by_its_start_and_a_zombie_is_none() -> None:
    mine = start_ticks(os.getpid())
    assert mine is not None
    assert start_ticks(os.getpid()) == mine
    with subprocess.Popen(["/bin/true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert start_ticks(child.pid) is None
    assert start_ticks(child.pid) is None


def test_only_folders_of_dead_dynos_are_cleaned(tmp_path: Path) -> None:
    alive, dead = make_private_dir(tmp_path, None).path, tmp_path / "dyno-dead"
    elsewhere, unknown = tmp_path / "dyno-elsewhere", tmp_path / "dyno-unknown"
    for folder in (dead, elsewhere, unknown):
        folder.mkdir()
    _, ticks, namespace = (alive / "owner").read_text().split()
    (dead / "owner").write_text(f"{os.getpid()} {int(ticks) + 1} {namespace}")
    (elsewhere / "owner").write_text(f"{os.getpid()} {int(ticks) + 1} pid:[1]")
    clean_private_dirs(tmp_path)
    assert set(tmp_path.iterdir()) == {alive, elsewhere, unknown}


def test_a_lock_is_held_by_one(home: Home) -> None:
    order: list[str] = []

    def second() -> None:
        with locked(home, "x"):
            order.append("second")

    with locked(home, "x"):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.2)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "t"
    with replacing(target) as new:
        (new / "a").write_text("1")
        assert not target.exists()
    (tmp_path / ".t.abcdefgh").mkdir()  # What a killed Dyno left.

    def fail() -> None:
        with replacing(target) as new:
            (new / "b").write_text("2")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["t"]
    assert [path.name for path in target.iterdir()] == ["a"]


def test_size_is_blocks_not_lengths(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(10 << 20)
    (tmp_path / "full").write_bytes(b"x" * 100_000)
    (tmp_path / "link").symlink_to("/usr")
    assert 100_000 <= size_bytes(tmp_path) < 1 << 20


def test_copying_keeps_modes_and_never_writes_over(tmp_path: Path) -> None:
    (tmp_path / "a/sub").mkdir(parents=True)
    (tmp_path / "a/sub/f").write_text("data")
    (tmp_path / "a/sub/f").chmod(0o640)
    copy_folder(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b/sub/f").read_text() == "data"
    assert (tmp_path / "b/sub/f").stat().st_mode & 0o777 == 0o640
    with pytest.raises(ServerError, match="isn't empty"):
        copy_folder(tmp_path / "a", tmp_path / "b")


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="can't copy"):
        copy_folder(tmp_path / "absent", tmp_path / "b")
    assert not (tmp_path / "b").exists()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner),
    max_leaves=5,
)


@given(st.dictionaries(st.text(), values, max_size=6))
def test_a_key_doesnt_depend_on_the_order(parts: dict[str, object]) -> None:
    turned = dict(reversed(list(parts.items())))
    assert snapshots.key(turned) == snapshots.key(parts)
    assert snapshots.key({**parts, "one more": 1}) != snapshots.key(parts)


def test_a_key_refuses_what_has_no_one_spelling() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        snapshots.key({"a": float("nan")})


def test_snapshots_of_plain_files(home: Home, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "t.ibd").write_bytes(b"rows")
    key = snapshots.key({"a": 1})
    with pytest.raises(ServerError, match="isn't a snapshot's key"):
        snapshots.get("../x", home=home)
    saved = snapshots.save(key, data, parts={"a": 1}, home=home)
    assert not saved.checked
    snapshots.mark_checked(key, home=home)
    checked = snapshots.get(key, home=home)
    assert checked is not None
    assert checked.checked
    assert (saved.path / "t.ibd").read_bytes() == b"rows"
    assert saved.parts == {"a": 1}
    snapshots.remove(key, home=home)
    snapshots.remove(key, home=home)
    assert snapshots.get(key, home=home) is None


def test_a_jar_loses_no_program_and_keeps_only_what_is_asked(tmp_path: Path) -> None:
    inner = tmp_path / "share.jar"
    with zipfile.ZipFile(inner, "w") as jar:
        jar.writestr("share/english/errmsg.sys", "messages")
    with zipfile.ZipFile(tmp_path / "p.jar", "w") as jar:
        jar.writestr("x/bin/mysqld", b"\x7fELF...")
        jar.writestr("x/text", "text")
        jar.writestr("other/bin/mysqld", "for another machine")
        jar.write(inner, "x/share.jar")
    root = tmp_path / "root"
    unpack(tmp_path / "p.jar", root, ("x/bin/", "x/share.jar"))
    make_readable(root)
    assert sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()) == [
        "x/bin/mysqld",
        "x/share/english/errmsg.sys",
    ]
    assert (root / "x/bin/mysqld").stat().st_mode & 0o777 == 0o755


def test_a_tarball_cant_write_outside(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("../evil"))
    (tmp_path / "root").mkdir()
    with pytest.raises(ServerError, match=r"tar says: .*Member name contains '\.\.'"):
        unpack(tmp_path / "evil.tar", tmp_path / "root")
    assert not (tmp_path / "evil").exists()


def test_a_file_that_is_not_an_archive(tmp_path: Path) -> None:
    (tmp_path / "x.tar.gz").write_text("<html>not found</html>")
    with pytest.raises(ServerError, match=r"x\.tar\.gz can't be unpacked"):
        unpack(tmp_path / "x.tar.gz", tmp_path)


def test_only_engines_and_providers_are_loaded(tmp_path: Path) -> None:
    for name in ("ha_archive.so", "provider_lz4.so", "ha_spider.so", "auth_pam.so", "x.txt"):
        (tmp_path / name).write_text("")
    assert find_plugins(tmp_path) == ("ha_archive", "provider_lz4")
    assert find_plugins(None) == ()
