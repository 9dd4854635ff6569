"""Runs the durability test: loads data, then repeatedly kills the server under load, restarts it on
what is left, and has its data checked. The subject knows what to look for.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dyno.errors import LoadError, PowerError, ServerError
from dyno.runner.dataset import engine_hint, make_schema
from dyno.runner.durability.account import (
    FLUSH,
    READ_BACK,
    ROCKSDB_FLUSH,
    Durability,
    Kill,
)
from dyno.runner.durability.crash import PHASE, crash_under_load
from dyno.runner.load import run_load
from dyno.runner.sites import Site, site_for, test_rig
from dyno.runner.subjects import (
    SCHEMA,
    Acknowledged,
    Subject,
    check_rules,
    refuse_bad_load,
    subject_of,
)
from dyno.servers import (
    Installation,
    Server,
    Setting,
    create_data_dir,
    install,
    make_work_dir,
    start,
    with_plugins,
)
from dyno.servers.options import checked
from dyno.servers.private import PrivateDir
from dyno.spec.changed import changed
from dyno.spec.crash_load import Load, TpccOrders
from dyno.spec.durability import CrashKind
from dyno.spec.events import Event, PhaseMark
from dyno.spec.load_plan import LoadPlan, Phase, Target

# A crash recovery reads and writes what the log holds; nothing is being timed here.
RECOVERY_TIMEOUT_S = 600.0
# The kill ends the load; if it never comes, this does.
_LATEST_S = 600.0
_SAY_S = 5.0
# An image for the data: what any server has, and room for rows, indexes and logs.
_IMAGE_BYTES = 1024**3
_IMAGE_TIMES = 4
Say = Callable[[str], None]


@dataclass(frozen=True)
class DurabilityPlan:
    """What to test. A kill comes after 0.5 to 1.5 times `after_s`, drawn from the seed; `settings`
    override the test's own.
    """

    server: str
    load: Load = field(default_factory=lambda: TpccOrders(kind="tpcc", connections=16))
    engine: str = "innodb"
    kills: int = 5
    after_s: float = 5.0
    seed: int = 42
    settings: Mapping[str, Setting] = field(default_factory=dict)
    plugins: tuple[str, ...] = ()
    crash: CrashKind = "kill"

    @property
    def subject(self) -> Subject:
        """What is acknowledged, and looked for."""
        return subject_of(self.load)

    @property
    def all_settings(self) -> dict[str, Setting]:
        """The server's: commits on disk, and memory that holds most of what the load touches."""
        return {
            FLUSH: 1,
            **({ROCKSDB_FLUSH: 1} if "ha_rocksdb" in self.plugins else {}),
            "innodb_buffer_pool_size": f"{min(128 + self.subject.memory_mb, 1024)}M",
            "max_connections": self.load.connections + 20,
            **checked(self.settings),
        }

    def draw_after_s(self, number: int) -> float:
        """How long after the first op the kill of this number (from 1) comes."""
        drawn = random.Random(f"durability/{self.seed}/{number}")
        return self.after_s * drawn.uniform(0.5, 1.5)

    def ops_seed(self, number: int) -> int:
        """The seed of the ops before a kill: no kill repeats another's ops."""
        return random.Random(f"durability/ops/{self.seed}/{number}").getrandbits(63)

    def load_plan(
        self, server: Server, phase: Phase, *, seed: int, notes: Path | None = None
    ) -> LoadPlan:
        """A plan for dynoload over the test's tables."""
        return LoadPlan(
            seed=seed,
            target=Target(socket=str(server.socket), database=SCHEMA),
            connections=self.load.connections,
            phases=[phase],
            workload=self.subject.workload(self.engine, "", notes),
        )


def check_durability(
    plan: DurabilityPlan,
    *,
    say: Say = lambda text: None,
    on_begin: Callable[[Durability], None] = lambda empty: None,
    on_kill: Callable[[Kill], None] = lambda kill: None,
) -> Durability:
    """Run the test on a server of its own, which is removed afterwards. `say` gets progress
    messages, `on_begin` the server and its settings before the first kill, `on_kill` each kill as
    it ends.

    It ends early if a server doesn't come back, or its tables can't be read. Raises ServerError,
    LoadError if nothing could be tested, and BrokenDataError if the load alone broke data.
    """
    installation = install(plan.server, progress=say)
    installation = with_plugins(installation, plan.plugins, progress=say)
    place = make_work_dir()
    try:
        rig = test_rig(plan.crash, place.path)
        if rig.problem is not None:
            raise PowerError(f"the rig is broken: {rig.problem}", hint="try again on a quiet host")
        size_bytes = _IMAGE_BYTES + _IMAGE_TIMES * plan.subject.memory_mb * 1_000_000
        with (
            site_for(
                plan.crash, place.path / "site", size_bytes=size_bytes, seed=plan.seed
            ) as site,
            _Runner(plan, installation, place, site, say) as runner,
        ):
            runner.load()
            result = runner.describe()
            on_begin(result)
            for number in range(1, plan.kills + 1):
                kill = runner.kill(number)
                result = changed(result, kills=[*result.kills, kill])
                on_kill(kill)
                if kill.failure is not None:
                    break
            if result.shows_nothing:
                raise LoadError(
                    f"no {plan.load.counted} were acknowledged before any kill, so that none "
                    "could be lost",
                    hint="give a longer --after",
                )
            return result
    finally:
        place.remove()


