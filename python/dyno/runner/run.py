"""Runs a plan block by block into its run folder, until the judge has seen enough.

Every finished trial is on disk before the next one starts, so a run that was stopped, by whatever
means, resumes where it was: trials are numbered by the plan, and finished numbers are skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from dyno.errors import HostLostError, InterruptedRunError, RunFailedError, ServerError
from dyno.hosts import Elsewhere
from dyno.hosts.alone import measuring_alone
from dyno.runner.bench import Bench
from dyno.runner.benches import find_benches, share_copies
from dyno.runner.copies import WorkingCopy
from dyno.runner.external import ExternalBench
from dyno.runner.failure import hopeless
from dyno.runner.managed import ManagedBench
from dyno.runner.pace import Pace
from dyno.runner.progress import Progress, TrialStep, TrialWatch
from dyno.runner.trial import Ended, Place, run_trial
from dyno.servers import Home, Login, find_home, remove_tree, schemas_made
from dyno.spec.plan import Plan, Turn
from dyno.spec.units import format_duration, plural
from dyno.store.run import RunFolder, RunState
from dyno.store.trial import THERE, Trial

# An arm without one good trial in this many blocks will have none.
BLOCKS_TO_LIVE = 3


@dataclass(frozen=True)
class Decision:
    """What the judge says after a block: whether to stop, why, and one line per comparison.
    `longer`: the plan with more blocks, perhaps of more arms, where what was seen decides what is
    measured next.
    """

    stop: bool
    reason: str
    lines: list[str]
    longer: Plan | None = None


Judge = Callable[[RunFolder, bool], Decision]
"""Asked after every block: (folder, whether this is a pre-set look). Stops count at looks only."""


def execute(
    folder: RunFolder,
    *,
    judge: Judge,
    progress: Progress,
    login: Login | None = None,
    again: str = "dyno run NAME --resume",
    elsewhere: Elsewhere | None = None,
) -> RunState:
    """Run what is left of the folder's plan. Returns the final state, also stored in run.json.

    `again` is the command that goes on with it; `elsewhere`: the hosts that make the load, if this
    one doesn't. Raises InterruptedRunError on Ctrl-C, RunFailedError when no trial of some arm
    succeeded, HostLostError if such a host vanishes from a trial twice; finished trials stay on
    disk in every case, and no server is left behind.
    """
    plan = folder.plan()
    home = find_home()
    with measuring_alone(home):
        folder.drop_partial_trials()
        work = _fresh_work_folder(home, folder)
        run = _Run(folder, plan, judge, progress)
        try:
            run.prepare(home, work, login or Login(), elsewhere)
            reason = run.blocks()
        except KeyboardInterrupt:
            run.state = run.ended("interrupted", "stopped by the user")
            raise _interrupted(folder, again) from None
        except BaseException as error:
            run.state = run.ended("interrupted", str(error))
            raise
        finally:
            run.release()
            remove_tree(work)
            folder.drop_partial_trials()
        run.state = run.ended("complete", reason)
    return run.state


def _interrupted(folder: RunFolder, again: str) -> InterruptedRunError:
    done = len(folder.done())
    if not done:
        return InterruptedRunError("interrupted before the first trial had finished")
    return InterruptedRunError(
        f"interrupted; {plural(done, 'finished trial')} in {folder.path}",
        hint=f"go on with: {again}",
    )


class _Run:
    """One execution: the state that the blocks share."""

    def __init__(
        self,
        folder: RunFolder,
        plan: Plan,
        judge: Judge,
        progress: Progress,
    ) -> None:
        self.folder = folder
        self.plan = plan
        self.benches: dict[str, Bench] = {}
        self.copies: dict[str, WorkingCopy] = {}
        self.judge = judge
        self.progress = progress
        self.state = folder.state()
        self.pace = Pace(budget_s=plan.protocol.budget, before_s=self.state.elapsed_s)
        self.done = folder.done()
        self.said: set[tuple[str, str]] = set()
        self.elsewhere: Elsewhere | None = None

    def prepare(self, home: Home, work: Path, login: Login, elsewhere: Elsewhere | None) -> None:
        """Servers first, then datasets: what's missing is known before anything is measured."""
        self.elsewhere = elsewhere
        self.find = partial(
            find_benches,
            run=self.folder.path.name,
            home=home,
            work=work,
            login=login,
            progress=self.progress,
            elsewhere=elsewhere,
        )
        self._equip(self.find(self.plan, arms=self.plan.arms))
        self._say_what_is_left()
        self.pace.begin()

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

    def _go_on(self, plan: Plan) -> None:
        """Go on with a longer plan, which has all that the present one has."""
        self.folder.write_plan(plan)
        self.plan = plan
        for bench in self.benches.values():
            bench.plan = plan
        new = [arm for arm in plan.arms if arm.name not in self.benches]
        self._equip(self.find(plan, arms=new))

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
                    f"of runs that go on or were killed: {names}"
                )

    def blocks(self) -> str:
        """All blocks until a reason to stop; gives the reason."""
        block = -1
        while (block := block + 1) < len(self.plan.orders):
            missing = self._missing(block, self.plan.orders[block])
            if missing and not self.pace.fits(len(missing)):
                return self._out_of_budget(block)
            if missing:
                self._block(block, missing)
            self._check_arms_live(block)
            is_look = block + 1 in self.plan.looks
            if not missing and not is_look and block + 1 < len(self.plan.orders):
                continue
            decision = self.judge(self.folder, is_look)
            self.progress.block_done(decision.lines)
            if is_look and decision.stop:
                return decision.reason
            if decision.longer is not None:
                self._go_on(decision.longer)
        return f"the plan's last block, {len(self.plan.orders)}, is done"

    def ended(self, state: str, reason: str) -> RunState:
        """Store how the run ended, or that it was interrupted."""
        blocks = sum(
            not self._missing(block, order) for block, order in enumerate(self.plan.orders)
        )
        found = RunState.model_validate(
            self.state.model_dump()
            | {
                "state": state,
                "reason": reason,
                "elapsed_s": round(self.pace.elapsed_s(), 1),
                "blocks_done": blocks,
            }
        )
        self.folder.write_state(found)
        return found

    def release(self) -> None:
        """Stop what still runs, then remove Dyno's schemas from somebody else's servers."""
        for bench in self.benches.values():
            bench.stop(clean=False)
        for bench in self.benches.values():
            try:
                bench.leave()
            except ServerError as error:
                self.progress.note(f"{error.message}; {error.hint}")

    def _missing(self, block: int, order: list[Turn]) -> list[tuple[int, Turn]]:
        """The block's trials that aren't on disk yet, with their positions."""
        return [
            (position, turn)
            for position, turn in enumerate(order)
            if self.plan.trial_number(block=block, position=position) not in self.done
        ]

    def _block(self, block: int, missing: list[tuple[int, Turn]]) -> None:
        """Run the block's missing trials. After an error, its servers end with the run."""
        self.pace.begin_block()
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
        if self.plan.protocol.restart == "block":
            for bench in benches:
                bench.stop()
        self.pace.end_block()

    def _load_again(self, block: int, missing: list[tuple[int, Turn]], first: TrialStep) -> None:
        """Time the loads that the protocol asks for, arms in the block's order; an arm's first
        trial keeps its own. None if an interrupted run left only some of an arm's trials to do.
        """
        if block >= self.plan.protocol.loads:
            return
        missed = [turn.arm for _, turn in missing]
        for arm in dict.fromkeys(missed):
            if missed.count(arm) == len(self.plan.points) * self.plan.protocol.slices:
                step = "loading its data again, timed"
                self.progress.step(replace(first, arm=arm, point="", step=step))
                self.benches[arm].loading = self.benches[arm].load_again(self.progress)

    def _turn(self, block: int, position: int, turn: Turn) -> None:
        """Run one trial and report how it ended."""
        number = self.plan.trial_number(block=block, position=position)
        where = self._where(block, position, turn)
        place = Place(
            number=number,
            block=block,
            position=position,
            point=turn.point,
            profiled=self.plan.is_profiled(block),
        )
        ended = self._run_trial(place, turn.arm, TrialWatch(self.progress, where))
        self.done.add(number)
        self.pace.trial_done()
        self._tell(ended, where)
        self.progress.trial_done(
            done=len(self.done),
            total=self._total(),
            elapsed_s=self.pace.elapsed_s(),
            eta_s=self.pace.eta_s(self._total() - len(self.done)),
        )

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
            blocks=len(self.plan.orders),
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
            self._say_once(str(bench.arm.server), f"not to be had there: {words}")

    def _say_once(self, of: str, text: str) -> None:
        kind = text.partition(":")[2]
        if (of, kind) not in self.said:
            self.said.add((of, kind))
            self.progress.note(text)

    def _total(self) -> int:
        """Trials until the last look."""
        return sum(map(len, self.plan.orders[: self.plan.looks[-1]]))

    def _out_of_budget(self, block: int) -> str:
        budget = format_duration(self.plan.protocol.budget)
        return f"the budget of {budget} is spent after {plural(block, 'block')}"

    def _check_arms_live(self, block: int) -> None:
        """An arm that fails from the start, at all points, will go on failing: say so early."""
        if block + 1 != BLOCKS_TO_LIVE:
            return
        trials = list(self.folder.trials())
        dead = dead_arm(trials, [arm.name for arm in self.plan.arms])
        if dead is not None:
            raise RunFailedError(
                f"arm {dead!r} failed in each of the first {BLOCKS_TO_LIVE} blocks: "
                f"{next(t.failure for t in trials if t.arm == dead and t.failure)}",
                hint=f"see {self.folder.trials_path}/*/server.err, or leave it out with --arms",
            )


def dead_arm(trials: list[Trial], arms: list[str]) -> str | None:
    """The first arm that has a trial for each of these blocks, but no good one."""
    for arm in arms:
        own = [trial for trial in trials if trial.arm == arm]
        if len(own) >= BLOCKS_TO_LIVE and all(trial.status == "failed" for trial in own):
            return arm
    return None


def _fresh_work_folder(home: Home, folder: RunFolder) -> Path:
    """The parent of this run's data folders. What killed runs left there is removed: with the lock
    held, no other run uses it.
    """
    for old in home.work.glob("run-*"):
        remove_tree(old)
    work = home.work / f"run-{folder.path.name}"
    work.mkdir()
    return work
