"""What threads wait for while they don't run: the kernel's accounts, and samples of the rest.

CPU time and the time in the run queue are exact (schedstat). What is left is split by looking at
some of the threads ten times a second: a thread that sleeps is in a function of the kernel (wchan),
which says what it waits for.
"""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LOOKS_PER_S = 10.0
# Of as many threads at a look: more would take CPU time from the server.
THREADS_AT_A_LOOK = 16

CLIENT = "waiting for the client"
LOCKS = "waiting for locks"
DISK = "waiting for the disk"
ASLEEP = "asleep"
OTHER = "waiting for something else"
_WAITS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (LOCKS, re.compile(r"futex")),
    (ASLEEP, re.compile(r"nanosleep")),
    (CLIENT, re.compile(r"unix_|sk_|sock|tcp_|inet|wait_woken|poll|skb")),
    (DISK, re.compile(r"io_|jbd2|bio|blk_|folio|page|ext4|xfs|btrfs|fsync|sync|filemap|rq_qos")),
)


@dataclass(frozen=True)
class WaitsRead:
    """Of `threads` threads over `seconds`: the sum of their CPU times and of their times in the run
    queue; how many samples found one waiting, by what for.
    """

    threads: int
    seconds: float
    cpu_s: float
    run_queue_s: float
    states: Mapping[str, int]


class Waits:
    """One use: `start()`, wait, `stop()`; or `abandon()` at any time. Never raises.

    Threads that end meanwhile don't count.

    Of the threads, the `busiest` in CPU time count: others may only be there to be asked something.
    """

    def __init__(self, pid: int, threads: Sequence[int], *, busiest: int) -> None:
        self._folders = [Path(f"/proc/{pid}/task/{thread}") for thread in threads]
        self._busiest = busiest
        self._states: dict[Path, Counter[str]] = {folder: Counter() for folder in self._folders}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, name="dyno-waits", daemon=True)
        self._begun_s = 0.0
        self._before: dict[Path, tuple[int, int]] = {}

    def start(self) -> None:
        """Begin to look."""
        self._before = self._accounts()
        self._begun_s = time.monotonic()
        self._thread.start()

    def stop(self) -> WaitsRead:
        """End, and give all of it."""
        after, seconds = self._accounts(), time.monotonic() - self._begun_s
        self.abandon()
        used_ns = {
            folder: (after[folder][0] - on_cpu_ns, after[folder][1] - queued_ns)
            for folder, (on_cpu_ns, queued_ns) in self._before.items()
            if folder in after
        }
        counted = sorted(used_ns, key=lambda folder: -used_ns[folder][0])[: self._busiest]
        states = sum((self._states[folder] for folder in counted), Counter[str]())
        return WaitsRead(
            threads=len(counted),
            seconds=seconds,
            cpu_s=sum(used_ns[folder][0] for folder in counted) / 1e9,
            run_queue_s=sum(used_ns[folder][1] for folder in counted) / 1e9,
            states=dict(states),
        )

    def abandon(self) -> None:
        """Look no more."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _accounts(self) -> dict[Path, tuple[int, int]]:
        """By thread: nanoseconds on a CPU, and in the run queue."""
        found = {}
        for folder in self._folders:
            try:
                on_cpu, queued, _ = (folder / "schedstat").read_text().split()
                found[folder] = int(on_cpu), int(queued)
            except (OSError, ValueError):
                continue
        return found

    def _look(self) -> None:
        first = 0
        while not self._stop.wait(1 / LOOKS_PER_S):
            count = min(THREADS_AT_A_LOOK, len(self._folders))
            for place in range(first, first + count):
                folder = self._folders[place % len(self._folders)]
                state = waits_for(folder)
                if state is not None:
                    self._states[folder][state] += 1
            first = (first + count) % max(1, len(self._folders))


def waits_for(folder: Path) -> str | None:
    """What the thread of a folder of /proc waits for; None if it runs, is about to, or is gone."""
    try:
        state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        function = (folder / "wchan").read_text()
    except (OSError, IndexError):
        return None
    if state not in ("S", "D") or function in ("", "0"):
        return None
    return next((name for name, pattern in _WAITS if pattern.search(function)), OTHER)
