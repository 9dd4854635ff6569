"""Servers that are really killed, and whose disks really lose power: what is found to be lost."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from rig import loops_in
from small_series import (
    FLUSH_1,
    FLUSH_2,
    LEDGER,
    argv,
    cell,
    dyno,
    ended,
    environment,
    needs_power,
    run,
    run_folder,
    write,
)
from thinned import WHOLE, in_test_all
from waiting import wait_until

from dyno.home import find_home


@needs_power
def test_flush_2_loses_when_the_power_goes_and_flush_1_does_not(tmp_path: Path) -> None:
    """The control that parts the tiers: under kill -9 it loses nothing."""
    experiment = write(
        tmp_path, FLUSH_1 + FLUSH_2, kinds=["kill", "power"], top='control = "flush 2"'
    )
    found = run(tmp_path, experiment)
    lost = cell(found, "flush 2", "power")
    # A cut right after the flush of each second would lose nothing.
    assert (lost["mark"], lost["lossy"] > 0, lost["n"]) == ("loses", True, 2)
    assert lost["lost_most"] > 0
    assert 0 < lost["lost_s_most"] < 3
    for arm, kind in (("flush 1", "power"), ("flush 1", "kill"), ("flush 2", "kill")):
        kept = cell(found, arm, kind)
        assert (kept["mark"], kept["lossy"], kept["n"]) == ("keeps", 0, 2), (arm, kind)
        assert kept["acknowledged"] > 20
    assert found["rigs"]["power"]["survived"]["plain"] == 0
    folder = run_folder(tmp_path)
    assert "What is lost" in (folder / "report.html").read_text()
    shown = dyno("report", str(folder), "--format", "markdown")
    assert "| flush 2 | **0** 0 of 2" in shown.stdout, shown.stderr
    assert list(find_home().work.glob("dyno-*")) == []
    assert loops_in(find_home().work) == []


@needs_power
def test_a_synced_binary_log_has_what_the_tables_lost(tmp_path: Path) -> None:
    """Replicas would be ahead: the log's flush comes before that of the tables."""
    arm = FLUSH_2.replace("{ ", '{ log_bin = "binlog", server_id = 1, sync_binlog = 1, ')
    found = run(tmp_path, write(tmp_path, arm, kinds=["power"], each=2))
    assert sum(crash["lost"] for crash in found["crashes"]) > 0
    for crash in found["crashes"]:
        assert crash["ahead"] == crash["lost"]
        assert crash["behind"] == 0
    assert "so replicas are ahead" in cell(found, "flush 2", "power")["says"]


@needs_power
def test_the_volatile_cache_and_a_disk_that_lies(tmp_path: Path) -> None:
    """With fsync everything reaches the disk; on one that ignores flushes nothing does."""
    experiment = write(tmp_path, FLUSH_1, kinds=["cache", "torn", "sectors", "liar"], each=1)
    found = run(tmp_path, experiment)
    assert cell(found, "flush 1", "cache")["mark"] == "keeps"
    assert cell(found, "flush 1", "torn")["mark"] == "keeps"
    assert cell(found, "flush 1", "sectors")["mark"] == "keeps"
    assert cell(found, "flush 1", "liar")["mark"] in ("breaks", "loses")
    for kind in ("torn", "sectors"):
        assert 20 <= found["rigs"][kind]["survived"]["O_DIRECT"] <= 180, kind


@needs_power
def test_an_engine_that_never_flushes_loses_all(tmp_path: Path) -> None:
    """MyISAM: what a short load wrote is gone, and the empty table checks OK."""
    arm = FLUSH_1.replace('"flush 1"', '"MyISAM"') + 'engine = "MyISAM"\n'
    load = LEDGER + 'ops = ["insert"]'
    experiment = write(tmp_path, arm, kinds=["kill", "power"], each=1, load=load)
    found = run(tmp_path, experiment)
    assert cell(found, "MyISAM", "power")["lossy"] == 1
    (cut,) = [crash for crash in found["crashes"] if crash["kind"] == "power"]
    assert (cut["lost"], cut["checks"]) == (cut["acknowledged"], [])
    assert cell(found, "MyISAM", "kill")["lossy"] == 0


@in_test_all
@needs_power
def test_a_price_is_measured_on_the_plain_disk(tmp_path: Path) -> None:
    """After the crashes, in blocks; how far the two differ is the disk's."""
    top = 'price = { baseline = "flush 1", blocks = 6, warmup = "0.2s", window = "0.4s" }'
    found = run(tmp_path, write(tmp_path, FLUSH_1 + FLUSH_2, kinds=["kill"], each=1, top=top))
    flush_1, flush_2 = found["price"]["arms"]
    assert (flush_1["n"], flush_2["n"]) == (6, 6)
    assert flush_1["ratio"] is None
    assert 0 < flush_2["ratio_low"] < flush_2["ratio"] < flush_2["ratio_high"]
    assert "no loss was seen" in flush_2["says"]
    assert len(list((run_folder(tmp_path) / "prices").iterdir())) == 12


