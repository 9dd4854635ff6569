"""Runs a command line with telemetry around it, and files what came of it."""

from __future__ import annotations

import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dyno import __version__
from dyno.errors import LoadError, SpecError, StoreError
from dyno.program import find_dynoload
from dyno.recorded import linkbench, slap, sysbench
from dyno.recorded.made import Made
from dyno.recorded.typed import Typed, read_typed
from dyno.store.files import storing
from dyno.store.run import RunFolder, RunState, store_intervals, write_parquet
from dyno.store.trial import NOT_OURS, THERE, TelemetryCost
from dyno.telemetry import HostCollector, Sampler, Series, host_facts

Options = Callable[[Path, Typed], list[str]]
File = Callable[[Typed, Sequence[str], int], Made]
KINDS: dict[str, tuple[Options, File]] = {
    "sysbench": (sysbench.options, sysbench.file),
    "slap": (slap.options, slap.file),
    "linkbench": (linkbench.options, linkbench.file),
}


@dataclass(frozen=True)
class Recorded:
    """How the command line ended; the folder is None where there was nothing to record."""

    exit_code: int
    folder: RunFolder | None


def record(door: str, arguments: Sequence[str]) -> Recorded:
    """Run `dynoload <door> <arguments>` with its output as it is, and fill the folder of --out.

    Raises SpecError for wrong use, StoreError if the folder exists or can't be written, LoadError
    if what dynoload recorded can't be read.
    """
    with _left_to_the_child():
        return _record(door, read_typed(arguments))


def _record(door: str, typed: Typed) -> Recorded:
    if typed.out is None:
        raise SpecError("--out names no folder", hint="write --out=FOLDER")
    options, file = KINDS[door]
    raw = typed.out / "recorded.ndjson"
    argv = [str(find_dynoload()), door, *typed.rest, *options(raw, typed)]
    if typed.out.exists():
        raise StoreError(f"{typed.out} exists", hint="--out makes a folder: give it a new name")
    with storing(typed.out):
        typed.out.mkdir(parents=True)
    begun_ms, begun_s = time.time_ns() // 1_000_000, time.monotonic()
    sampler = Sampler([HostCollector()], interval_s=1.0)
    sampler.start()
    try:
        code = _run(argv)
    finally:
        series = sampler.stop()
    if not raw.is_file() or not raw.stat().st_size:
        raw.unlink(missing_ok=True)
        with suppress(OSError):
            typed.out.rmdir()
        return Recorded(code, None)
    state = RunState(
        state="complete" if code == 0 else "interrupted",
        reason="the command line ended" if code == 0 else f"it ended with exit code {code}",
        started_unix_ms=begun_ms,
        elapsed_s=round(time.monotonic() - begun_s, 3),
        dyno=__version__,
        command=shlex.join(["dyno", door, *typed.shown]),
    )
    lines = raw.read_text(encoding="utf-8").splitlines()
    try:
        made = file(typed, lines, begun_ms)
    except ValueError as error:
        raise LoadError(f"{raw} can't be read: {error}", hint="the folder keeps it") from error
    return Recorded(code, _fill(typed.out, state, made, series))


def _run(argv: Sequence[str]) -> int:
    """Run it to its end; a signal to this process ends it, too."""
    process = subprocess.Popen(argv)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.terminate()
        return process.wait()


@contextmanager
def _left_to_the_child() -> Iterator[None]:
    """Ctrl-C reaches the program that runs; what it recorded until then is to be filed."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _fill(path: Path, state: RunState, made: Made, series: Series) -> RunFolder:
    blocks = 1 + max((trial.block for trial in made.trials), default=-1)
    folder = RunFolder.create(
        path,
        plan=made.plan,
        host=host_facts(path).to_dict(),
        state=state.model_copy(update={"blocks_done": blocks}),
    )
    unavailable = {**series.unavailable, **dict.fromkeys(THERE, NOT_OURS)}
    cost = TelemetryCost.of(series.overhead, unavailable)
    for trial in made.trials:
        partial = folder.begin_trial(trial.number)
        if made.intervals:
            store_intervals(partial, made.intervals)
        if len(made.trials) == 1:
            write_parquet(partial / "telemetry.parquet", series.frame)
        folder.commit_trial(trial.model_copy(update={"telemetry_cost": cost}))
    if len(made.trials) != 1:
        # It is of all of them, one after the other.
        write_parquet(path / "telemetry.parquet", series.frame)
    return folder
