"""The blocks of a run on a server host elsewhere: its trials come back as folders."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import partial
from threading import RLock
from typing import Any

from dyno import errors
from dyno.errors import DynoError, HostLostError, RunFailedError
from dyno.hosts.elsewhere import FarSet
from dyno.runner.apart import packed
from dyno.runner.blocks import Missing, missing
from dyno.runner.progress import IntervalRead, Progress, TrialStep
from dyno.spec.changed import changed
from dyno.spec.events import Interval
from dyno.spec.plan import Plan
from dyno.store.run import RunFolder, hosts_text

HEAR_S = 0.25


class FarBlocks:
    """As `Blocks`, for some blocks of a run, on the server host of a set."""

    def __init__(self, folder: RunFolder, progress: Progress, host: FarSet, lock: RLock) -> None:
        """`lock`: held while the folder or the progress is touched, if others do that, too."""
        self.folder = folder
        self.progress = progress
        self.done = folder.done()
        self._set = host.name
        self._remote = host.remote
        self._lock = lock
        self._has_failed = False

    def prepare(self) -> None:
        """Servers and datasets there."""
        used = self.folder.hosts()
        assert used is not None, "hosts.json is written first"
        # Its agent knows where that host has its certificates.
        own = changed(used, set=self._set)
        files = {
            "plan.json": (self.folder.path / "plan.json").read_text(encoding="utf-8"),
            "hosts.json": hosts_text(own),
        }
        self._remote.begin_blocks(self.folder.path.name, files)
        self._order(begin=sorted(self.done))

    def run(self, block: int, on_trial: Callable[[], None]) -> None:
        """Run the block's missing trials there; once more what is missing then, if the host was
        lost meanwhile.
        """
        try:
            self._order(on_trial, block=block)
        except HostLostError as error:
            # What runs there has given up by itself: another try wouldn't do better.
            if self._has_failed:
                raise
            with self._lock:
                self.progress.note(f"{error.message}; what is missing of the block is run again")
            self.prepare()
            self._order(on_trial, block=block)

    def release(self) -> None:
        """Let it stop what runs there."""
        self._remote.end()

    def _order(self, on_trial: Callable[[], None] = lambda: None, **order: Any) -> None:
        """Send an order, and pass on all messages until it is done. Raises RunFailedError if the
        program there ends first.
        """
        remote = self._remote
        remote.say(json.dumps(order).encode())
        while (lines := remote.hear(HEAR_S)) is not None:
            for line in lines:
                said: dict[str, Any] = json.loads(line)
                with self._lock:
                    self._hear(said, on_trial)
                if "done" in said:
                    return
        code, words = remote.ended()
        why = (words.strip().splitlines() or [f"exit code {code}"])[-1]
        raise RunFailedError(f"{remote.name}: what runs blocks there ended: {why}")

    def _hear(self, said: dict[str, Any], on_trial: Callable[[], None]) -> None:
        match said:
            case {"note": text}:
                self.progress.note(f"{self._remote.name}: {text}")
            case {"loading": [arm, table, rows, rows_total]}:
                self.progress.loading(arm, table, rows, rows_total)
            case {"step": step}:
                self.progress.step(TrialStep(**step))
            case {"interval": text}:
                self.progress.interval(IntervalRead(Interval.model_validate_json(text)))
            case {"trial": number}:
                self.folder.receive_trial(number, self._remote.file(packed(number)))
                self.done.add(number)
                on_trial()
            case {"done": servers}:
                for name, text in servers.items():
                    self.folder.write_server(name.removesuffix(".json"), text)
            case {"failed": [kind, message, hint]}:
                self._has_failed = True
                raise _error(kind)(f"{self._remote.name}: {message}", hint=hint)


def _error(kind: str) -> type[DynoError]:
    found: type[DynoError] = getattr(errors, kind, RunFailedError)
    return found


class Pool:
    """As `Blocks`, on several sets at once: a block lies wholly on one set, always on the same."""

    def __init__(
        self, folder: RunFolder, plan: Plan, progress: Progress, sets: Sequence[FarSet]
    ) -> None:
        self.plan = plan
        self.at_once = len(sets)
        lock = RLock()
        self._sets = [FarBlocks(folder, progress, each, lock) for each in sets]

    @property
    def done(self) -> set[int]:
        """The numbers of the trials that are on disk."""
        return set().union(*(each.done for each in self._sets))

    def prepare(self) -> None:
        """Servers and datasets of all sets."""
        self._all([each.prepare for each in self._sets])

    def missing(self, block: int) -> Missing:
        """The block's trials that aren't on disk yet."""
        return missing(self.plan, block, self.done)

    def run(self, blocks: Iterable[int], on_trial: Callable[[], None]) -> None:
        """Run what is missing of the blocks, those of different sets at once."""
        self._all(
            [partial(self._sets[block % self.at_once].run, block, on_trial) for block in blocks]
        )

    def release(self) -> None:
        """Let all stop what runs there."""
        for each in self._sets:
            each.release()

    def _all(self, tasks: Sequence[Callable[[], None]]) -> None:
        """Do all at once. The first error ends them all, and is raised."""
        with ThreadPoolExecutor(len(tasks)) as pool:
            futures = [pool.submit(task) for task in tasks]
            try:
                left = set(futures)
                while left:
                    # With a limit: polars' handler of Ctrl-C doesn't end a wait without one.
                    ended, left = wait(left, HEAR_S, return_when=FIRST_EXCEPTION)
                    for future in ended:
                        future.result()
            except BaseException:
                # Else the pool would wait for what nobody needs any more.
                self.release()
                raise
