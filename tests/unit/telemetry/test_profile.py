"""A sampled profile: perf's refusals in words, and perf itself where it works."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dyno.telemetry import Profile, Profiler
from dyno.telemetry.profile import SAMPLES_PER_S, refusal

pytestmark = pytest.mark.slow


def measured(profiler: Profiler, seconds: float) -> Profile:
    profiler.start()
    profiler.begin()
    time.sleep(seconds)
    profiler.stop()
    return profiler.read()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            "Error:\nAccess to performance monitoring and observability operations is limited.\n"
            "Consider adjusting /proc/sys/kernel/perf_event_paranoid setting to open\n",
            "no permission: see kernel.perf_event_paranoid",
        ),
        ("Error:\nThe cycles event is not supported.\n", "perf said: The cycles event is not "
         "supported."),
        ("", "perf ended with exit code 255"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_line(said: str, why: str) -> None:
    assert refusal(said, 255) == why


def test_without_perf_the_reason_is_given(tmp_path: Path) -> None:
    profiler = Profiler(os.getpid(), folder=tmp_path, perf=str(tmp_path / "no-perf"))
    assert measured(profiler, 0).unavailable == "perf can't be run: No such file or directory"


def test_a_profile_that_was_never_begun_says_so(tmp_path: Path) -> None:
    assert Profiler(os.getpid(), folder=tmp_path).read().unavailable == "it was never begun"


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_failed_perf_is_reported_in_its_own_words(tmp_path: Path) -> None:
    perf = script(tmp_path / "perf", "echo 'Error:' >&2; echo 'no such event' >&2; exit 3")
    profiler = Profiler(os.getpid(), folder=tmp_path, perf=perf)
    assert measured(profiler, 0.5).unavailable == "perf said: no such event"


def test_a_measured_phase_that_never_ended_has_no_profile(tmp_path: Path) -> None:
    profiler = Profiler(os.getpid(), folder=tmp_path, perf=script(tmp_path / "perf", "sleep 60"))
    profiler.start()
    profiler.begin()
    found = profiler.read()
    assert found.unavailable == "the load ended before its measured phase did"
    assert not (tmp_path / "perf.data").exists()


def test_lost_samples_are_no_profile(tmp_path: Path) -> None:
    said = "echo 'Processed 900 events and lost 7 chunks!' >&2"
    perf = script(tmp_path / "perf", f"[ $1 = script ] && {said}; exit 0")
    profiler = Profiler(os.getpid(), folder=tmp_path, perf=perf)
    assert measured(profiler, 0.2).unavailable == "perf lost samples, 7 chunks of them"


def test_abandoning_ends_perf_and_leaves_no_data(tmp_path: Path) -> None:
    data = tmp_path / "perf.data"
    perf = script(tmp_path / "perf", f"echo x > {data}; echo $$ > {tmp_path}/pid; exec sleep 600")
    profiler = Profiler(os.getpid(), folder=tmp_path, perf=perf)
    profiler.start()
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        pass
    pid = int((tmp_path / "pid").read_text())
    profiler.abandon()
    assert not data.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    profiler.abandon()


def test_perf_ends_with_a_dyno_that_is_killed(tmp_path: Path) -> None:
    """What perf starts and waits for, at least: a program that becomes it stands for perf."""
    perf = script(
        tmp_path / "perf",
        f'while [ "$1" != -- ]; do shift; done; shift; echo $$ > {tmp_path}/pid; exec "$@"',
    )
    code = (
        "import os, time; from pathlib import Path; from dyno.telemetry import Profiler\n"
        f"Profiler(os.getpid(), folder=Path({str(tmp_path)!r}), perf={perf!r}).start()\n"
        "time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as killed:
        written = tmp_path / "pid"
        while not written.exists() or not written.read_text():
            time.sleep(0.01)
        killed.kill()
    pid = int(written.read_text())
    ends_s = time.monotonic() + 30
    while Path(f"/proc/{pid}").exists() and time.monotonic() < ends_s:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()


def test_perf_itself_gives_stacks_or_a_reason(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: sum(range(10000))"]) as busy:
        try:
            profile = measured(Profiler(busy.pid, folder=tmp_path), 2.0)
        finally:
            busy.kill()
    assert bool(profile.stacks) != bool(profile.unavailable)
    if profile.stacks:
        assert profile.seconds == pytest.approx(2.0, abs=0.5)
        # Of one busy thread, but for those before perf had begun.
        assert 0 < sum(profile.stacks.values()) <= 1.1 * SAMPLES_PER_S * profile.seconds + 1
    assert list(tmp_path.iterdir()) == []
