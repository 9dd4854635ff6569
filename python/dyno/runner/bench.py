"""An arm made ready to be measured: its server found, its dataset loaded, its data folder in place.

The dataset is loaded once and kept as a snapshot; a run works on copies of its own.
"""

from __future__ import annotations

import re
import tempfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from dyno.errors import ServerError
from dyno.runner.copies import WorkingCopy
from dyno.runner.data_checks import require_good_dataset
from dyno.runner.dataset import dataset_parts, load_rows, make_schema
from dyno.runner.progress import Progress
from dyno.servers import (
    ANYBODY,
    WORK_S,
    ExternalServer,
    Home,
    Installation,
    Login,
    ReadableServer,
    Server,
    connect_external,
    create_data_dir,
    drop_schema,
    install,
    remove_tree,
    snapshots,
    start,
)
from dyno.spec.address import Address, is_address
from dyno.spec.dataset import data_settings
from dyno.spec.experiment import Arm
from dyno.spec.load_plan import Target
from dyno.spec.plan import Plan
from dyno.store.storage import Loading
from dyno.store.trial import ServerRead


@dataclass
class Bench:
    """One arm's server and data.

    `run`: the name of the run's folder. `copy` may be shared with other arms. `proven`: the server
    has started with these settings before. `server` is set while one runs; `start_steps` says how
    long placing its data and its start took, until a trial books it, as it does `loading`, a timed
    load of the data; `log_read_bytes`: how much of its log trials have already.
    """

    plan: Plan
    arm: Arm
    home: Home
    work: Path
    login: Login
    run: str
    installation: Installation | None = None
    external: ExternalServer | None = None
    snapshot_key: str = ""
    copy: WorkingCopy | None = None
    proven: bool = False
    made_schema: bool = False
    server: Server | None = field(default=None, repr=False)
    start_steps: dict[str, float] = field(default_factory=dict)
    log_read_bytes: int = 0
    loading: Loading | None = None

    @property
    def schema(self) -> str:
        """The schema that the workload lives in; only ever one that Dyno created.

        On somebody else's server other runs may be, and arms there may differ in engine: each run
        has a schema of its own for each arm.
        """
        name = "dyno_" + _as_name(self.plan.name)
        if self.external is None:
            return name[:55]
        return f"{name[:31]}_{_as_name(self.run)[-25:]}_{self.plan.arms.index(self.arm)}"

    @property
    def owner(self) -> str:
        """Who may drop that schema."""
        return ANYBODY if self.external is None else f"dyno {self.run}"[:64]

    @property
    def stays(self) -> bool:
        """Whether a server outlives a trial."""
        return self.plan.protocol.restart != "trial"

    @property
    def logs(self) -> Path:
        """Where a server logs that must not log into one trial's folder."""
        return self.work / "logs"

    @property
    def disk(self) -> Path | None:
        """Where the server writes, if that is here."""
        return self.home.root if self.external is None else None

    def server_read(self) -> ServerRead:
        """The server as the trial records it."""
        if self.installation is not None:
            found = self.installation
            return ServerRead(
                name=found.name,
                product=found.product,
                version=found.version,
                fingerprint=found.fingerprint,
            )
        assert self.external is not None
        return ServerRead(
            name=str(self.external.address),
            product=self.external.product,
            version=self.external.version,
            fingerprint="",
            managed=False,
        )

    def find_server(self, progress: Progress) -> None:
        """Install the arm's server, or reach it at its address."""
        if is_address(self.arm.server):
            if self.arm.settings:
                raise ServerError(
                    f"arm {self.arm.name!r}: {self.arm.server} is somebody else's server, "
                    "its settings can't be changed",
                    hint="use session = {…} for session settings, or a server that Dyno starts",
                )
            self.external = connect_external(Address.parse(self.arm.server), login=self.login)
        else:
            self.installation = install(self.arm.server, home=self.home, progress=progress.note)

    def load_dataset(self, progress: Progress) -> None:
        """Make sure that the dataset exists: as a snapshot, or in the external server's schema."""
        if self.external is not None:
            self._load_into(self.external, progress)
            return
        assert self.installation is not None
        parts = dataset_parts(
            self.plan,
            self.arm,
            schema=self.schema,
            fingerprint=self.installation.fingerprint,
        )
        self.snapshot_key = snapshots.key(parts)
        if snapshots.get(self.snapshot_key, home=self.home) is not None:
            return
        data = self.work / "load"
        settings = data_settings(self.arm)
        create_data_dir(self.installation, data, settings=settings, home=self.home)
        with tempfile.TemporaryDirectory(prefix="load-", dir=self.work) as logs:
            server = start(self.installation, data_dir=data, run_dir=Path(logs), settings=settings)
            try:
                self._load_into(server, progress)
            except BaseException:
                server.kill()
                raise
            if not server.stop():
                raise ServerError(f"{self.arm.server} didn't shut down after loading the dataset")
        snapshots.save(self.snapshot_key, data, parts=parts, home=self.home)
        remove_tree(data)

    def left(self, *, clean: bool) -> None:
        """Note how the server left the data folder."""
        if self.copy is not None:
            self.copy.clean = clean

    def target(self, server: ReadableServer) -> Target:
        """Where dynoload finds a server of this arm."""
        if isinstance(server, ExternalServer):
            return Target.at(server.address, self.schema)
        return Target(socket=str(server.socket), database=self.schema)

    def password(self) -> str | None:
        """The external server's password; a managed server has none."""
        return self.external.password if self.external is not None else None

    def leave_external(self) -> None:
        """Take Dyno's schema off somebody else's server. Raises ServerError if it stays there."""
        if self.external is None or not self.made_schema:
            return
        try:
            with closing(self.external.admin(answer_s=WORK_S)) as connection:
                drop_schema(connection, self.schema, owner=self.owner)
        except ServerError as error:
            raise ServerError(
                f"the schema {self.schema!r} is left on {self.external.address}: {error.words}",
                hint=f"drop it there: DROP DATABASE {self.schema}",
            ) from error

    def _load_into(self, server: ReadableServer, progress: Progress) -> None:
        progress.note(f"loading the dataset for {self.arm.name} ({self.arm.server})")
        make_schema(server, self.schema, where=self.arm.server, owner=self.owner)
        self.made_schema = True
        load_rows(
            self.plan,
            self.arm,
            self.target(server),
            password=self.password(),
            progress=progress,
            disk=self.disk,
        )
        require_good_dataset(self.plan, server, self.schema, arm=self.arm.name, say=progress.note)


def _as_name(text: str) -> str:
    return re.sub(r"[^a-z0-9_]", "_", text.lower())


def share_copies(benches: list[Bench]) -> None:
    """Give each managed arm its working copy: one for all arms with the same dataset, unless their
    servers are alive side by side.
    """
    copies: dict[str, WorkingCopy] = {}
    for index, bench in enumerate(benches):
        if bench.external is not None:
            continue
        name = f"copy-{index}" if bench.stays else f"copy-{bench.snapshot_key[:12]}"
        path = bench.work.parent / name
        fresh = WorkingCopy(home=bench.home, snapshot_key=bench.snapshot_key, path=path)
        bench.copy = copies.setdefault(name, fresh)
