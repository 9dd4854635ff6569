"""What the host is: kernel, CPU, memory, disk, limits; once per run, for host.json.

Unknown is None, never 0 and never a guess. What the host does over time is in `host`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from dyno.cpus import format_cpus
from dyno.telemetry import proc
from dyno.telemetry.cgroup import Limit, cpu_limit_cores, memory_limit_bytes
from dyno.telemetry.mounts import is_rotational, mount_of, read_mounts

_SLOW_CLOCKS = frozenset({"hpet", "acpi_pm", "jiffies", "refined-jiffies"})


@dataclass(frozen=True)
class HostFacts:
    """One host at the start of a run. Each field's meaning is in docs/reference/telemetry.md."""

    kernel: Annotated[str | None, "release of the kernel"]
    architecture: Annotated[str, "machine type, such as x86_64"]
    distribution: Annotated[str | None, "PRETTY_NAME of /etc/os-release"]
    cpu_model: Annotated[str | None, "name of the CPU"]
    cores_logical: Annotated[int | None, "CPUs that the kernel runs"]
    cores_physical: Annotated[int | None, "cores, hyper-threads counted once"]
    cpus_allowed: Annotated[str, "CPUs that Dyno might use at the start"]
    governor: Annotated[str | None, "CPU frequency governor; several are joined by a comma"]
    smt_active: Annotated[bool | None, "whether hyper-threads are in use"]
    memory_total_bytes: Annotated[int | None, "memory of the host"]
    swap_total_bytes: Annotated[int | None, "size of swap; 0 is none"]
    swap_used_bytes: Annotated[int | None, "swap in use"]
    filesystem_path: Annotated[str, "the folder asked about, links resolved"]
    filesystem: Annotated[str | None, "type of the file system under it"]
    filesystem_options: Annotated[str | None, "its mount options"]
    filesystem_free_bytes: Annotated[int | None, "space left to an unprivileged user"]
    disk: Annotated[str | None, "what is mounted there, such as /dev/vda"]
    disk_rotational: Annotated[
        bool | None, "whether the kernel takes the disk for a spinning one; a virtual disk may lie"
    ]
    transparent_huge_pages: Annotated[str | None, "always, madvise or never"]
    virtualised: Annotated[bool | None, "whether a hypervisor is under the kernel"]
    hypervisor: Annotated[str | None, "maker and product of the machine, where virtualised"]
    load_average_1min: Annotated[float | None, "before the start"]
    clock_source: Annotated[str | None, "what the kernel reads the time from"]
    cgroup_cpu_limit_cores: Annotated[Limit, "CPU quota on this process in cores, or unlimited"]
    cgroup_memory_limit_bytes: Annotated[Limit, "memory limit on this process, or unlimited"]
    psi_available: Annotated[bool, "whether the kernel reports pressure (PSI)"]
    warnings: Annotated[tuple[str, ...], "what can disturb a measurement, one line each"]

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, ready for JSON."""
        return {**asdict(self), "warnings": list(self.warnings)}


def host_facts(path: Path, *, root: Path = Path("/")) -> HostFacts:
    """Gather the facts; those of the file system are for `path`, or its nearest existing parent.

    `root` is the folder under which /proc, /sys and /etc are read. Never raises for a fact that
    can't be read.
    """
    path = _existing(path)
    cpus = proc.known(lambda: _cpus(root)) or []
    flags = next((cpu["flags"].split() for cpu in cpus if "flags" in cpu), None)
    meminfo = proc.known(lambda: proc.first_numbers(proc.read_text(root / "proc/meminfo"))) or {}
    mount = proc.known(lambda: mount_of(path, read_mounts(root)))
    virtualised = None if flags is None else "hypervisor" in flags
    facts = HostFacts(
        kernel=_line(root / "proc/sys/kernel/osrelease"),
        architecture=os.uname().machine,
        distribution=proc.known(lambda: _distribution(root)),
        cpu_model=next((cpu["model name"] for cpu in cpus if "model name" in cpu), None),
        cores_logical=len(cpus) or None,
        cores_physical=proc.known(
            lambda: len({(c["physical id"], c["core id"]) for c in cpus}) or None
        ),
        cpus_allowed=format_cpus(os.sched_getaffinity(0)),
        governor=_governor(root),
        smt_active=proc.known(lambda: _flag(root / "sys/devices/system/cpu/smt/active")),
        memory_total_bytes=proc.known(lambda: meminfo["MemTotal"] * 1024),
        swap_total_bytes=proc.known(lambda: meminfo["SwapTotal"] * 1024),
        swap_used_bytes=proc.known(lambda: (meminfo["SwapTotal"] - meminfo["SwapFree"]) * 1024),
        filesystem_path=str(path),
        filesystem=mount.type if mount else None,
        filesystem_options=mount.options if mount else None,
        filesystem_free_bytes=proc.known(lambda: _free_bytes(path)),
        disk=mount.source if mount else None,
        disk_rotational=is_rotational(mount, root) if mount else None,
        transparent_huge_pages=proc.known(lambda: _bracketed_word(root)),
        virtualised=virtualised,
        hypervisor=_hypervisor(root) if virtualised else None,
        load_average_1min=proc.known(
            lambda: proc.load_average_1min(proc.read_text(root / "proc/loadavg"))
        ),
        clock_source=_line(
            root / "sys/devices/system/clocksource/clocksource0/current_clocksource"
        ),
        cgroup_cpu_limit_cores=cpu_limit_cores(root),
        cgroup_memory_limit_bytes=memory_limit_bytes(root),
        psi_available=_line(root / "proc/pressure/cpu") is not None,
        warnings=(),
    )
    return replace(facts, warnings=warnings_of(facts))


def warnings_of(facts: HostFacts) -> tuple[str, ...]:
    """What in these facts can disturb a measurement. An unknown fact causes no warning."""
    return (*_cpu_warnings(facts), *_memory_warnings(facts), *_kernel_warnings(facts))


def _cpu_warnings(facts: HostFacts) -> Iterator[str]:
    if facts.governor not in (None, "performance"):
        yield f"CPU frequency governor is {facts.governor}, not performance"
    # A tenth of the cores: running a few shells leaves behind less than that.
    load, noticeable = facts.load_average_1min, max(0.5, 0.1 * (facts.cores_logical or 1))
    if load is not None and load > noticeable:
        yield f"load average {load} before start: something else runs, or has just run"
    if isinstance(facts.cgroup_cpu_limit_cores, (int, float)):
        yield f"a control group limits CPU to {facts.cgroup_cpu_limit_cores:g} cores"
    if facts.virtualised:
        yield (
            "the host is a virtual machine: other guests can take CPU and disk from it "
            "(see host_cpu_steal_pct)"
        )


def _memory_warnings(facts: HostFacts) -> Iterator[str]:
    if facts.swap_used_bytes:
        yield f"{_gib(facts.swap_used_bytes)} of swap in use: memory was short before start"
    if facts.transparent_huge_pages == "always":
        yield "transparent huge pages are always on: they can stall a server while it allocates"
    if isinstance(facts.cgroup_memory_limit_bytes, (int, float)):
        yield f"a control group limits memory to {_gib(facts.cgroup_memory_limit_bytes)}"


def _kernel_warnings(facts: HostFacts) -> Iterator[str]:
    if facts.clock_source in _SLOW_CLOCKS:
        yield f"clock source is {facts.clock_source}: reading the time is slow"
    if not facts.psi_available:
        yield "the kernel reports no pressure (PSI): stalls are harder to see"


def _line(path: Path) -> str | None:
    return proc.known(lambda: proc.read_text(path).strip()) or None


def _existing(path: Path) -> Path:
    path = path.resolve()
    return next(folder for folder in (path, *path.parents) if folder.exists())


def _cpus(root: Path) -> list[dict[str, str]]:
    """The blocks of /proc/cpuinfo, one per CPU, each by its keys."""
    blocks = proc.read_text(root / "proc/cpuinfo").split("\n\n")
    pairs = [[line.partition(":") for line in block.splitlines()] for block in blocks]
    cpus = [{key.strip(): value.strip() for key, _, value in block} for block in pairs]
    return [cpu for cpu in cpus if "processor" in cpu]


def _distribution(root: Path) -> str | None:
    for line in proc.read_text(root / "etc/os-release").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip().strip("\"'")
    return None


def _governor(root: Path) -> str | None:
    files = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    return ", ".join(sorted(set(filter(None, map(_line, files))))) or None


def _flag(path: Path) -> bool:
    return {"0": False, "1": True}[proc.read_text(path).strip()]


def _bracketed_word(root: Path) -> str:
    """The bracketed word of transparent_hugepage/enabled."""
    text = proc.read_text(root / "sys/kernel/mm/transparent_hugepage/enabled")
    return next(w.strip("[]") for w in text.split() if w.startswith("["))


def _hypervisor(root: Path) -> str | None:
    dmi = root / "sys/class/dmi/id"
    return " ".join(filter(None, (_line(dmi / "sys_vendor"), _line(dmi / "product_name")))) or None


def _free_bytes(path: Path) -> int:
    usage = os.statvfs(path)
    return usage.f_bavail * usage.f_frsize


def _gib(size_bytes: float) -> str:
    return f"{size_bytes / 2**30:.2f} GiB"
