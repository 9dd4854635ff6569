"""A run folder: one execution of one experiment.

    runs/<experiment>/<time>-<id>/
      plan.json host.json run.json findings.json report.html
    servers/NAME.json
      trials/NNNN/ trial.json settings.json load.json my.cnf intervals.parquet
                   bins.parquet telemetry.parquet profile.folded.gz server.err
                   telemetry-HOST.parquet of each load host
                   dynoload.err (if it said anything)

Histograms (HDR V2, base64) are in trial.json by op, and in intervals.parquet by interval.

A trial is written under a hidden name and renamed when it is whole, so a number without a dot in
front is a finished trial, for good.

Schema history of host.json, run.json and settings.json:
  1  first version
"""

from __future__ import annotations

import io
import json
import re
import shutil
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import Field, RootModel

from dyno.errors import LoadError, StoreError
from dyno.spec.events import Interval, IntervalOp
from dyno.spec.plan import PLAN_SCHEMA, Plan
from dyno.store.files import json_text, storing, sync_folder, write_atomic, write_json
from dyno.store.host import Host
from dyno.store.hosts import HostsUsed
from dyno.store.part import Stored
from dyno.store.profiled import read_stacks
from dyno.store.reading import (
    Columns,
    checked,
    damaged,
    is_there,
    read_frame,
    read_json,
    read_model,
    write_sums,
)
from dyno.store.stacks import Stack
from dyno.store.trial import TRIAL_SCHEMA, Trial

RUN_SCHEMA = 1
# The end of the year 9999.
LATEST_UNIX_MS = 253_402_300_799_000
_NUMBER = re.compile("[0-9]{4,6}", re.ASCII)
_OF_SCHEMA_2 = frozenset({"retries", "backlog"})


class RunState(Stored):
    """run.json: how far the run came, and why it ended."""

    state: Literal["running", "complete", "interrupted"]
    reason: str = ""
    started_unix_ms: int = Field(ge=0, le=LATEST_UNIX_MS)
    elapsed_s: float = Field(0.0, ge=0)
    blocks_done: int = 0
    dyno: str = ""
    command: str = ""


class _Variables(RootModel[dict[str, dict[str, str]]]):
    """settings.json: variables by scope."""


class AnyRunFolder:
    """What the folders of all runs have, also of those that crash servers."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def host(self) -> dict[str, Any]:
        """The host's facts; null is "unavailable"."""
        path = self.path / "host.json"
        document = read_json(path, schema=RUN_SCHEMA)
        checked(path, document, Host)
        return document

    def write_server(self, name: str, installation: str) -> None:
        """Keep what a server was installed from: its version, and the sums of its packages."""
        with storing(self.path):
            (self.path / "servers").mkdir(exist_ok=True)
            write_atomic(self.path / "servers" / f"{name}.json", installation.encode())

    def state(self) -> RunState:
        """How far the run came."""
        return read_model(self.path / "run.json", RunState, schema=RUN_SCHEMA)

    def write_state(self, state: RunState) -> None:
        """Replace run.json."""
        write_json(self.path / "run.json", state.model_dump(mode="json"), schema=RUN_SCHEMA)


def hosts_text(hosts: HostsUsed) -> str:
    """As hosts.json has them."""
    return json_text(hosts.model_dump(mode="json", by_alias=True), schema=RUN_SCHEMA)


