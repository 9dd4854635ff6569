"""What threads wait for: real threads of a real process, which do one thing each."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dyno.telemetry import Waits
from dyno.telemetry.waits import ASLEEP, CLIENT, LOCKS, OTHER, waits_for

CODE = """
import os, socket, threading, time
ours, theirs = socket.socketpair(socket.AF_UNIX)
lock = threading.Lock()
lock.acquire()
def spin():
    while True: sum(range(10000))
def doze():
    while True: time.sleep(60)
for work in (lambda: ours.recv(1), lock.acquire, doze, spin):
    threading.Thread(target=work, daemon=True).start()
    time.sleep(0.1)
print("ready", flush=True)
time.sleep(120)
"""


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, "-c", CODE], stdout=subprocess.PIPE, text=True) as made:
        assert made.stdout is not None
        assert made.stdout.readline() == "ready\n"
        yield made
        made.kill()


def threads_of(process: subprocess.Popen[str]) -> list[int]:
    """Those that it made, in order."""
    return sorted(int(each.name) for each in Path(f"/proc/{process.pid}/task").iterdir())[1:]


def test_a_thread_waits_for_a_client_a_lock_or_time(process: subprocess.Popen[str]) -> None:
    receives, locks, sleeps, _ = threads_of(process)
    folder = Path(f"/proc/{process.pid}/task")
    assert waits_for(folder / str(receives)) == CLIENT
    assert waits_for(folder / str(locks)) == LOCKS
    assert waits_for(folder / str(sleeps)) == ASLEEP
    assert waits_for(folder / "1") is None


def test_times_and_samples_are_of_the_measured_part(process: subprocess.Popen[str]) -> None:
    threads = threads_of(process)
    waits = Waits(process.pid, threads, busiest=9)
    waits.start()
    time.sleep(1.0)
    found = waits.stop()
    assert found.threads == 4
    assert found.seconds == pytest.approx(1.0, abs=0.5)
    # One of the four runs, or is about to; the others wait at every look.
    assert 0 < found.cpu_s + found.run_queue_s <= 1.2 * found.seconds
    looks = found.states[CLIENT]
    assert looks >= 3
    assert found.states[LOCKS] == looks
    assert found.states[ASLEEP] == looks
    assert OTHER not in found.states


def test_threads_that_are_gone_do_not_count(process: subprocess.Popen[str]) -> None:
    waits = Waits(process.pid, [*threads_of(process), 1], busiest=9)
    waits.start()
    found = waits.stop()
    assert found.threads == 4


def test_only_the_busiest_count(process: subprocess.Popen[str]) -> None:
    waits = Waits(process.pid, threads_of(process), busiest=1)
    waits.start()
    time.sleep(0.5)
    found = waits.stop()
    assert (found.threads, found.states) == (1, {})
    assert found.cpu_s > 0


def test_nobody_looks_on_after_a_load_that_broke_off(process: subprocess.Popen[str]) -> None:
    before = threading.active_count()
    waits = Waits(process.pid, threads_of(process), busiest=9)
    waits.start()
    assert threading.active_count() == before + 1
    waits.abandon()
    assert threading.active_count() == before
    waits.abandon()
    Waits(process.pid, [], busiest=9).abandon()
