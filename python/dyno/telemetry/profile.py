"""A sampled profile of one process, by Linux perf: where its CPU time goes, stack by stack.

It samples whole CPUs and keeps what hit the process. To sample the threads of the process alone
would cost a busy server half of its throughput (docs/adr/0041): at every change of threads their
timers are set. Nor are CPUs sampled that the process doesn't use: a timer wakes them. Without perf
or the right to do so there are no stacks, but a reason.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dyno.telemetry.perf_script import RawStack, has_local_functions, parse_script
from dyno.telemetry.totals import process_totals

# A prime: it doesn't keep step with what happens every 10 ms. On a virtual machine a sample costs
# about 50 us, mostly outside of it.
SAMPLES_PER_S = 47
_SCRIPT_TIMEOUT_S = 300.0
_END_TIMEOUT_S = 10.0
_ENVIRONMENT: Mapping[str, str] = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
_LOST = re.compile(r"lost (?P<lost>\d+) (?:chunks|events|samples)")
# Without the build ids perf has nothing left to do when its time is over. Its thread for BPF events
# would see that only once a second: half a second of each trial.
_RECORD = (
    *("record", "-q", "-g", "-F", str(SAMPLES_PER_S)),
    *("-k", "CLOCK_MONOTONIC", "--no-buildid", "--no-bpf-event"),
)
# It is stopped by SIGINT, and stops what it started by SIGTERM.
_STOPPED = (0, -signal.SIGINT, -signal.SIGTERM)


@dataclass(frozen=True)
class Profile:
    """Samples by stack, root first; without any, `unavailable` says why.

    `seconds`: how long it sampled, `perf_cpu_s`: the CPU time that perf itself used in these.
    """

    stacks: Counter[RawStack] = field(default_factory=Counter)
    unavailable: str | None = None
    seconds: float | None = None
    perf_cpu_s: float | None = None


class Profiler:
    """One use: `start()`, `begin()`, wait, `stop()`, `read()`; or `abandon()` at any time. Never
    raises.

    `folder` is for perf's data, which are removed at the end.
    """

    def __init__(self, pid: int, *, folder: Path, perf: str | None = None) -> None:
        self._pid = pid
        self._data = folder / "perf.data"
        self._perf = perf or shutil.which("perf")
        self._process: subprocess.Popen[str] | None = None
        self._cause: str | None = "it was never begun"
        self._begun_s: float | None = None
        self._ended_s: float | None = None
        self._used_before_s: float | None = None
        self._used_s: float | None = None

    def start(self) -> None:
        """Begin to sample; returns at once. It ends with this process at the latest."""
        if self._process is not None:
            return
        if self._perf is None:
            self._cause = "perf is not installed"
            return
        if not _may_sample_cpus():
            self._cause = "perf may not sample all CPUs: it needs root or perf_event_paranoid < 1"
            return
        try:
            cpus = ",".join(map(str, sorted(os.sched_getaffinity(self._pid))))
            command = [self._perf, *_RECORD, "-C", cpus, "-o", str(self._data)]
            self._process = subprocess.Popen(
                # perf lasts as long as what it starts, which waits for this process to end.
                [*command, "--", "tail", f"--pid={os.getpid()}", "-f", "/dev/null"],
                env=dict(_ENVIRONMENT),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            self._cause = None
        except OSError as error:
            self._cause = f"perf can't be run: {error.strerror}"

    def begin(self) -> None:
        """What counts begins now."""
        self._used_before_s = self._cpu_s()
        self._begun_s = time.monotonic()

    def stop(self) -> None:
        """What counts ends now, and perf with it."""
        if self._process is None:
            return
        self._ended_s = time.monotonic()
        used_s = self._cpu_s()
        if used_s is not None and self._used_before_s is not None:
            self._used_s = used_s - self._used_before_s
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def read(self) -> Profile:
        """Wait for perf's end and read what it found between `begin` and `stop`."""
        try:
            return Profile(unavailable=self._cause) if self._cause else self._read()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Stop perf, if it still runs, and remove its data."""
        process, self._process = self._process, None
        if process is not None:
            if process.poll() is None:
                # The group, because what perf waits for would outlive it.
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        self._data.unlink(missing_ok=True)

    def _cpu_s(self) -> float | None:
        """CPU seconds of perf so far."""
        if self._process is None:
            return None
        totals = process_totals(self._process.pid)
        if totals.cpu_user_s is None or totals.cpu_system_s is None:
            return None
        return totals.cpu_user_s + totals.cpu_system_s

    def _read(self) -> Profile:
        assert self._process is not None
        if self._begun_s is None or self._ended_s is None:
            return Profile(unavailable="the load ended before its measured phase did")
        try:
            _, said = self._process.communicate(timeout=_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return Profile(unavailable=f"perf was still sampling {_END_TIMEOUT_S:g} s too late")
        if self._process.returncode not in _STOPPED:
            return Profile(unavailable=refusal(said, self._process.returncode))
        try:
            script = self._script("--demangle")
            lines = script.stdout.splitlines()
            mangled = None
            if has_local_functions(lines):
                mangled = self._script("--no-demangle").stdout.splitlines()
        except (OSError, subprocess.TimeoutExpired) as error:
            return Profile(unavailable=f"perf script failed: {type(error).__name__}")
        if lost := _LOST.search(script.stderr):
            return Profile(unavailable=f"perf lost samples, {lost['lost']} chunks of them")
        stacks = parse_script(lines, mangled)
        if not stacks:
            return Profile(unavailable="perf has no samples of the server in the measured phase")
        return Profile(stacks, perf_cpu_s=self._used_s, seconds=self._ended_s - self._begun_s)

    def _script(self, names: str) -> subprocess.CompletedProcess[str]:
        """The samples of the process between `begin` and `stop`, as text. `names` is perf's option
        for functions' names: as in the source, or as the linker has them.
        """
        command = [str(self._perf), "script", names, "--no-inline", "-F", "tid,ip,sym,dso"]
        command += [f"--pid={self._pid}", f"--time={self._begun_s:.6f},{self._ended_s:.6f}"]
        return subprocess.run(
            [*command, "-i", str(self._data)],
            env=dict(_ENVIRONMENT),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SCRIPT_TIMEOUT_S,
            check=False,
        )


def _may_sample_cpus() -> bool:
    """Whether perf may look at all processes: as root, or where the host lets everybody."""
    try:
        return os.geteuid() == 0 or int(_PARANOID.read_text()) < 1
    except (OSError, ValueError):
        return False


def refusal(said: str, exit_code: int) -> str:
    """Why perf recorded nothing, on one line, from its stderr."""
    if "perf_event_paranoid" in said or "permission" in said.lower():
        return "no permission: see kernel.perf_event_paranoid"
    words = [line.strip() for line in said.splitlines() if line.strip(" :\t")]
    first = next((line for line in words if line.lower() not in ("error:", "warning:")), "")
    return f"perf said: {first}" if first else f"perf ended with exit code {exit_code}"
