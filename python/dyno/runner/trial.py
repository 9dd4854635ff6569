"""One trial, end to end: data in place, server started, load run and observed, server stopped,
everything on disk. A trial that goes wrong is stored as failed; only a user's stop leaves none.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dyno.errors import ServerError
from dyno.runner.bench import Bench
from dyno.runner.load import LoadResult, run_load
from dyno.servers import ReadableServer, Server, log_findings, make_memory_dir, start
from dyno.spec.events import Event, StatementRun
from dyno.spec.load_plan import trial_plan
from dyno.store.files import storing, write_json
from dyno.store.run import RUN_SCHEMA, RunFolder, intervals_frame, write_parquet
from dyno.store.trial import ServerCost, TelemetryCost, Trial
from dyno.telemetry import (
    Collector,
    HostCollector,
    ProcessTotals,
    Sampler,
    Series,
    ServerCollector,
    process_totals,
    process_use,
)

Say = Callable[[str], None]


@dataclass
class _Record:
    """What a trial has gathered so far, whatever becomes of it."""

    started_unix_ms: int
    started_s: float
    steps: dict[str, float] = field(default_factory=dict)
    load: LoadResult | None = None
    series: Series | None = None
    cost: ServerCost = field(default_factory=ServerCost)
    log: list[str] = field(default_factory=list)
    failure: str | None = None

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time a step, also when it fails."""
        begin = time.monotonic()
        try:
            yield
        finally:
            self.steps[name] = round(time.monotonic() - begin, 4)


def run_trial(
    folder: RunFolder, bench: Bench, *, number: int, block: int, position: int, say: Say
) -> Trial:
    """Run and store one trial.

    Raises StoreError, LoadError, or ServerError where the server has never started yet: then going
    on makes no sense.
    """
    partial = folder.begin_trial(number)
    record = _Record(started_unix_ms=time.time_ns() // 1_000_000, started_s=time.monotonic())
    try:
        _measure(bench, partial, record, say, block)
    except ServerError as error:
        if not bench.proven:
            raise  # It never started: a wrong setting, which no further trial would mend.
        record.failure = error.message
        bench.left(clean=False)
    if record.load is not None:
        record.failure = record.failure or record.load.failure or _lost_ops(record.load)
    trial = _trial(bench, record, number=number, block=block, position=position)
    _store(partial, record)
    folder.commit_trial(trial)
    return trial


def _measure(bench: Bench, partial: Path, record: _Record, say: Say, block: int) -> None:
    if bench.external is not None:
        _run_observed(bench, bench.external, None, partial, record, say)
        return
    server = bench.server
    if server is None or not server.is_alive():
        server = _start(bench, partial, record, say, block)
    whole = False
    try:
        _run_observed(bench, server, server.pid, partial, record, say)
        whole = record.load is not None and record.load.failure is None
    finally:
        _stop(bench, server, record, whole=whole)
        if bench.kept:
            with storing(partial):
                shutil.copyfile(server.error_log, partial / "server.err")


def _start(bench: Bench, partial: Path, record: _Record, say: Say, block: int) -> Server:
    assert bench.installation is not None
    assert bench.copy is not None
    with record.step("restore"):
        say("placing the data")
        data = bench.copy.place(block=block, writes=bench.plan.workload.writes)
    with record.step("start"):
        say("starting the server")
        tmpdir = make_memory_dir() if bench.arm.tmpdir == "memory" else None
        # A server that outlives its first trial must not log into that trial's folder.
        bench.server = start(
            bench.installation,
            data_dir=data,
            run_dir=bench.work / "logs" if bench.kept else partial,
            settings=bench.arm.settings,
            tmpdir=tmpdir,
        )
    bench.proven = True
    return bench.server


def _stop(bench: Bench, server: Server, record: _Record, *, whole: bool) -> None:
    """Stop the server, unless the protocol keeps it for the next trial and all went well."""
    alive = server.is_alive()
    record.log = [f"{line.severity}: {line.text}" for line in log_findings(server.error_log)]
    if not alive:
        last = f": {record.log[-1]}" if record.log else ""
        record.failure = f"the server died in mid-trial{last}"
    if whole and alive and bench.kept:
        return
    with record.step("stop"):
        if whole:
            bench.left(clean=server.stop())
        else:
            server.kill()
            bench.left(clean=False)
    bench.server = None
    if bench.arm.tmpdir == "memory":
        shutil.rmtree(server.tmpdir, ignore_errors=True)


def _run_observed(
    bench: Bench,
    server: ReadableServer,
    pid: int | None,
    partial: Path,
    record: _Record,
    say: Say,
) -> None:
    """The measured part: sampler around dynoload."""

    def on_event(event: Event) -> None:
        if isinstance(event, StatementRun):
            say(event.statement)

    collectors: list[Collector] = [HostCollector()]
    if pid is not None:
        collectors.append(ServerCollector(pid))
    sampler = Sampler(collectors, interval_s=1.0)
    before = process_totals(pid) if pid is not None else None
    sampler.start()
    try:
        with record.step("load"):
            record.load = run_load(
                trial_plan(bench.plan, bench.arm, bench.target(server)),
                partial,
                password=bench.password(),
                on_event=on_event,
            )
    finally:
        record.cost = _cost(before)
        record.series = sampler.stop()


def _cost(before: ProcessTotals | None) -> ServerCost:
    if before is None:
        return ServerCost()
    use = process_use(before, process_totals(before.pid))
    return ServerCost(
        cpu_user_s=use.cpu_user_s,
        cpu_system_s=use.cpu_system_s,
        read_bytes=use.read_bytes,
        write_bytes=use.write_bytes,
        rss_peak_bytes=use.rss_peak_bytes,
    )


def _lost_ops(load: LoadResult) -> str | None:
    """A trial whose measured ops didn't all succeed gives no figure; say what the first said."""
    for run in load.log.statements:
        if run.outcome != "ok":
            said = f": {run.error.code} {run.error.message}" if run.error else ""
            return f"statement {run.statement} failed{said}"
    return None


def _trial(bench: Bench, record: _Record, *, number: int, block: int, position: int) -> Trial:
    log = record.load.log if record.load else None
    overhead = record.series.overhead if record.series else None
    return Trial(
        number=number,
        arm=bench.arm.name,
        block=block,
        position=position,
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
        server_cost=record.cost,
        telemetry_cost=TelemetryCost(
            cpu_share_pct=overhead.cpu_share_pct if overhead else None,
            sample_ms_mean=overhead.sample_ms_mean if overhead else None,
            sample_ms_max=overhead.sample_ms_max if overhead else None,
            unavailable=dict(record.series.unavailable) if record.series else {},
        ),
        log=record.log,
        load_unix_ms=log.hello.unix_ms if log and log.hello else None,
        dynoload=log.hello.dynoload if log and log.hello else None,
    )


def _store(partial: Path, record: _Record) -> None:
    """The time series and what was read back, beside trial.json."""
    if record.load is not None:
        log = record.load.log
        if log.settings is not None:
            settings = {"session": log.settings.session, "global": log.settings.global_}
            write_json(partial / "settings.json", settings, schema=RUN_SCHEMA)
        write_parquet(partial / "intervals.parquet", intervals_frame(log.intervals))
    if record.series is not None:
        write_parquet(partial / "telemetry.parquet", record.series.frame)
