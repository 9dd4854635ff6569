"""Runs the blocks of a plan on this host's servers, trial by trial. When to stop is decided
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from dyno.errors import HostLostError, ServerError
from dyno.home import Home, remove_tree
from dyno.hosts.elsewhere import Elsewhere
from dyno.runner.bench import Bench
from dyno.runner.benches import find_benches, share_copies
from dyno.runner.copies import WorkingCopy
from dyno.runner.external import ExternalBench
from dyno.runner.failure import hopeless
from dyno.runner.managed import ManagedBench
from dyno.runner.progress import Progress, TrialStep, TrialWatch
from dyno.runner.trial import Ended, Place, run_trial
from dyno.servers import Login, schemas_made
from dyno.spec.plan import Plan, Turn
from dyno.spec.units import plural
from dyno.store.run import RunFolder
from dyno.store.trial import THERE

Missing = list[tuple[int, Turn]]
"""Trials of a block that are to be made, with their positions."""


def missing(plan: Plan, block: int, done: Container[int]) -> Missing:
    """The trials of a block whose numbers aren't among those that are done."""
    return [
        (position, turn)
        for position, turn in enumerate(plan.orders[block])
        if plan.trial_number(block=block, position=position) not in done
    ]


class Blocks:
    """The servers of a plan's arms, and what their trials have in common. `done`: the numbers of
    the trials that are on disk; `at_once`: how many blocks `run` makes at a time.
    """

    at_once = 1

    def __init__(
        self,
        folder: RunFolder,
        plan: Plan,
        progress: Progress,
        *,
        home: Home,
        work: Path,
        login: Login,
        elsewhere: Elsewhere | None,
    ) -> None:
        """`work`: where benches have their own folders; `elsewhere`: the hosts that make the load,
        if this one doesn't.
        """
        self.folder = folder
        self.plan = plan
        self.progress = progress
        self.elsewhere = elsewhere
        self.benches: dict[str, Bench] = {}
        self.copies: dict[str, WorkingCopy] = {}
        self.said: set[tuple[str, str]] = set()
        self.done = folder.done()
        self._find = partial(
            find_benches,
            run=folder.path.name,
            home=home,
            work=work,
            login=login,
            progress=progress,
            elsewhere=elsewhere,
        )

    def prepare(self) -> None:
        """Servers first, then datasets: what's missing is known before anything is measured."""
        self._equip(self._find(self.plan, arms=self.plan.arms))
        self._say_what_is_left()

    def _equip(self, found: list[Bench]) -> None:
        """Count benches in, and load their data."""
        # First: what fails while data are loaded must be cleared away, too.
        self.benches |= {bench.arm.name: bench for bench in found}
        for bench in found:
            if isinstance(bench, ManagedBench):
                server = bench.installation
                self.folder.write_server(server.name, server.to_json())
        for bench in found:
            bench.load_dataset(self.progress)
        share_copies(found, self.copies)

    def go_on(self, plan: Plan) -> None:
        """Go on with a longer plan, which has all that the present one has."""
        self.plan = plan
        for bench in self.benches.values():
            bench.plan = plan
        new = [arm for arm in plan.arms if arm.name not in self.benches]
        self._equip(self._find(plan, arms=new))

    def _say_what_is_left(self) -> None:
        """Runs that were killed can't drop their schemas on somebody else's server."""
        benches = [b for b in self.benches.values() if isinstance(b, ExternalBench)]
        ours = {bench.schema for bench in benches}
        for server in {bench.arm.server: bench.theirs for bench in benches}.values():
            with closing(server.admin()) as connection:
                left = [name for name in schemas_made(connection) if name not in ours]
            if left:
                names = ", ".join(left[:3]) + ", …" * (len(left) > 3)
                self.progress.note(
                    f"{server.address} has {plural(len(left), 'more schema')} that Dyno made, "
                    f"left by runs that still run or were killed: {names}"
                )

    def missing(self, block: int) -> Missing:
        """The block's trials that aren't on disk yet."""
        return missing(self.plan, block, self.done)

    def run(self, blocks: Iterable[int], on_trial: Callable[[], None]) -> None:
        """Run what is missing of the blocks; `on_trial` is called after each trial. After an error,
        servers end with the run.
        """
        for block in blocks:
            self._block(block, self.missing(block), on_trial)

    def _block(self, block: int, missing: Missing, on_trial: Callable[[], None]) -> None:
        wanted = {turn.arm for _, turn in missing}
        benches = [bench for name, bench in self.benches.items() if name in wanted]
        first = self._where(block, *missing[0])
        if self.elsewhere is not None:
            self.progress.step(replace(first, step="measuring the network"))
            self.elsewhere.measure_networks()

        def say(arm: str) -> None:
            self.progress.step(replace(first, arm=arm, point="", step="starting the server"))

        self._load_again(block, missing, first)
        for bench in benches:
            bench.begin_block(block=block, say=say)
        for position, turn in missing:
            self._turn(block, position, turn)
            on_trial()
        if self.plan.protocol.restart == "block":
            for bench in benches:
                bench.stop()

    def _load_again(self, block: int, missing: list[tuple[int, Turn]], first: TrialStep) -> None:
        """Time the loads that the protocol asks for, arms in the block's order; an arm's first
        trial keeps its own. None if an interrupted run left only some of an arm's trials to do.
        """
        if block >= self.plan.protocol.loads or self.plan.explains is not None:
            return
        missed = [turn.arm for _, turn in missing]
        for arm in dict.fromkeys(missed):
            if missed.count(arm) == len(self.plan.points) * self.plan.protocol.slices:
                self._time_load(replace(first, arm=arm, point=""))

    def _time_load(self, where: TrialStep) -> None:
        self.progress.step(replace(where, step="loading its data again, timed"))
        bench = self.benches[where.arm]
        bench.loading = bench.load_again(self.progress)

    def _turn(self, block: int, position: int, turn: Turn) -> None:
        """Run one trial and report how it ended."""
        number = self.plan.trial_number(block=block, position=position)
        where = self._where(block, position, turn)
        # In a search a row has several trials in a block, each with a figure of its own.
        if self.plan.explains is not None and block < self.plan.protocol.loads:
            self._time_load(where)
        place = Place(
            number=number,
            block=block,
            position=position,
            point=turn.point,
            profiled=self.plan.is_profiled(block),
        )
        ended = self._run_trial(place, turn.arm, TrialWatch(self.progress, where))
        self.done.add(number)
        self._tell(ended, where)

    def _run_trial(self, place: Place, arm: str, watch: TrialWatch) -> Ended:
        """A trial; once more if a host vanished that made its load. Raises HostLostError if that
        was in vain.
        """
        for is_last in (False, True):
            ended = run_trial(self.folder, self.benches[arm], place, watch)
            if not ended.is_lost:
                return ended
            lost = f"trial {place.number} ({arm}) is void: {ended.trial.failure}"
            if not is_last:
                self.progress.note(f"{lost}; it is run again")
        raise HostLostError(lost, hint="once its agent is up again, go on with --resume")

    def _where(self, block: int, position: int, turn: Turn) -> TrialStep:
        points = self.plan.points
        return TrialStep(
            block=block + 1,
            blocks=None if self.plan.explains else len(self.plan.orders),
            position=position + 1,
            positions=len(self.plan.orders[block]),
            arm=turn.arm,
            step="",
            point=points[turn.point].label if len(points) > 1 else "",
        )

    def _tell(self, ended: Ended, where: TrialStep) -> None:
        """Report anything unusual; a failure that all trials would share ends the run."""
        trial = ended.trial
        of = f"{trial.arm}, {where.point}" if where.point else trial.arm
        if trial.status == "failed":
            self.progress.note(f"trial {trial.number} ({of}) failed: {trial.failure}")
            error = hopeless(trial, refused=ended.refused) if trial.block == 0 else None
            if error is not None:
                raise error
        if trial.void is not None:
            self._say_once(of, f"trial {trial.number} ({of}) gives no figure: {trial.void}")
        bench = self.benches[trial.arm]
        missing = {k: v for k, v in trial.telemetry_cost.unavailable.items() if k in THERE}
        if not bench.is_ours and missing:
            words = "; ".join(f"{name}: {why}" for name, why in missing.items())
            self._say_once(str(bench.arm.server), f"unavailable on this server: {words}")

    def _say_once(self, of: str, text: str) -> None:
        kind = text.partition(":")[2]
        if (of, kind) not in self.said:
            self.said.add((of, kind))
            self.progress.note(text)

    def release(self) -> None:
        """Stop what still runs, then remove Dyno's schemas from somebody else's servers."""
        for bench in self.benches.values():
            bench.stop(clean=False)
        for bench in self.benches.values():
            try:
                bench.leave()
            except ServerError as error:
                self.progress.note(f"{error.message}; {error.hint}")


def fresh_work_folder(home: Home, folder: RunFolder) -> Path:
    """The parent of this run's data folders. What killed runs left there is removed: with the lock
    held, no other run uses it.
    """
    for old in home.work.glob("run-*"):
        remove_tree(old)
    work = home.work / f"run-{folder.path.name}"
    work.mkdir()
    return work
