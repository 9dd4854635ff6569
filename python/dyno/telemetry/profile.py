"""A sampled profile of one process, by Linux perf: where its CPU time goes, function by function.

Only for a stretch of time in which nothing is measured: sampling costs the process some per cent.
Without perf, the right to use it or symbols there are no lines, but a reason instead.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SAMPLES_PER_S = 99
LINES_MOST = 15
# A shorter warm-up isn't long enough for a profile.
PROFILED_WARMUP_MIN_S = 2.0
NO_SYMBOL = "[no symbol]"
_REPORT_TIMEOUT_S = 120.0
_END_TIMEOUT_S = 10.0
# The symbol column begins with where it ran: [.] user, [k] kernel.
_SHARE = re.compile(r"^\s*(\d+(?:\.\d+)?)%\s*$")
_SYMBOL = re.compile(r"^\[.\]\s+(.*?)\s*$")
_ADDRESS = re.compile(r"^0x[0-9a-f]+$")
_ENVIRONMENT: Mapping[str, str] = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}


@dataclass(frozen=True)
class Hot:
    """A function, or the part of an object without symbols, with its share of all samples."""

    share_pct: float
    symbol: str
    object: str


@dataclass(frozen=True)
class Profile:
    """The hottest lines, most first; if there are none, `unavailable` says why."""

    lines: tuple[Hot, ...] = ()
    unavailable: str | None = None


class Profiler:
    """One use: `start()`, wait, `finish()`; or `abandon()` at any time. Never raises.

    `folder` is for perf's data, which are removed at the end.
    """

    def __init__(self, pid: int, *, folder: Path, perf: str | None = None) -> None:
        self._pid = pid
        self._data = folder / "perf.data"
        self._perf = perf or shutil.which("perf")
        self._process: subprocess.Popen[str] | None = None
        self._cause: str | None = "it was never begun"

    def start(self, duration_s: float) -> None:
        """Begin to sample, for `duration_s` from now; returns at once."""
        if self._process is not None:
            return
        if self._perf is None:
            self._cause = "perf is not installed"
            return
        command = [self._perf, "record", "-q", "-F", str(SAMPLES_PER_S), "-p", str(self._pid)]
        # Without the build ids perf has nothing left to do when its time is over.
        command += ["--no-buildid", "-o", str(self._data), "--", "sleep", f"{duration_s:g}"]
        try:
            self._process = subprocess.Popen(
                command,
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

    def finish(self) -> Profile:
        """Wait for perf's end and read what it found."""
        try:
            return Profile(unavailable=self._cause) if self._cause else self._read()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Stop perf, if it still runs, and remove its data."""
        process, self._process = self._process, None
        if process is not None:
            if process.poll() is None:
                # The group, because the `sleep` that perf waits for would outlive it.
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        self._data.unlink(missing_ok=True)

    def _read(self) -> Profile:
        assert self._process is not None
        try:
            _, said = self._process.communicate(timeout=_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return Profile(unavailable=f"perf was still sampling {_END_TIMEOUT_S:g} s too late")
        if self._process.returncode != 0:
            return Profile(unavailable=refusal(said, self._process.returncode))
        return self._report()

    def _report(self) -> Profile:
        command = [str(self._perf), "report", "-q", "--stdio", "-t", "|", "--no-children"]
        command += ["--sort", "symbol,dso", "-i", str(self._data)]
        try:
            report = subprocess.run(
                command,
                env=dict(_ENVIRONMENT),
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_REPORT_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Profile(unavailable=f"perf report failed: {type(error).__name__}")
        return parse_report(report.stdout)


def refusal(said: str, exit_code: int) -> str:
    """Why perf recorded nothing, on one line, from its stderr."""
    if "perf_event_paranoid" in said or "permission" in said.lower():
        return "no permission: see kernel.perf_event_paranoid"
    words = [line.strip() for line in said.splitlines() if line.strip(" :\t")]
    first = next((line for line in words if line.lower() not in ("error:", "warning:")), "")
    return f"perf said: {first}" if first else f"perf ended with exit code {exit_code}"


def parse_report(text: str) -> Profile:
    """The top of `perf report --stdio -t '|' --sort symbol,dso`.

    Addresses don't help a reader, so everything in an object that lacks symbols is one line.
    """
    found: dict[tuple[str, str], float] = {}
    for line in text.splitlines():
        fields = line.split("|")
        share = _SHARE.match(fields[0])
        symbol = _SYMBOL.match(fields[1]) if len(fields) > 2 else None
        if share is None or symbol is None:
            continue
        named = not _ADDRESS.match(symbol[1])
        key = (symbol[1] if named else NO_SYMBOL, fields[2].strip())
        found[key] = found.get(key, 0.0) + float(share[1])
    if not found:
        return Profile(unavailable="no samples: the process used no CPU time")
    if all(symbol == NO_SYMBOL for symbol, _ in found):
        objects = ", ".join(sorted({shared for _, shared in found}))
        return Profile(unavailable=f"no symbols in {objects}")
    hottest = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:LINES_MOST]
    return Profile(
        lines=tuple(Hot(round(share, 2), symbol, shared) for (symbol, shared), share in hottest)
    )
