"""One trial, end to end: data in place, server started, load run and observed, server stopped,
everything on disk. A trial that goes wrong is stored as failed; only a user's stop leaves none.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from dyno.errors import ServerError, words_of
from dyno.runner.bench import Bench
from dyno.runner.data_checks import TrialCheck
from dyno.runner.failure import SERVER_DIED, lost_load, lost_statement
from dyno.runner.load import Enough
from dyno.runner.load_hosts import load_hosts, store_watched
from dyno.runner.observe import run_observed
from dyno.runner.pages import is_asked, storage_of
from dyno.runner.progress import TrialWatch
from dyno.runner.record import Record, timed
from dyno.runner.sizes import table_sizes
from dyno.runner.tasks import TaskThread, Workplace, do_alone, split
from dyno.runner.void import began_apart, generator_bound
from dyno.spec.changed import changed
from dyno.spec.load_plan import trial_plan
from dyno.spec.task import beside_load
from dyno.store.files import write_json
from dyno.store.load_parts import load_parts
from dyno.store.profiled import write_stacks
from dyno.store.run import RUN_SCHEMA, RunFolder, store_intervals, write_parquet
from dyno.store.trial import TableSize, TelemetryCost, Trial


@dataclass(frozen=True)
class Place:
    """Which trial it is: all but the number count from 0. `profiled`: while it is measured."""

    number: int
    block: int
    position: int
    point: int
    profiled: bool = False


@dataclass(frozen=True)
class Ended:
    """A trial as it was stored. `refused`: the server refused something that the load needs.

    `is_lost`: a host vanished that made the load, and nothing was stored.
    """

    trial: Trial
    refused: bool
    is_lost: bool = False


def run_trial(folder: RunFolder, bench: Bench, place: Place, watch: TrialWatch) -> Ended:
    """Run and store one trial.

    Raises StoreError, LoadError, or ServerError if the server has never started: then going on
    makes no sense.
    """
    partial = folder.begin_trial(place.number)
    record = Record.begin()
    record.loading = bench.loading
    try:
        with bench.serving(block=place.block, partial=partial, record=record, say=watch.say):
            _measure(bench, place, partial, record, watch)
    except ServerError as error:
        if not bench.proven:
            raise  # It never started: a wrong setting, which no further trial would fix.
        if not (record.failure or "").startswith(error.message):
            record.failure = error.message
    if record.load is not None:
        record.failure = record.failure or record.load.failure or _lost(bench, record)
    trial = _trial(bench, place, record)
    if trial.status == "ok" and bench.plan.is_load:
        trial = changed(trial, void=_void(bench, trial))
    if record.load is not None and record.load.is_lost:
        return Ended(trial, refused=False, is_lost=True)
    _store(partial, record)
    folder.commit_trial(trial)
    bench.loading = None
    return Ended(trial, refused=record.load is not None and record.load.refused)


def _measure(bench: Bench, place: Place, partial: Path, record: Record, watch: TrialWatch) -> None:
    """Run load and tasks on the arm's server, which is ready."""
    work = Workplace(bench, partial, record, watch.say)
    tasks = split(bench.plan, bench.arm.name)
    if bench.plan.own_workload.has_sizes_before:
        with timed(record.steps, "sizes_before"):
            record.sizes_before = _table_sizes(bench, record, count=False)
    if tasks.first:
        with timed(record.steps, "tasks_before"):
            do_alone(work, tasks.first)
        if not bench.is_alive:
            raise ServerError(SERVER_DIED)
    check = TrialCheck.begin(
        bench.plan,
        bench.arm.name,
        bench.server,
        bench.schema,
        block=place.block,
        position=place.position,
    )
    run_observed(
        bench,
        trial_plan(
            bench.plan,
            bench.arm,
            bench.trial_target(bench.server),
            point=place.point,
            block=place.block,
            slice_=bench.plan.slice_at(place.position),
        ),
        partial,
        record,
        watch,
        profiled=place.profiled,
        tasks=TaskThread(work, tasks.beside, Enough()) if tasks.beside else None,
    )
    summary = record.load.log.summary if record.load and not record.load.failure else None
    if check is not None and summary is not None:
        with timed(record.steps, "check_data"):
            record.data_checks = check.end(summary, say=watch.say)
    if tasks.last:
        with timed(record.steps, "tasks_after"):
            do_alone(work, tasks.last)
    # Data that nobody changes have one size.
    if bench.plan.writes or place.block == 0:
        counted = bench.is_ours and not bench.stays
        with timed(record.steps, "sizes"):
            record.sizes = _table_sizes(bench, record, count=counted)
        _keep_storage(bench, place, record)


