"""Finds the server of each arm of a plan, ours or somebody else's, and makes a bench for it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import Home
from dyno.hosts.elsewhere import Elsewhere
from dyno.runner.bench import Bench
from dyno.runner.copies import WorkingCopy
from dyno.runner.external import ExternalBench
from dyno.runner.ground import Ground
from dyno.runner.installed import installed
from dyno.runner.managed import ManagedBench
from dyno.runner.progress import Progress
from dyno.servers import Login, connect_external
from dyno.spec.address import Address
from dyno.spec.experiment import Arm
from dyno.spec.plan import Plan


def find_benches(
    plan: Plan,
    *,
    arms: Iterable[Arm],
    run: str,
    home: Home,
    work: Path,
    login: Login,
    progress: Progress,
    elsewhere: Elsewhere | None,
) -> list[Bench]:
    """A bench for each of these arms of a plan, its server installed or reached. `run`: the name of
    the run's folder; `work`: where benches have their own folders; `elsewhere`: who makes the load
    if this host doesn't. Raises ServerError.
    """
    found: list[Bench] = []
    ground = Ground.of(plan.protocol, elsewhere)
    for arm in arms:
        index = plan.arms.index(arm)
        folder = work / f"arm-{index}"
        folder.mkdir(parents=True, exist_ok=True)
        if not isinstance(arm.server, Address):
            ours = installed(arm, home=home, note=progress.note)
            found.append(
                ManagedBench(
                    plan=plan, arm=arm, home=home, work=folder, ground=ground, installation=ours
                )
            )
            continue
        if arm.settings or arm.plugins or arm.allocator:
            raise ServerError(
                f"arm {arm.name!r}: {arm.server} is somebody else's server, "
                "its settings, plugins and allocator can't be changed",
                hint="use session = {…} for session settings, or a server that Dyno starts",
            )
        theirs = connect_external(arm.server, login=login)
        found.append(
            ExternalBench(
                plan=plan, arm=arm, home=home, work=folder, ground=ground, run=run, theirs=theirs
            )
        )
    return found


def share_copies(benches: Iterable[Bench], copies: dict[str, WorkingCopy]) -> None:
    """Give each managed arm its working copy: one for all arms with the same dataset, unless their
    servers are alive at the same time. `copies` has those there are, by name, and gets the others.
    """
    for bench in benches:
        if isinstance(bench, ManagedBench):
            name = f"copy-{bench.work.name}" if bench.stays else f"copy-{bench.snapshot_key[:12]}"
            path = bench.work.parent / name
            fresh = WorkingCopy(home=bench.home, snapshot_key=bench.snapshot_key, path=path)
            bench.copy = copies.setdefault(name, fresh)
