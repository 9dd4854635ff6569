"""What a process used between two instants."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dyno.telemetry import host_context_switches, proc, process_totals, process_use

SAMPLES = Path(__file__).parent / "samples"


def test_the_difference_of_two_captures() -> None:
    before = process_totals(4242, folder=SAMPLES / "first")
    after = process_totals(4242, folder=SAMPLES / "second")
    use = process_use(before, after)
    assert use.cpu_user_s == pytest.approx(300 / proc.TICKS_PER_S)
    assert use.cpu_system_s == pytest.approx(50 / proc.TICKS_PER_S)
    assert (use.read_bytes, use.write_bytes) == (4096, 1048576)
    assert (use.rchar_bytes, use.wchar_bytes) == (20000, 40000)
    assert use.rss_peak_bytes == 204800 * 1024  # the later peak, no difference
    assert use.unavailable == {}


def test_another_process_at_the_end_gives_nothing() -> None:
    before = process_totals(4242, folder=SAMPLES / "first")
    use = process_use(before, replace(before, start_ticks=99))
    values = {name: value for name, value in vars(use).items() if name != "unavailable"}
    assert set(values.values()) == {None}
    assert set(use.unavailable) == set(values)


def test_a_process_that_ended_gives_nothing_with_the_reason() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        before = process_totals(child.pid)
        assert before.unavailable == {}
        child.communicate(b"\n", timeout=20)
    after = process_totals(child.pid)
    use = process_use(before, after)
    assert use.cpu_user_s is None
    assert use.rss_peak_bytes is None
    assert use.unavailable["cpu_user_s"] == f"there is no process {child.pid}, or it is hidden"


def test_this_process_agrees_with_its_own_rusage() -> None:
    before, times = process_totals(os.getpid()), os.times()
    end_s = time.monotonic() + 0.3
    while time.monotonic() < end_s:
        pass
    after, later = process_totals(os.getpid()), os.times()
    use = process_use(before, after)
    assert use.cpu_user_s is not None
    assert use.cpu_system_s is not None
    own_s = later.user + later.system - times.user - times.system
    assert use.cpu_user_s + use.cpu_system_s == pytest.approx(own_s, abs=0.05)
    assert use.rss_peak_bytes is not None
    assert use.rss_peak_bytes > 10 * 2**20


def test_context_switches_of_the_host_only_grow_and_may_be_missing(tmp_path: Path) -> None:
    assert host_context_switches(folder=SAMPLES / "first") == 339569
    before = host_context_switches()
    time.sleep(0.01)
    after = host_context_switches()
    assert before is not None
    assert after is not None
    assert after > before
    assert host_context_switches(folder=tmp_path) is None
