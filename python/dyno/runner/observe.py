"""The measured part of a trial: dynoload, with telemetry around it and totals at its phases' ends.

Whatever can't be observed leaves a reason in the record; it never stops a trial.
"""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path

from dyno.hosts.result import LoadResult
from dyno.runner.bench import Bench
from dyno.runner.ground import Held
from dyno.runner.load import Enough, run_load
from dyno.runner.progress import TrialWatch
from dyno.runner.record import Record, timed
from dyno.runner.serving import Serving
from dyno.runner.tasks import TaskThread
from dyno.spec.events import Event, PhaseMark
from dyno.spec.load_plan import LoadPlan
from dyno.store.stacks import Frame, hottest
from dyno.store.trial import (
    NOT_OURS,
    THERE,
    PhaseCost,
    ProfilerCost,
    Program,
    ServerCost,
    WaitsOfThreads,
)
from dyno.telemetry import (
    Collector,
    HostCollector,
    ProcessTotals,
    Profiler,
    Sampler,
    ServerCollector,
    host_context_switches,
    process_totals,
    process_use,
    read_program,
)
from dyno.telemetry.profile import SAMPLES_PER_S

MEASURE = "measure"
WARMUP = "warmup"


def run_observed(
    bench: Bench,
    plan: LoadPlan,
    partial: Path,
    record: Record,
    watch: TrialWatch,
    *,
    profiled: bool,
    tasks: TaskThread | None = None,
) -> None:
    """Run the load while observing everything that can be seen from here.

    `profiled`: sample the server's process while it is measured. `tasks`: those to do meanwhile.
    """
    pid = bench.pid
    profiler = _profiler(bench, pid, record) if profiled else None
    enough = tasks.enough if tasks is not None else Enough()
    collectors: list[Collector] = [HostCollector()]
    if pid is not None:
        collectors.append(ServerCollector(pid))
    with bench.ground.held() as held:
        serving = Serving(bench, plan.connections) if profiled and pid is not None else None
        ear = _Ear(pid, watch, record, profiler, serving, tasks, held, enough)
        sampler = Sampler(collectors, interval_s=1.0)
        before = process_totals(pid) if pid is not None else None
        sampler.start()
        try:
            with timed(record.steps, "load"), tasks or nullcontext():
                record.load = run_load(
                    plan,
                    partial,
                    password=bench.password,
                    on_event=ear.hear,
                    disk=bench.disk,
                    enough=enough,
                    cpus=bench.ground.generator,
                    elsewhere=bench.ground.load_hosts,
                )
        except BaseException:
            if profiler is not None:
                profiler.abandon()
            raise
        finally:
            if serving is not None:
                serving.abandon()
            record.cost = _cost(before)
            record.series = sampler.stop()
            record.placement = held.read()
            record.program = Program(**asdict(read_program(pid))) if pid is not None else None
    if profiler is not None:
        _keep_profile(profiler, record)
    if not bench.is_ours:
        record.missing = missing(record.load, is_load=bench.plan.is_load)


def missing(load: LoadResult, *, is_load: bool) -> dict[str, str]:
    """What a trial on somebody else's server could not observe, and why."""
    process, error_log, variables, status = THERE
    found = {process: NOT_OURS, error_log: NOT_OURS}
    if load.failure is not None:
        return found
    if load.log.settings is None:
        found[variables] = "the server doesn't show them to this account"
    if is_load and MEASURE not in load.log.status:
        found[status] = "the server doesn't show it to this account"
    return found


@dataclass
class _Ear:
    """Receives the load's events: reads totals as the measured phase begins and ends."""

    pid: int | None
    watch: TrialWatch
    record: Record
    profiler: Profiler | None
    serving: Serving | None
    tasks: TaskThread | None
    held: Held
    enough: Enough
    before: tuple[ProcessTotals | None, int | None] | None = None

    def hear(self, event: Event) -> None:
        """Do what the event calls for, then pass it on to the watcher."""
        if self.tasks is not None:
            self.tasks.hear(event)
        if isinstance(event, PhaseMark):
            self._mark(event)
        self.watch.hear(event)

    def _mark(self, mark: PhaseMark) -> None:
        if mark.state == "begin" and mark.phase in (WARMUP, MEASURE):
            # From the warm-up on: it takes a while.
            if self.profiler is not None:
                self.profiler.start()
            if self.serving is not None:
                self.serving.find()
        if mark.phase != MEASURE:
            return
        if mark.state == "begin":
            if self.profiler is not None:
                self.profiler.begin()
            if self.serving is not None:
                self.serving.start()
            self.held.look_at("generator", self.enough.pid)
            self.before = self._totals()
        elif mark.state == "end" and self.before is not None:
            self.record.phases[MEASURE] = _phase_cost(self.before, self._totals())
            if self.profiler is not None:
                self.profiler.stop()
            if self.serving is not None:
                _keep_waits(self.serving, self.record)
            # Afterwards: with many threads it takes a while.
            self.held.look_at("server", self.pid)

    def _totals(self) -> tuple[ProcessTotals | None, int | None]:
        process = process_totals(self.pid) if self.pid is not None else None
        return process, host_context_switches()


def _phase_cost(
    before: tuple[ProcessTotals | None, int | None], after: tuple[ProcessTotals | None, int | None]
) -> PhaseCost:
    use = process_use(before[0], after[0]) if before[0] and after[0] else None
    switches = None if before[1] is None or after[1] is None else after[1] - before[1]
    return PhaseCost(
        cpu_user_s=use.cpu_user_s if use else None,
        cpu_system_s=use.cpu_system_s if use else None,
        read_bytes=use.read_bytes if use else None,
        write_bytes=use.write_bytes if use else None,
        context_switches=switches,
    )


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


def _profiler(bench: Bench, pid: int | None, record: Record) -> Profiler | None:
    """The profiler, or None and the reason in the record."""
    if pid is None:
        record.profile_unavailable = NOT_OURS
    else:
        return Profiler(pid, folder=bench.work)
    return None


def _keep_waits(serving: Serving, record: Record) -> None:
    found = serving.stop()
    record.waits = WaitsOfThreads(**asdict(found)) if found is not None else None
    record.waits_unavailable = serving.unavailable


def _keep_profile(profiler: Profiler, record: Record) -> None:
    found = profiler.read()
    record.profile_unavailable = found.unavailable
    if found.unavailable is None:
        record.stacks = Counter(
            {
                tuple(Frame(f.object, f.symbol, is_local=f.is_local) for f in stack): n
                for stack, n in found.stacks.items()
            }
        )
        record.profile = hottest(record.stacks)
        record.profiler = ProfilerCost(
            samples=sum(found.stacks.values()),
            hz=SAMPLES_PER_S,
            seconds=found.seconds,
            perf_cpu_s=found.perf_cpu_s,
        )
