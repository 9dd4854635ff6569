"""The few steps between fork and exec of a child program; run as `python -I -S shim.py`, only so.

Arguments: parent's pid, uid, gid (-1 for no change), 1 for a program that can gain no rights, CPUs
with commas between them (none for no change), `--`, the program and its arguments. Imports nothing
of Dyno's. The order matters: a change of user clears the death signal, so it comes after; the
parent is looked at last, since it may have died before the signal was set.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
_OPEN_FILES = 65536


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}) failed")


def _set_limits() -> None:
    """No core files; as many open files as allowed, since 1024 is few for a server."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(hard, _OPEN_FILES)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
    except (OSError, ValueError):  # Only root may raise the hard limit.
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main() -> None:
    """Become the program, or leave with status 127 and a line on stderr."""
    parent, uid, gid, restricted = (int(text) for text in sys.argv[1:5])
    cpus, argv = sys.argv[5], sys.argv[7:]
    try:
        _set_limits()
        if cpus:
            os.sched_setaffinity(0, map(int, cpus.split(",")))
        if uid >= 0:
            os.setgroups([])
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
        # Without this, file capabilities on the program would clear the death signal at exec.
        if restricted:
            _prctl(PR_SET_NO_NEW_PRIVS, 1)
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(127)
        # Python ignores these two, and what is ignored stays ignored over exec.
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.execv(argv[0], argv)
    except OSError as error:
        os.write(2, f"dyno: can't start {argv[0]}: {error}\n".encode())
        os._exit(127)


if __name__ == "__main__":
    main()
