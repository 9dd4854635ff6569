"""Runs a series crash by crash into its run folder, until each cell is settled or the budget spent.
Then it measures what the arms cost, if that is asked.

A cell, an arm with a kind of crash, is settled by two crashes that lost or broke something, or by
as many as the plan has. Kinds and arms alternate in a random order. What was stored isn't repeated.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field

from dyno.errors import InterruptedRunError, LoadError, PowerError, RunFailedError, ServerError
from dyno.home import find_home, remove_tree
from dyno.hosts.alone import measuring_alone
from dyno.power import enter_private_mounts, lacking
from dyno.runner.crashes.crash import RECOVERY_S, Order, crash_once
from dyno.runner.crashes.price import measure_prices
from dyno.runner.crashes.template import Template
from dyno.runner.crashes.watch import Watch
from dyno.runner.installed import installed
from dyno.runner.sites import site_for, test_rig
from dyno.runner.subjects import subject_of
from dyno.servers import make_work_dir
from dyno.servers.private import PrivateDir
from dyno.spec.durability import NEEDS_POWER, CrashKind
from dyno.spec.series import Cell, Series
from dyno.spec.units import format_duration, plural
from dyno.store.crash import Crash, Rig
from dyno.store.run import RunState
from dyno.store.series import SeriesFolder

# What an image has beside the data; its file system takes some of that.
ROOM_BYTES = 384 * 1024 * 1024
# Failures before a crash, in a row, after which an arm is given up.
_FAILURES_MOST = 3


def execute_series(folder: SeriesFolder, watch: Watch, *, again: str) -> RunState:
    """Run what is left of a folder's series. Returns the final state, which is stored, too.

    No thread may run yet. `again` is the command that goes on with it. Raises InterruptedRunError
    on Ctrl-C, RunFailedError if nothing could be tested, PowerError if only power was to be cut and
    can't be, ServerError, LoadError, and BrokenDataError if a load alone broke data. What is
    over stays on disk in every case.
    """
    series = folder.series()
    wants_power = any(kind in NEEDS_POWER for kind in series.crashes.kinds)
    missing = lacking() if wants_power else None
    if missing is None and wants_power:
        enter_private_mounts()
    elif missing is not None and "kill" not in series.crashes.kinds:
        raise PowerError(missing, hint="run it as root on a host with loop devices")
    home = find_home()
    with measuring_alone(home):
        place = make_work_dir(home)
        run = _Run(folder, series, watch, place)
        try:
            run.begin(missing)
            reason = run.crashes()
            run.prices()
        except KeyboardInterrupt:
            run.end("interrupted", "stopped by the user")
            done = plural(len(run.done), "finished crash")
            raise InterruptedRunError(
                f"interrupted; {done} in {folder.path}", hint=f"go on with: {again}"
            ) from None
        except BaseException as error:
            run.end("interrupted", str(error))
            raise
        finally:
            place.remove()
        return run.end("complete", reason)


@dataclass
class _Run:
    """One execution."""

    folder: SeriesFolder
    series: Series
    watch: Watch
    place: PrivateDir
    begun_s: float = field(default_factory=time.monotonic)
    done: dict[int, Crash] = field(default_factory=dict)
    rigs: dict[str, Rig] = field(default_factory=dict)
    templates: dict[str, Template] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    before_s: float = 0.0
    taken_s: list[float] = field(default_factory=list)

    def begin(self, missing: str | None) -> None:
        """The rig is tested and servers are installed before anything is crashed."""
        self.done = {crash.number: crash for crash in self.folder.crashes()}
        self.before_s = self.folder.state().elapsed_s
        for kind in self.series.crashes.kinds:
            self.rigs[kind] = self._rig(kind, missing)
        self.folder.write_rigs(self.rigs)
        subject = subject_of(self.series.load)
        for number, arm in enumerate(self.series.arms):
            found = installed(arm, note=self.watch.note)
            self.folder.write_server(found.name, found.to_json())
            self.templates[arm.name] = Template(
                arm=arm,
                installation=found,
                subject=subject,
                path=self.place.path / f"arm-{number}",
                tmpdir=self.place.inner,
                logs=self.place.path / f"logs-{number}",
            )

    def _rig(self, kind: CrashKind, missing: str | None) -> Rig:
        if kind in NEEDS_POWER and missing is not None:
            self.watch.note(missing)
            return Rig(problem=missing)
        self.watch.say(f"testing the rig: {kind}")
        rig = test_rig(kind, self.place.path)
        if rig.problem is not None:
            self.watch.note(f"no crashes of kind {kind}, the rig is broken: {rig.problem}")
        return rig

    def crashes(self) -> str:
        """All crashes until a reason to stop; gives the reason."""
        left = [turn for turn in self.series.turns() if self.rigs[turn[2].kind].problem is None]
        if not left:
            raise RunFailedError("no kind of crash can be tested here", hint="see rig.json")
        for number, round_, cell in left:
            if number in self.done or self._is_settled(cell):
                continue
            if self.elapsed_s >= self.series.budget_s:
                budget = format_duration(self.series.budget_s)
                return f"the budget of {budget} is spent"
            self._crash(number, round_, cell)
        return "each arm has had its crashes, or is settled"

    @property
    def elapsed_s(self) -> float:
        """Over all executions."""
        return self.before_s + time.monotonic() - self.begun_s

    def _is_settled(self, cell: Cell) -> bool:
        of_cell = [c for c in self.done.values() if (c.arm, c.kind) == (cell.arm, cell.kind)]
        harmed = sum(crash.is_lossy or crash.is_broken for crash in of_cell)
        return harmed >= self.series.settled_by(cell) or self.failures[cell.arm] >= _FAILURES_MOST

    def _template(self, arm: str) -> Template:
        """The arm's, made when it is first needed."""
        template = self.templates[arm]
        if not template.path.exists():
            self.watch.say(f"making the tables of {arm}")
            template.make(timeout_s=RECOVERY_S)
        return template

    def prices(self) -> None:
        """Measure what is left of the arms' throughput."""
        measure_prices(self.folder, self.series, self.watch, self.place.path, self._template)

    def _crash(self, number: int, round_: int, cell: Cell) -> None:
        template = self._template(cell.arm)
        after_s = self.series.after_s(cell, round_)
        self.watch.say(f"{cell.kind} of {cell.arm}, {after_s:.1f} s into the load")
        order = Order(number, round_, cell, after_s, self.series.ops_seed(number))
        logs = self.place.path / "crash"
        logs.mkdir()
        begun_s = time.monotonic()
        try:
            size_bytes = template.size_bytes + ROOM_BYTES
            path = self.place.path / "site"
            with site_for(cell.kind, path, size_bytes=size_bytes, seed=order.ops_seed) as site:
                crash = crash_once(template, site, order, logs)
        except (ServerError, LoadError) as error:
            self._failed(cell, error)
            return
        finally:
            remove_tree(logs)
        self.folder.keep(crash)
        self.done[number] = crash
        self.failures[cell.arm] = 0
        self.taken_s.append(time.monotonic() - begun_s)
        self.watch.crashed(crash, done=len(self.done), most=self._most(), eta_s=self._eta_s())

    def _failed(self, cell: Cell, error: ServerError | LoadError) -> None:
        """Nothing was tested. An arm that never could be ends the run: at once if its server fails,
        as its settings are wrong; else after some, as a crash can come before the first answer.
        """
        self.failures[cell.arm] += 1
        given_up = isinstance(error, ServerError) or self.failures[cell.arm] >= _FAILURES_MOST
        if given_up and not any(crash.arm == cell.arm for crash in self.done.values()):
            raise error
        message = error.message.removeprefix(f"{cell.arm}: ")
        self.watch.note(f"{cell.arm} failed before its crash: {message}")

    def _most(self) -> int:
        return len(self.done) + self._left()

    def _left(self) -> int:
        turns = self.series.turns()
        return sum(
            number not in self.done
            and self.rigs[cell.kind].problem is None
            and not self._is_settled(cell)
            for number, _, cell in turns
        )

    def _eta_s(self) -> float | None:
        if not self.taken_s:
            return None
        each_s = sum(self.taken_s) / len(self.taken_s)
        return min(self._left() * each_s, max(0.0, self.series.budget_s - self.elapsed_s))

    def end(self, state: str, reason: str) -> RunState:
        """Store how it ended."""
        before = self.folder.state()
        elapsed_s = round(self.elapsed_s, 1)
        found = before.model_dump() | {"state": state, "reason": reason, "elapsed_s": elapsed_s}
        ended = RunState.model_validate(found)
        self.folder.write_state(ended)
        return ended
