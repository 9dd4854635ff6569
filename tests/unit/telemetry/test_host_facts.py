"""Facts of two captured hosts, of this one, and what they warn of."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path

import psutil
import pytest

from dyno.telemetry import HostFacts, host_facts
from dyno.telemetry.mounts import is_rotational, mount_of, parse_mount, read_mounts

SAMPLES = Path(__file__).parent / "samples"


def test_a_laptop() -> None:
    facts = host_facts(Path("/"), root=SAMPLES / "laptop")
    assert facts.kernel == "6.1.0-18-amd64"
    assert facts.distribution == "Debian GNU/Linux 12 (bookworm)"
    assert facts.cpu_model == "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz"
    assert (facts.cores_logical, facts.cores_physical, facts.smt_active) == (4, 2, True)
    assert facts.governor == "powersave"
    assert facts.memory_total_bytes == 24684084 * 1024
    assert facts.swap_total_bytes == 2097148 * 1024
    assert facts.swap_used_bytes == 1048576 * 1024
    assert (facts.filesystem, facts.disk, facts.disk_rotational) == ("ext4", "/dev/sda2", True)
    assert facts.transparent_huge_pages == "always"
    assert (facts.virtualised, facts.hypervisor) == (False, None)
    assert facts.clock_source == "hpet"
    assert facts.cgroup_cpu_limit_cores == 1.5  # of the slice around the session's scope
    assert facts.cgroup_memory_limit_bytes == 8 * 2**30
    assert facts.psi_available is False
    assert facts.warnings == (
        "CPU frequency governor is powersave, not performance",
        "load average 3.2 before start: something else runs, or has just run",
        "a control group limits CPU to 1.5 cores",
        "1.00 GiB of swap in use: memory was short before start",
        "transparent huge pages are always on: they can stall a server while it allocates",
        "a control group limits memory to 8.00 GiB",
        "clock source is hpet: reading the time is slow",
        "the kernel reports no pressure (PSI): stalls are harder to see",
    )


def test_a_guest_with_control_groups_of_version_1() -> None:
    facts = host_facts(Path("/"), root=SAMPLES / "guest")
    assert (facts.virtualised, facts.hypervisor) == (True, "QEMU Standard PC")
    assert facts.cgroup_cpu_limit_cores == 0.5
    assert facts.cgroup_memory_limit_bytes == "unlimited"
    assert facts.filesystem == "overlay"
    assert facts.disk_rotational is None
    assert any("virtual machine" in line for line in facts.warnings)


def test_what_is_unknown_is_null_never_zero(tmp_path: Path) -> None:
    facts = host_facts(Path("/"), root=tmp_path)
    known = {
        "architecture",
        "cpus_allowed",
        "filesystem_path",
        "filesystem_free_bytes",
        "psi_available",
    }
    for name, value in facts.to_dict().items():
        assert (value is not None) == (name in known | {"warnings"}), name
    assert facts.warnings == ("the kernel reports no pressure (PSI): stalls are harder to see",)


def test_this_host_agrees_with_other_observers(tmp_path: Path) -> None:
    facts = host_facts(tmp_path / "not" / "yet" / "there")
    assert facts.filesystem_path == str(tmp_path.resolve())
    assert facts.kernel == os.uname().release
    assert facts.memory_total_bytes == psutil.virtual_memory().total
    assert facts.swap_total_bytes == psutil.swap_memory().total
    assert facts.cores_logical == psutil.cpu_count()
    usage = os.statvfs(tmp_path)
    assert facts.filesystem_free_bytes == pytest.approx(usage.f_bavail * usage.f_frsize, rel=0.2)
    assert json.loads(json.dumps(facts.to_dict())) == facts.to_dict()
    assert set(facts.to_dict()) == {field.name for field in fields(HostFacts)}


def test_the_mount_of_a_path_is_the_longest_and_of_two_the_later() -> None:
    mounts = read_mounts(SAMPLES / "laptop")
    assert mounts[2].point == Path("/srv/my data")
    found = mount_of(Path("/srv/my data/run"), mounts)
    assert found is not None
    assert found.type == "xfs"
    over = parse_mount("40 27 0:50 / /srv/my\\040data rw - tmpfs tmpfs rw")
    found = mount_of(Path("/srv/my data/run"), (*mounts, over))
    assert found is not None
    assert found.type == "tmpfs"
    found = mount_of(Path("/srv/my data2"), mounts)
    assert found is not None
    assert found.point == Path("/")


def test_a_partition_is_as_rotational_as_its_disk(tmp_path: Path) -> None:
    disk = tmp_path / "sys/devices/nvme0n1"
    (disk / "queue").mkdir(parents=True)
    (disk / "queue/rotational").write_text("0\n")
    (disk / "nvme0n1p3").mkdir()
    links = tmp_path / "sys/dev/block"
    links.mkdir(parents=True)
    (links / "8:3").symlink_to(disk / "nvme0n1p3")
    mount = read_mounts(SAMPLES / "laptop")[2]
    assert is_rotational(mount, tmp_path) is False
