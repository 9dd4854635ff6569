"""Runs a command line with telemetry around it, and files the results.

The folder is a run folder from the beginning: whatever ends this process, what the program had
recorded by then can still be filed.
"""

from __future__ import annotations

import shlex
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dyno import __version__
from dyno.errors import LoadError, SpecError, StoreError
from dyno.program import find_dynoload
from dyno.recorded import linkbench, slap, sysbench
from dyno.recorded.child import run_to_its_end
from dyno.recorded.made import Made
from dyno.recorded.typed import Typed, read_typed
from dyno.spec.changed import changed
from dyno.store.files import storing
from dyno.store.reading import damaged, read_whole
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
RAW = "recorded.ndjson"
# A day and a half of the workload with the most kinds of ops.
RAW_MOST_BYTES = 1024**3
# Errors from lines that dynoload didn't write.
UNREADABLE = (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError)


@dataclass(frozen=True)
class Recorded:
    """How the command line ended; the folder is None if there was nothing to record."""

    exit_code: int
    folder: RunFolder | None


def record(door: str, arguments: Sequence[str]) -> Recorded:
    """Run `dynoload <door> <arguments>` with its output as it is, and fill the folder of --out.

    Raises SpecError for wrong use, StoreError if the folder exists or can't be written, LoadError
    if what dynoload recorded can't be read.
    """
    typed = read_typed(arguments)
    if typed.out is None:
        raise SpecError("--out names no folder", hint="write --out=FOLDER")
    options, file = KINDS[door]
    raw = typed.out / RAW
    argv = [str(find_dynoload()), door, *typed.rest, *options(raw, typed)]
    folder, state = _begin(door, typed, file)
    begun_s = time.monotonic()
    sampler = Sampler([HostCollector()], interval_s=1.0)
    sampler.start()
    try:
        code = run_to_its_end(argv)
    finally:
        series = sampler.stop()
    if not raw.is_file() or not raw.stat().st_size:
        shutil.rmtree(folder.path, ignore_errors=True)
        return Recorded(code, None)
    ended = changed(
        state,
        state="complete" if code == 0 else "interrupted",
        reason="the command line ended" if code == 0 else f"it ended with exit code {code}",
        elapsed_s=round(time.monotonic() - begun_s, 3),
    )
    _fill(folder, ended, _read_made(file, typed, raw, state.started_unix_ms), series)
    return Recorded(code, folder)


def file_late(folder: RunFolder) -> None:
    """File what a program recorded after its Dyno was killed; does nothing for any other folder.

    Raises LoadError if it can't be read.
    """
    raw = folder.path / RAW
    state = folder.state()
    if state.state != "running" or folder.done() or not raw.is_file():
        return
    try:
        _, door, *words = shlex.split(state.command)
        typed, file = read_typed(words), KINDS[door][1]
    except (ValueError, KeyError) as error:
        raise damaged(folder.path / "run.json", f"its command is {state.command!r}") from error
    made = _read_made(file, typed, raw, state.started_unix_ms)
    ended = {"state": "interrupted", "reason": "Dyno was killed while the command line ran"}
    _fill(folder, changed(state, **ended), made, None)


def _begin(door: str, typed: Typed, file: File) -> tuple[RunFolder, RunState]:
    """The folder, with what is known before anything is recorded."""
    path = typed.out
    assert path is not None
    if path.exists():
        raise StoreError(f"{path} exists", hint="--out makes a folder: give it a new name")
    state = RunState(
        state="running",
        started_unix_ms=time.time_ns() // 1_000_000,
        dyno=__version__,
        command=shlex.join(["dyno", door, *typed.shown]),
    )
    with storing(path):
        path.mkdir(parents=True)
    try:
        plan = file(typed, [], state.started_unix_ms).plan
    except ValueError:
        # A wrong command line: the program says so, and records nothing.
        plan = sysbench.file(read_typed([]), [], 0).plan
    host = host_facts(path).to_dict()
    return RunFolder.create(path, plan=plan, host=host, state=state), state


def _read_made(file: File, typed: Typed, raw: Path, begun_ms: int) -> Made:
    text = read_whole(raw, most_bytes=RAW_MOST_BYTES).decode(errors="replace")
    # A program that was killed may have left half a line.
    lines = text[: text.rfind("\n") + 1].splitlines()
    try:
        return file(typed, lines, begun_ms)
    except UNREADABLE as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        raise LoadError(f"{raw} can't be read: {why}", hint="the folder keeps it") from error


def _fill(folder: RunFolder, state: RunState, made: Made, series: Series | None) -> None:
    folder.write_plan(made.plan)
    missing = dict.fromkeys(THERE, NOT_OURS)
    cost = TelemetryCost(unavailable=missing)
    if series is not None:
        cost = TelemetryCost.from_overhead(series.overhead, {**series.unavailable, **missing})
    for trial in made.trials:
        partial = folder.begin_trial(trial.number)
        if made.intervals:
            store_intervals(partial, made.intervals)
        if len(made.trials) == 1 and series is not None:
            write_parquet(partial / "telemetry.parquet", series.frame)
        folder.commit_trial(changed(trial, telemetry_cost=cost))
    if len(made.trials) != 1 and series is not None:
        # It covers all of them, one after the other.
        write_parquet(folder.path / "telemetry.parquet", series.frame)
    blocks = 1 + max((trial.block for trial in made.trials), default=-1)
    folder.write_state(changed(state, blocks_done=blocks))