def _keep_storage(bench: Bench, place: Place, record: Record) -> None:
    if not is_asked(bench.plan, bench.arm.name, block=place.block, position=place.position):
        return
    try:
        with timed(record.steps, "storage"):
            record.storage = storage_of(bench, bench.server)
    except ServerError as error:
        record.missing["storage"] = error.words


def _table_sizes(bench: Bench, record: Record, *, count: bool) -> list[TableSize]:
    """`count`: rows too, which reads all of them. [] if unavailable: `missing` says why."""
    try:
        return table_sizes(bench.server, bench.schema, data_dir=bench.data_dir, stays=not count)
    except (ServerError, OSError) as error:
        record.missing["table sizes"] = words_of(error)
        return []


def _lost(bench: Bench, record: Record) -> str | None:
    assert record.load is not None
    log = record.load.log
    return lost_load(log) if bench.plan.is_load else lost_statement(log)


def _void(bench: Bench, trial: Trial) -> str | None:
    disturbed = bool(beside_load(bench.plan.tasks))
    for part in load_parts(trial, host_cpus=os.cpu_count()):
        if why := generator_bound(part.phase, part.room, disturbed=disturbed):
            return f"{part.host}: {why}" if part.host else why
    return began_apart(trial.load_hosts)


def _trial(bench: Bench, place: Place, record: Record) -> Trial:
    log = record.load.log if record.load else None
    return Trial(
        number=place.number,
        arm=bench.arm.name,
        block=place.block,
        position=place.position,
        point=place.point,
        status="failed" if record.failure else "ok",
        failure=record.failure,
        started_unix_ms=record.started_unix_ms,
        duration_s=round(time.monotonic() - record.started_s, 3),
        steps=record.steps,
        server=bench.server_read(),
        statements=log.statements if log else [],
        explains=log.explains if log else [],
        faults=log.faults if log else [],
        summary=log.summary if log else None,
        status_by_phase=log.status if log else {},
        sizes=record.sizes,
        data_checks=record.data_checks,
        sizes_before=record.sizes_before,
        tasks=record.tasks,
        placement=record.placement,
        program=record.program,
        storage=record.storage,
        loading=record.loading,
        server_cost=record.cost,
        phases=record.phases,
        profile=record.profile,
        profile_unavailable=record.profile_unavailable,
        profiler=record.profiler,
        waits=record.waits,
        waits_unavailable=record.waits_unavailable,
        telemetry_cost=_telemetry_cost(record),
        log=record.log,
        load_hosts=load_hosts(bench.ground.load_hosts, record),
        load_unix_ms=log.hello.unix_ms if log and log.hello else None,
        dynoload=log.hello.dynoload if log and log.hello else None,
    )


def _telemetry_cost(record: Record) -> TelemetryCost:
    if record.series is None:
        return TelemetryCost(unavailable=record.missing)
    unavailable = {**record.missing, **record.series.unavailable}
    return TelemetryCost.from_overhead(record.series.overhead, unavailable)


def _store(partial: Path, record: Record) -> None:
    """The time series and what was read back, stored beside trial.json."""
    if record.load is not None:
        log = record.load.log
        if log.settings is not None:
            settings = {"session": log.settings.session, "global": log.settings.global_}
            write_json(partial / "settings.json", settings, schema=RUN_SCHEMA)
        store_intervals(partial, log.intervals)
    if record.series is not None:
        write_parquet(partial / "telemetry.parquet", record.series.frame)
    store_watched(partial, record)
    if record.stacks is not None:
        write_stacks(partial, record.stacks)
