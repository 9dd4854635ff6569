"""A command line's program while it runs: it shares the terminal, and dies with this process."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from dyno.errors import InterruptedRunError
from dyno.launch import launch
from dyno.passwords import command_handed_down

# The signals that end a program.
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Sent by the kernel, which sends a terminal's signals to every process on it (siginfo's si_code).
_SI_KERNEL = 0x80
PASSED_ON_AFTER_S = 2.0


def run_to_its_end(argv: Sequence[str]) -> int:
    """Run a program with our standard streams; its exit code, or 130 if a signal ended it.

    Ctrl-C reaches the program directly; a signal that was sent to this process alone is passed on.
    Arguments with a password are handed down, so they appear in no process list.
    """
    with _waited_for() as taken_s, command_handed_down(argv) as (shown, environment, words):
        process = launch(
            shown,
            env=environment,
            cwd=Path.cwd(),
            stdin=None,
            stdout=None,
            stderr=None,
            pass_fds=[words],
            in_foreground=True,
        )
        came = _watch(process, taken_s)
    code = process.returncode
    return InterruptedRunError.exit_code if came or code < 0 else code


@contextmanager
def _waited_for() -> Iterator[list[float]]:
    """Block signals, to be waited for like the program's end. Gives the times (monotonic, s) of
    those that a wait never sees: threads of libraries don't block signals, and between two waits
    the kernel may deliver a signal to one of them.
    """
    taken_s: list[float] = []

    def take(number: int, frame: FrameType | None) -> None:
        taken_s.append(time.monotonic())

    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*_ENDING, signal.SIGCHLD))
    handlers = {number: signal.signal(number, take) for number in _ENDING}
    try:
        yield taken_s
    finally:
        # A signal that came as the program ended has ended it, or came too late.
        while signal.sigtimedwait(_ENDING, 0) is not None:
            pass
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch(process: subprocess.Popen[bytes], taken_s: list[float]) -> bool:
    """Wait for its end; whether a signal came. If another thread took the signal, its sender is
    unknown: it is passed on if the program doesn't end by itself.
    """
    came = False
    while process.poll() is None:
        # This may be the end of a child that another thread started.
        received = signal.sigtimedwait((*_ENDING, signal.SIGCHLD), 0.2)
        if taken_s and time.monotonic() - taken_s[0] > PASSED_ON_AFTER_S:
            came = True
            taken_s.clear()
            process.send_signal(signal.SIGTERM)
        if received is None or received.si_signo == signal.SIGCHLD:
            continue
        came = True
        if received.si_code != _SI_KERNEL:
            process.send_signal(signal.SIGTERM)
    return came or bool(taken_s)