class _Runner:
    """The server and its data folder, over all kills."""

    def __init__(
        self,
        plan: DurabilityPlan,
        installation: Installation,
        place: PrivateDir,
        site: Site,
        say: Say,
    ) -> None:
        self.plan = plan
        self.installation = installation
        self.folder = place.path
        self.tmpdir = place.inner
        self.site = site
        self.say = say
        self.server: Server | None = None
        self._rows: dict[str, int] = {}
        self._said_s = time.monotonic()

    def __enter__(self) -> _Runner:
        return self

    def __exit__(self, *_: object) -> None:
        if self.server is not None:
            self.server.kill()

    def start(self) -> Server:
        """Start the server on the data folder, as it is."""
        self.server = start(
            self.installation,
            data_dir=self.site.data,
            run_dir=self.folder / "logs",
            settings=self.plan.all_settings,
            tmpdir=self.tmpdir,
            timeout_s=RECOVERY_TIMEOUT_S,
        )
        return self.server

    def load(self) -> None:
        """A new data folder with the data in it, checked."""
        create_data_dir(self.installation, self.site.data, settings=self.plan.all_settings)
        server = self.start()
        make_schema(server, SCHEMA, where=self.plan.server)
        data = self.plan.load.data
        self.say(f"loading {data}")
        load = self.plan.load_plan(server, Phase(name="load"), seed=self.plan.seed)
        result = run_load(load, self.folder, on_event=self._say_rows, disk=self.folder)
        if result.failure:
            hint = engine_hint(result.failure, "--plugin")
            raise LoadError(f"loading {data}: {result.failure}", hint=hint)
        self.say("checking the data of the load")
        refuse_bad_load(server, self.plan.subject)

    def describe(self) -> Durability:
        """The server and its reported settings, without kills."""
        assert self.server is not None
        found = self.server.variables()
        return Durability(
            server=self.installation.name,
            product=self.installation.product,
            version=self.installation.version,
            engine=self.plan.engine,
            workload=self.plan.load.kind,
            data=self.plan.load.data,
            counted=self.plan.load.counted,
            connections=self.plan.load.connections,
            seed=self.plan.seed,
            crash=self.plan.crash,
            settings={name: found.get(name) for name in READ_BACK},
            kills=[],
        )

    def kill(self, number: int) -> Kill:
        """Load, kill, recover, check."""
        assert self.server is not None
        plan, after_s = self.plan, self.plan.draw_after_s(number)
        before = plan.subject.before(self.server)
        notes = self.folder / f"acknowledged-{number}.txt"
        self.say(f"kill {number} of {plan.kills}: after {after_s:.1f} s of load")
        load = plan.load_plan(
            self.server,
            Phase(name=PHASE, duration_s=after_s + _LATEST_S),
            seed=plan.ops_seed(number),
            notes=notes,
        )
        self.site.settle()
        crash = crash_under_load(self.server, load, self.folder, after_s=after_s, cut=self.site.cut)
        acknowledged = plan.subject.acknowledged(notes, crash.cut_s)
        begun = Kill(
            number=number,
            after_s=round(after_s, 3),
            ops_per_s=round(crash.ops_per_s, 1),
            connections=plan.load.connections,
            acknowledged=acknowledged.count,
        )
        try:
            self.say(f"kill {number} of {plan.kills}: recovering")
            self.site.restore()
            recovery_s = round(self.start().started_s, 3)
        except (ServerError, PowerError) as error:
            self.server = None
            return changed(begun, failure=f"no recovery: {error.message}")
        return self._look(begun, acknowledged, before, recovery_s)

    def _look(
        self, begun: Kill, acknowledged: Acknowledged, before: int, recovery_s: float
    ) -> Kill:
        """How much of what it had acknowledged the restarted server has."""
        assert self.server is not None
        try:
            looked = acknowledged.look(self.server, before)
        except ServerError as error:
            failure = f"the {self.plan.load.counted} can't be read: {error.words}"
            return changed(begun, recovery_s=recovery_s, failure=failure)
        self.say(f"kill {begun.number} of {self.plan.kills}: checking the data")
        return changed(
            begun,
            lost=looked.lost,
            incomplete=looked.incomplete,
            example=looked.example,
            surplus=looked.surplus,
            recovery_s=recovery_s,
            checks=check_rules(self.server, self.plan.subject),
        )

    def _say_rows(self, event: Event) -> None:
        if not isinstance(event, PhaseMark) or event.state != "progress" or not event.table:
            return
        self._rows[event.table] = event.rows or 0
        if time.monotonic() - self._said_s >= _SAY_S:
            self._said_s = time.monotonic()
            self.say(f"loading {self.plan.load.data}: {sum(self._rows.values()):,} rows")
