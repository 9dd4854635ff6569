"""The program of a command line while it runs: whatever thread a signal reaches, it is heeded."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

# Threads of libraries block no signals, so that the kernel may give one to them.
RUN = """
import signal, sys, threading, time
from dyno.recorded.child import run_to_its_end
def take():
    time.sleep(0.5)
    signal.pthread_kill(threading.get_ident(), signal.{name})
threading.Thread(target=take, daemon=True).start()
begun_s = time.monotonic()
code = run_to_its_end({argv})
print(code, round(time.monotonic() - begun_s, 1))
"""
# Ends by itself, as a program does that the terminal's Ctrl-C has reached, too.
ENDS = ["/bin/sh", "-c", "sleep 1; exit 3"]


def run(name: str, argv: list[str]) -> tuple[int, float]:
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(name=name, argv=argv)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    code, elapsed_s = done.stdout.split()
    return int(code), float(elapsed_s)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_that_another_thread_took_ends_the_program(name: str) -> None:
    code, elapsed_s = run(name, ["/bin/sleep", "60"])
    assert code == 130
    assert elapsed_s >= 2


def test_a_program_that_ends_by_itself_is_left_to_it() -> None:
    code, elapsed_s = run("SIGINT", ENDS)
    assert code == 130
    assert elapsed_s >= 1