@needs_power
def test_kill_9_of_dyno_leaves_nothing_and_the_folder_goes_on(tmp_path: Path) -> None:
    """At one random instant, at ten with all tests."""
    experiment = write(tmp_path, FLUSH_2, kinds=["power", "cache"], each=2)
    out = str(tmp_path / "runs")
    begin = argv("run", str(experiment), "--out", out)
    drawn = random.Random(11)
    for resume in range(10 if WHOLE else 1):
        command = [*begin, "--resume"] if resume else begin
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
        ) as process:
            if not resume:
                wait_until(lambda: list((tmp_path / "runs").glob("small/*/crashes/*.json")))
            time.sleep(drawn.uniform(0.2, 4))
            children = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGKILL)
            process.wait()
        wait_until(lambda gone=children: not any(child.is_running() for child in gone))
        wait_until(lambda: not loops_in(find_home().work))
        assert str(find_home().work) not in Path("/proc/self/mountinfo").read_text()
    done = dyno("run", str(experiment), "--out", out, "--resume", "--json")
    # The last one may have ended before it was killed.
    if "there is no unfinished run" not in done.stderr:
        assert done.returncode == 0, done.stderr
    found = json.loads((run_folder(tmp_path) / "findings.json").read_text())
    assert (found["run"]["state"], len(found["crashes"])) == ("complete", 4)
    assert list(find_home().work.glob("dyno-*")) == []


def test_ctrl_c_ends_it_with_what_it_has(tmp_path: Path) -> None:
    experiment = write(tmp_path, FLUSH_1, kinds=["kill"], each=50)
    process = subprocess.Popen(
        argv("run", str(experiment), "--out", str(tmp_path / "runs")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    wait_until(lambda: list((tmp_path / "runs").glob("small/*/crashes/*.json")))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted; " in err
    assert "--resume" in err
    assert "Traceback" not in err
    assert (run_folder(tmp_path) / "report.html").exists()
    assert list(find_home().work.glob("dyno-*")) == []


WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]


def without_rights(*arguments: str) -> subprocess.CompletedProcess[str]:
    return ended([*WITHOUT_RIGHTS, *argv(*arguments)])


@needs_power
def test_without_the_rights_only_kill_9_is_tested(tmp_path: Path) -> None:
    experiment = write(tmp_path, FLUSH_1, kinds=["kill", "power"], each=1)
    done = without_rights("run", str(experiment), "--out", str(tmp_path / "runs"), "--json")
    assert done.returncode == 0, done.stderr
    assert "Power cuts need root" in done.stderr
    found = json.loads(done.stdout)
    assert cell(found, "flush 1", "kill")["mark"] == "keeps"
    untested = cell(found, "flush 1", "power")
    assert (untested["mark"], untested["n"]) == ("no crash", 0)
    assert "the right to mount (CAP_SYS_ADMIN)" in untested["says"]


@needs_power
def test_nothing_but_power_without_the_rights_is_one_clear_line(tmp_path: Path) -> None:
    experiment = write(tmp_path, FLUSH_1, kinds=["power"], each=1)
    done = without_rights("run", str(experiment), "--out", str(tmp_path / "runs"))
    assert done.returncode == 8
    assert "error: Power cuts need root" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "runs").glob("small/*"))


NO_LOOPS = (
    "mount -t tmpfs none /dev && mknod /dev/null c 1 3 && mknod /dev/urandom c 1 9 && "
    "chmod 666 /dev/null /dev/urandom"
)
# Nobody may run an empty file.
NO_MKFS = 'mount --bind "$1" "$(readlink -f "$(PATH=$PATH:/sbin:/usr/sbin command -v mkfs.ext4)")"'


@needs_power
@pytest.mark.parametrize(
    ("hide", "missing"),
    [(NO_LOOPS, "a loop device (/dev/loop-control)"), (NO_MKFS, "mkfs.ext4")],
    ids=["loops", "mkfs"],
)
def test_a_host_that_lacks_a_part_says_which(tmp_path: Path, hide: str, missing: str) -> None:
    experiment = write(tmp_path, FLUSH_1, kinds=["power"], each=1)
    (tmp_path / "empty").touch(mode=0o644)
    command = argv("run", str(experiment), "--out", str(tmp_path / "runs"))
    script = f'{hide} && shift && exec "$@"'
    done = ended(["unshare", "-m", "sh", "-c", script, "sh", str(tmp_path / "empty"), *command])
    assert done.returncode == 8, done.stderr
    assert "Power cuts need root" in done.stderr
    assert f"Missing: {missing}. " in done.stderr
    assert "Traceback" not in done.stderr


def test_an_arm_that_cannot_start_is_one_clear_line(tmp_path: Path) -> None:
    arm = FLUSH_1.replace("innodb_buffer_pool_size", "innodb_bufer_pool_size")
    experiment = write(tmp_path, arm, kinds=["kill"])
    done = dyno("run", str(experiment), "--out", str(tmp_path / "runs"))
    assert done.returncode == 3
    assert "innodb_bufer_pool_size" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "runs").glob("small/*"))


def test_options_of_measuring_are_refused(tmp_path: Path) -> None:
    experiment = write(tmp_path, FLUSH_1, kinds=["kill"])
    done = dyno("run", str(experiment), "--scale", "2", "--blocks", "3")
    assert done.returncode == 2
    assert "--scale, --blocks can't change it" in done.stderr.replace("\n", " ")