class RunFolder(AnyRunFolder):
    """Reads and writes one run folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.trials_path = path / "trials"

    @classmethod
    def create(cls, path: Path, *, plan: Plan, host: dict[str, Any], state: RunState) -> RunFolder:
        """A new folder with its plan, host and state. Raises StoreError if it exists."""
        with storing(path):
            (path / "trials").mkdir(parents=True)
        folder = cls(path)
        folder.write_plan(plan)
        write_json(path / "host.json", host, schema=RUN_SCHEMA)
        folder.write_state(state)
        return folder

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """An existing folder, checked to be one. Raises StoreError."""
        if not (path / "plan.json").is_file():
            raise StoreError(
                f"{path} is not a run folder: it has no plan.json",
                hint="a run folder looks like runs/<experiment>/<time>-<id>",
            )
        folder = cls(path)
        folder.plan()
        return folder

    def plan(self) -> Plan:
        """The plan that the run follows."""
        return read_model(self.path / "plan.json", Plan, schema=PLAN_SCHEMA)

    def write_plan(self, plan: Plan) -> None:
        """Replace plan.json: a plan that is made from what ran is known at the end."""
        write_json(
            self.path / "plan.json",
            plan.model_dump(mode="json", exclude={"plan_schema"}),
            schema=plan.plan_schema,
        )

    def hosts(self) -> HostsUsed | None:
        """The hosts that make its load; None if the server's own does."""
        path = self.path / "hosts.json"
        return read_model(path, HostsUsed, schema=RUN_SCHEMA) if is_there(path) else None

    def write_hosts(self, hosts: HostsUsed) -> None:
        """Keep them, so that the run can go on with the same."""
        write_atomic(self.path / "hosts.json", hosts_text(hosts).encode())

    def begin_trial(self, number: int) -> Path:
        """An empty hidden folder for a trial's files; an earlier unfinished one is removed."""
        partial = self.trials_path / f".{number:04d}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        with storing(partial):
            partial.mkdir(parents=True)
        return partial

    def commit_trial(self, trial: Trial) -> Path:
        """Write trial.json into the trial's hidden folder, make all durable, then rename it."""
        partial = self.trials_path / f".{trial.number:04d}.partial"
        final = self.trial_path(trial.number)
        write_json(
            partial / "trial.json",
            trial.model_dump(mode="json", exclude_none=True),
            schema=TRIAL_SCHEMA,
        )
        with storing(final):
            write_sums(partial)
            self._finish(partial, final)
        return final

    def _finish(self, partial: Path, final: Path) -> None:
        """Make a trial's files durable, then give their folder its name."""
        for file in partial.iterdir():
            sync_folder(file)
        partial.rename(final)
        sync_folder(self.trials_path)

    def receive_trial(self, number: int, packed: bytes) -> Path:
        """Unpack a finished trial that another host made, a tar of its folder's files. Raises
        StoreError.
        """
        partial, final = self.begin_trial(number), self.trial_path(number)
        with storing(final):
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(partial, filter="data")
            self._finish(partial, final)
        return final

    def drop_partial_trials(self) -> None:
        """Remove unfinished trials that a killed run left behind."""
        for partial in self.trials_path.glob(".*.partial"):
            shutil.rmtree(partial, ignore_errors=True)

    def trial_path(self, number: int) -> Path:
        """The folder of a finished trial."""
        return self.trials_path / f"{number:04d}"

    def done(self) -> set[int]:
        """The numbers of the finished trials."""
        try:
            names = [path.name for path in self.trials_path.iterdir()]
        except OSError as error:
            raise StoreError(
                f"{self.trials_path} can't be read: {error.strerror}",
                hint="is this a run folder, and is it whole?",
            ) from error
        return {int(name) for name in names if _NUMBER.fullmatch(name)}

    def trials(self) -> Iterator[Trial]:
        """Finished trials in order. Refuses a folder copied under a second number, and one that
        isn't in the plan.
        """
        plan = self.plan()
        arms = {arm.name for arm in plan.arms}
        for number in sorted(self.done()):
            path = self.trial_path(number) / "trial.json"
            trial = read_model(path, Trial, schema=TRIAL_SCHEMA)
            if trial.number != number:
                raise StoreError(
                    f"{path} says that it is trial {trial.number}",
                    hint="a trial must not be copied: it would be counted twice",
                )
            if trial.arm not in arms or trial.point >= len(plan.points):
                raise damaged(path, f"{self.path / 'plan.json'} has no such arm or point")
            yield trial

    def settings(self, number: int) -> dict[str, dict[str, str]]:
        """The server's variables of a trial: {"session": …, "global": …}; {} if not read."""
        path = self.trial_path(number) / "settings.json"
        if not is_there(path):
            return {}
        return read_model(path, _Variables, schema=RUN_SCHEMA).root

    def stacks(self, number: int) -> Counter[Stack] | None:
        """A trial's sampled stacks; None if there are none."""
        return read_stacks(self.trial_path(number))

    def telemetry(self, number: int) -> pl.DataFrame | None:
        """A trial's telemetry: t_s, unix_ms and one column per metric; None if there is none."""
        return self._frame(number, "telemetry", TELEMETRY_COLUMNS)

    def intervals(self, number: int) -> pl.DataFrame | None:
        """A trial's intervals, as `intervals_frame` made them; None if there are none.

        Trials of schema 1 lack the columns `retries` and `backlog`: they are null there.
        """
        frame = self._frame(number, "intervals", INTERVAL_COLUMNS)
        if frame is None:
            return None
        missing = [name for name in INTERVAL_COLUMNS if name not in frame.columns]
        nulls = [pl.lit(None, dtype=INTERVAL_COLUMNS[name]).alias(name) for name in missing]
        return frame.with_columns(nulls).select(*INTERVAL_COLUMNS)

    def bins(self, number: int) -> pl.DataFrame | None:
        """A trial's tenths of a second, as `bins_frame` made them; None if there are none."""
        return self._frame(number, "bins", BIN_COLUMNS)

    def holder_of(self, histogram: str) -> Path | None:
        """The file that holds a trial's histogram, given its text."""
        for number in sorted(self.done()):
            intervals = self.intervals(number)
            if intervals is not None and (intervals["histogram"] == histogram).any():
                return self.trial_path(number) / "intervals.parquet"
        for trial in self.trials():
            if json.dumps(histogram) in trial.model_dump_json():
                return self.trial_path(trial.number) / "trial.json"
        return None

    def _frame(self, number: int, name: str, columns: Columns) -> pl.DataFrame | None:
        path = self.trial_path(number) / f"{name}.parquet"
        there = is_there(path)
        return read_frame(path, columns, optional=_OF_SCHEMA_2) if there else None


