"""Power that is pulled: what is lost and kept, what is never touched, and what is left behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rig import begin, loops_in, run
from waiting import wait_until

from dyno.power import lacking

# The module is read before the rights go: nobody may not enter this Python's folder.
AS_NOBODY = """
import os
from dyno.power import lacking
os.setresuid(65534, 65534, 65534)
print(lacking())
"""
SMALL = "size_bytes=64 * 1024 * 1024"


@pytest.fixture(autouse=True)
def rights() -> None:
    """A host without loop devices or root can't pull power, and says so."""
    missing = lacking()
    if missing is not None:
        pytest.skip(missing)


@pytest.mark.parametrize(
    ("tier", "lies", "survived"),
    [
        (1, False, {"fsync": 200, "O_DSYNC": 200, "O_DIRECT": 200, "plain": 0}),
        (2, False, {"fsync": 200, "O_DSYNC": 200, "O_DIRECT": 0, "plain": 0}),
        (2, True, {"fsync": 0, "O_DSYNC": 0, "O_DIRECT": 0, "plain": 0}),
    ],
)
def test_what_survives_a_pull(
    tmp_path: Path, tier: int, lies: bool, survived: dict[str, int]
) -> None:
    """Whoever calls sync(2) on this host meanwhile saves what a pull would lose, as the self-test
    then says. So there are three tries.
    """
    code = f"""
    disk = Disk(folder / "rig", tier={tier}, lies={lies}, {SMALL})
    disk.folder.mkdir()
    disk.make()
    found = self_test(disk)
    say([found.survived, found.problem])
    disk.remove()
    say(os.listdir(folder))
    """
    for attempt in range(3):
        (seen, problem), left = run(code, tmp_path / f"t{attempt}")
        if problem is None:
            break
    assert (seen, problem) == (survived, None)
    assert left == []
    assert loops_in(tmp_path) == []


def test_a_disk_that_keeps_too_much_gives_no_verdict(tmp_path: Path) -> None:
    """As if plain writes were flushed: the rig would find no server guilty."""
    code = f"""
    from dyno.power import selftest
    from dyno.power.disk import sync
    disk = Disk(folder / "rig", {SMALL})
    disk.folder.mkdir()
    disk.make()
    plain = selftest._WAYS["plain"]
    selftest._WAYS["plain"] = lambda path: (plain(path), sync(disk.data))
    say(self_test(disk).problem)
    disk.remove()
    """
    assert run(code, tmp_path / "t") == ["200 of 200 writes (plain) survived, and 0 must"]


NOT_OURS = {
    "the root's file system": ("Mounted(Path('/'), disk.image, disk._token)", "isn't on a loop"),
    "a folder of a host's file system": (
        "Mounted(folder, disk.image, disk._token)",
        "it isn't on a loop device",
    ),
    "another image": ("Mounted(other.outer, disk.image, disk._token)", "device isn't of"),
    "no mark": ("Mounted(disk.outer, disk.image, disk._token)", "has no mark of ours"),
    "another test's mark": ("Mounted(disk.outer, disk.image, 'x' * 32)", "mark isn't of this test"),
    "a longer mark": ("Mounted(disk.outer, disk.image, disk._token[:-1])", "mark isn't of this"),
    "a folder of the host's bound over it": (
        "Mounted(disk.outer, disk.image, disk._token)",
        "it isn't on a loop device",
    ),
    "another disk bound over it": (
        "Mounted(disk.outer, disk.image, disk._token)",
        "device isn't of",
    ),
    "an image that became a link": (
        "Mounted(disk.outer, disk.image, disk._token)",
        "device isn't of",
    ),
    "a mark that is a link": ("Mounted(disk.outer, disk.image, disk._token)", "has no mark"),
}


@pytest.mark.parametrize("what", NOT_OURS)
def test_nothing_but_our_own_is_ever_shut_down(tmp_path: Path, what: str) -> None:
    mounted, words = NOT_OURS[what]
    code = f"""
    import subprocess
    from dyno.power.disk import sync
    from dyno.power.pull import MARK, Mounted, pull
    disk, other = (Disk(folder / name, {SMALL}) for name in ("one", "two"))
    for each in (disk, other):
        each.folder.mkdir()
        each.make()
    mark = disk.outer / MARK
    if {what!r} == "no mark":
        mark.unlink()
    elif {what!r} == "a mark that is a link":
        (folder / "elsewhere").write_text(disk._token)
        mark.unlink()
        mark.symlink_to(folder / "elsewhere")
    elif "bound over it" in {what!r}:
        bound = other.outer if "another" in {what!r} else folder
        subprocess.run(["mount", "--bind", str(bound), str(disk.outer)], check=True)
    elif "became a link" in {what!r}:
        disk.image.rename(folder / "moved")
        disk.image.symlink_to(other.image)
    try:
        pull({mounted})
        say("pulled")
    except PowerError as error:
        say(error.message)
    if "bound over it" in {what!r}:
        subprocess.run(["umount", str(disk.outer)], check=True)
    for each in (disk, other):
        (each.data / "alive").write_text("yes")
        sync(each.data)
        say((each.data / "alive").read_text())
        each.remove()
    """
    message, one, two = run(code, tmp_path / "t")
    assert words in message
    assert (one, two) == ("yes", "yes")


def test_a_mount_point_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    code = f"""
    from dyno.power.pull import Mounted, pull
    disk = Disk(folder / "one", {SMALL})
    disk.folder.mkdir()
    disk.make()
    (folder / "link").symlink_to(disk.outer)
    try:
        pull(Mounted(folder / "link", disk.image, disk._token))
    except OSError as error:
        say(error.errno)
    disk.remove()
    """
    assert run(code, tmp_path / "t") in ([20], [40])


def test_kill_9_leaves_no_mount_and_no_device(tmp_path: Path) -> None:
    code = f"""
    disk = Disk(folder / "rig", tier=2, {SMALL})
    disk.folder.mkdir()
    disk.make()
    say("made")
    input()
    """
    process = begin(code, tmp_path / "t")
    assert process.stdout is not None
    assert json.loads(process.stdout.readline()) == "made"
    assert len(loops_in(tmp_path)) == 2
    assert str(tmp_path) not in Path("/proc/self/mountinfo").read_text(), "mounts are private"
    process.send_signal(signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()
    # The kernel unmounts after the process has ended.
    wait_until(lambda: not loops_in(tmp_path))


def test_a_copy_of_the_mount_elsewhere_is_seen(tmp_path: Path) -> None:
    """Who unshares while the image is mounted holds it: a remount would give the dead one again."""
    code = f"""
    import subprocess
    from dyno.power import loops
    loops.GONE_S = 1.0
    disk = Disk(folder / "rig", {SMALL})
    disk.folder.mkdir()
    disk.make()
    holder = subprocess.Popen(["unshare", "-m", "sleep", "60"])
    import time
    time.sleep(0.5)
    disk.pull()
    try:
        disk.restore()
        say("restored")
    except PowerError as error:
        say(error.message)
    holder.kill()
    holder.wait()
    """
    [message] = run(code, tmp_path / "t")
    assert "though it was unmounted" in message


def test_a_user_without_rights_reads_what_is_missing() -> None:
    words = subprocess.run(
        [sys.executable, "-c", AS_NOBODY], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert words.startswith("Power cuts need root, because they mount a file system")
    assert "the right to mount (CAP_SYS_ADMIN)" in words
    assert words.endswith("what an unsynced page cache would lose.")