# What every sample has in addition to its metrics.
TELEMETRY_COLUMNS: Columns = {"t_s": pl.Float64, "unix_ms": pl.Int64}
INTERVAL_COLUMNS: Columns = {
    "phase": pl.String,
    "index": pl.Int64,
    "t_s": pl.Float64,
    "duration_s": pl.Float64,
    "op": pl.String,
    "outcome": pl.String,
    "count": pl.Int64,
    "histogram": pl.String,
    "retries": pl.Int64,
    "backlog": pl.Int64,
}
BIN_COLUMNS: Columns = {
    "phase": pl.String,
    "t_s": pl.Float64,
    "ended": pl.Int64,
    "heartbeat_late_ms": pl.Float64,
}
BIN_S = 0.1
NOTHING = IntervalOp(op="", outcome="", count=0, histogram="")


def intervals_frame(intervals: list[Interval]) -> pl.DataFrame:
    """One row per interval, op and outcome; `histogram` is HDR V2 base64 in nanoseconds.

    An interval in which nothing ended has one row, with the op "" and the count 0, so that empty
    seconds aren't lost. `retries` and `backlog` are the interval's, so the same in all its rows.
    """
    rows = [
        {
            "phase": interval.phase,
            "index": interval.index,
            "t_s": interval.t_s,
            "duration_s": interval.duration_s,
            "op": op.op,
            "outcome": op.outcome,
            "count": op.count,
            "histogram": op.histogram,
            "retries": interval.retries,
            "backlog": interval.backlog,
        }
        for interval in intervals
        for op in interval.ops or [NOTHING]
    ]
    return _frame_of(rows, INTERVAL_COLUMNS)


def bins_frame(intervals: list[Interval]) -> pl.DataFrame:
    """One row per tenth of a second: `t_s` is where it begins, on the intervals' clock."""
    rows = [
        {
            "phase": interval.phase,
            "t_s": round(interval.t_s + place * BIN_S, 6),
            "ended": tenth.ended,
            "heartbeat_late_ms": tenth.heartbeat_late_ms,
        }
        for interval in intervals
        for place, tenth in enumerate(interval.bins)
    ]
    return _frame_of(rows, BIN_COLUMNS)


def _frame_of(rows: list[dict[str, Any]], columns: Columns) -> pl.DataFrame:
    try:
        return pl.DataFrame(rows, schema=columns)
    except pl.exceptions.PolarsError as error:
        why = str(error).partition("\n")[0]
        raise LoadError(f"dynoload counted what no column holds: {why}") from error


def store_intervals(partial: Path, intervals: list[Interval]) -> None:
    """Store both series of a load in a trial's hidden folder."""
    write_parquet(partial / "intervals.parquet", intervals_frame(intervals))
    write_parquet(partial / "bins.parquet", bins_frame(intervals))


def write_parquet(path: Path, frame: pl.DataFrame) -> None:
    """A Parquet file inside a trial's hidden folder."""
    with storing(path):
        frame.write_parquet(path)
