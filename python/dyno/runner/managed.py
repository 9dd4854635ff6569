"""An arm on a server that Dyno starts: installed, loaded once, run on copies of a snapshot.

`protocol.restart` decides how long a server lives: "trial" starts one for each trial, "block" one
for each block, in which the servers of all arms are alive at the same time, and "never" keeps the
first one. Nothing is measured here.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from dyno.errors import BrokenDataError, ServerError
from dyno.home import remove_tree
from dyno.runner.bench import Bench, as_name
from dyno.runner.copies import WorkingCopy
from dyno.runner.dataset import dataset_parts
from dyno.runner.failure import SERVER_DIED
from dyno.runner.loads import load_timed
from dyno.runner.progress import Progress
from dyno.runner.record import Record, timed
from dyno.servers import (
    START_S,
    Installation,
    ReadableServer,
    Server,
    create_data_dir,
    log_findings,
    make_memory_dir,
    snapshots,
    start,
)
from dyno.servers.account import TCP_USER, make_accounts
from dyno.servers.known import for_server
from dyno.servers.options import INIT_SETTINGS
from dyno.spec.changed import changed
from dyno.spec.checked import check_data_of
from dyno.spec.data_check import NEVER
from dyno.spec.dataset import data_settings
from dyno.spec.experiment import Arm
from dyno.spec.load_plan import Target
from dyno.spec.renamed import normal_name
from dyno.store.files import storing
from dyno.store.storage import Loading
from dyno.store.trial import ServerRead

# Settings whose values a row's data are loaded with, while others are varied at run time only.
_OF_ROWS = INIT_SETTINGS | {"character_set_server", "collation_server"}


@dataclass(kw_only=True)
class ManagedBench(Bench):
    """`running` is set while a server runs; `start_steps` says how long placing its data and its
    start took, until a trial records it; `log_read_bytes`: how much of its log trials already have.
    `copy`, which may be shared with other arms, is there once the dataset is.
    """

    is_ours: ClassVar[bool] = True
    installation: Installation
    snapshot_key: str = ""
    copy: WorkingCopy | None = None
    running: Server | None = field(default=None, repr=False)
    start_steps: dict[str, float] = field(default_factory=dict)
    log_read_bytes: int = 0

    @property
    def schema(self) -> str:
        """Named by the experiment: our own servers have no other schema."""
        return f"dyno_{as_name(self.plan.name)}"[:55]

    @property
    def server(self) -> ReadableServer:
        """The running server."""
        assert self.running is not None
        return self.running

    @property
    def is_alive(self) -> bool:
        """Whether its process runs."""
        return self.running is not None and self.running.is_alive()

    @property
    def pid(self) -> int | None:
        """Its process."""
        return self.running.pid if self.running is not None else None

    @property
    def data_dir(self) -> Path | None:
        """Its files."""
        return self.running.data_dir if self.running is not None else None

    @property
    def disk(self) -> Path | None:
        """The disk of Dyno's home."""
        return self.home.root

    @property
    def logs(self) -> Path:
        """Where a server logs if it must not log into one trial's folder."""
        return self.work / "logs"

    def server_read(self) -> ServerRead:
        """The server by its installation."""
        return ServerRead(
            name=self.installation.name,
            product=self.installation.product,
            version=self.installation.version,
            fingerprint=self.installation.fingerprint,
        )

    def target(self, server: ReadableServer) -> Target:
        """Its socket."""
        return Target(socket=str(server.socket), database=self.schema)

    def trial_target(self, server: ReadableServer) -> Target:
        """Its address in the network, where other hosts make the load."""
        if self.ground.load_hosts is None:
            return self.target(server)
        proof = self.ground.load_hosts.proof
        return Target(
            host=self.ground.load_hosts.listen,
            port=server.port,
            user=TCP_USER,
            password_env="DYNO_PASSWORD",
            database=self.schema,
            tls="off" if proof is None else "verify",
            ca_file=None if proof is None else str(proof.authority),
            # Its MySQL knows the password from its account alone, which is made at each start.
            get_server_public_key=True if proof is None else None,
        )

    @property
    def password(self) -> str | None:
        """That of the account for other hosts."""
        hosts = self.ground.load_hosts
        return hosts.password if hosts is not None else None

    @property
    def data_arm(self) -> Arm:
        """The arm whose settings shape the data: its own. A row of a search runs on what the arm
        of its server would load into its own tables, with its own character set and what a data
        folder can't be used without.
        """
        explains = self.plan.explains
        if explains is None:
            return self.arm
        base = self.plan.arm(explains.base_of(self.arm.name))
        own = {k: v for k, v in self.arm.settings.items() if normal_name(k) in _OF_ROWS}
        others = {k: v for k, v in base.settings.items() if normal_name(k) not in _OF_ROWS}
        return changed(
            base,
            settings=others | own,
            engine=self.arm.engine,
            create_options=self.arm.create_options,
        )

    def load_dataset(self, progress: Progress) -> None:
        """Make sure that there is a snapshot of it, checked if the plan checks data."""
        parts = dataset_parts(
            self.plan,
            self.data_arm,
            schema=self.schema,
            fingerprint=self.installation.fingerprint,
            settings=for_server(data_settings(self.data_arm), self.installation),
        )
        self.snapshot_key = snapshots.key(parts)
        found = snapshots.get(self.snapshot_key, home=self.home)
        checks = check_data_of(self.plan) != NEVER
        if found is not None:
            if checks and not found.checked:
                self._check_snapshot(progress)
            return
        data = self.work / "load"
        create_data_dir(
            self.installation, data, settings=data_settings(self.data_arm), home=self.home
        )
        with self._beforehand(data) as server:
            self._load_into(server, progress)
        snapshots.save(self.snapshot_key, data, parts=parts, checked=checks, home=self.home)
        remove_tree(data)

    def _check_snapshot(self, progress: Progress) -> None:
        """Check, on a copy, what a run without checks has loaded. A snapshot with broken data is
        removed. Raises BrokenDataError.
        """
        data = self.work / "check"
        snapshots.restore(self.snapshot_key, data, home=self.home)
        try:
            with self._beforehand(data) as server:
                self._check_dataset(server, progress)
        except BrokenDataError:
            snapshots.remove(self.snapshot_key, home=self.home)
            raise
        snapshots.mark_checked(self.snapshot_key, home=self.home)
        remove_tree(data)

    @contextmanager
    def _beforehand(self, data: Path) -> Iterator[Server]:
        """A server on these data before anything is measured, with the settings that shape them."""
        with tempfile.TemporaryDirectory(prefix="load-", dir=self.work) as logs:
            settings = data_settings(self.data_arm)
            server = start(self.installation, data_dir=data, run_dir=Path(logs), settings=settings)
            try:
                yield server
            except BaseException:
                server.kill()
                raise
            if not server.stop():
                raise ServerError(f"{self.arm.server} didn't shut down after loading the dataset")

    def load_again(self, progress: Progress) -> Loading | None:
        """Load the data into a separate server, with all the arm's settings, and time it."""
        return load_timed(self, self.installation, progress)

    @contextmanager
    def serving(
        self, *, block: int, partial: Path, record: Record, say: Callable[[str], None]
    ) -> Iterator[None]:
        """Start it if none runs; afterwards check how it came out, and stop it unless it stays.

        Raises ServerError if it doesn't start.
        """
        try:
            begun = self._ready(block, partial, record, say)
            try:
                yield
            finally:
                # A task may have restarted it.
                self._look_after(self.running or begun, partial, record)
        except ServerError:
            self._left(clean=False)
            raise

    def begin_block(self, *, block: int, say: Callable[[str], None]) -> None:
        """Start the server if it outlives a trial and doesn't run yet.

        Raises ServerError if it has never started; if it has, its next trial tries again and stores
        what went wrong.
        """
        if not self.stays or self._still_running() is not None:
            return
        say(self.arm.name)
        try:
            self._begin(block, self.logs)
        except ServerError:
            if not self.proven:
                raise

    def start_again(self, *, run_dir: Path, crash: bool, timeout_s: float) -> bool:
        """Stop the server, by SIGKILL if it is to crash, and start it on its data as they are.

        False if it had to be killed although it was to shut down. `timeout_s` applies to the
        shutdown and to the start, each. Raises ServerError if it doesn't come back.
        """
        before = self.running
        assert before is not None
        if crash:
            before.kill()
        ended = crash or before.stop(timeout_s=timeout_s)
        self._left(clean=False)
        self.running = None
        self._forget_memory(before)
        self.running = self._start(before.data_dir, run_dir, timeout_s)
        return ended

    def stop(self, *, clean: bool = True) -> None:
        """Stop the server, if there is one.

        Data that were written to are thrown away, so a server on them is killed: a clean shutdown
        would first write them all out.
        """
        server = self.running
        if server is None:
            return
        self._left(clean=False)
        try:
            if clean and not self.plan.writes:
                self._left(clean=server.stop())
        finally:
            server.kill()
            self.running = None
        self._forget_memory(server)

    def leave(self) -> None:
        """Nothing to remove: the copies go with the run's folder."""

    def _ready(
        self, block: int, partial: Path, record: Record, say: Callable[[str], None]
    ) -> Server:
        """The running server, or a newly started one."""
        try:
            found = self._still_running()
            if found is None:
                say("starting the server")
                found = self._begin(block, self.logs if self.stays else partial)
        finally:
            record.steps |= self.start_steps
            self.start_steps = {}
        return found

    def _still_running(self) -> Server | None:
        """The server, if it is alive; a dead one's leftovers are removed."""
        if not self.is_alive:
            self.stop(clean=False)
        return self.running

    def _begin(self, block: int, run_dir: Path) -> Server:
        """Place the data and start the server; `run_dir` gets its log."""
        assert self.copy is not None
        self.start_steps = {}
        with timed(self.start_steps, "restore"):
            data = self.copy.place(block=block, writes=self.plan.writes)
        with timed(self.start_steps, "start"):
            self.running = self._start(data, run_dir, START_S)
        self.proven = True
        return self.running

    def _start(self, data_dir: Path, run_dir: Path, timeout_s: float) -> Server:
        """A server on these data, with the arm's settings, which lets in who makes the load."""
        hosts = self.ground.load_hosts
        server = start(
            self.installation,
            data_dir=data_dir,
            run_dir=run_dir,
            settings=self.arm.settings,
            tmpdir=make_memory_dir().inner if self.arm.tmpdir == "memory" else None,
            timeout_s=timeout_s,
            cpus=self.ground.server,
            listen=hosts.listen if hosts is not None else None,
            certificate=hosts.proof.certificate if hosts is not None and hosts.proof else None,
        )
        if hosts is not None:
            peers = [host.comes_from for host in hosts.hosts]
            try:
                make_accounts(server, hosts.password, hosts=peers)
            except BaseException:
                server.kill()
                raise
        return server

    def _look_after(self, server: Server, partial: Path, record: Record) -> None:
        """Check how the server came out of the trial; stop it, unless the protocol keeps it."""
        alive = server.is_alive()
        self._keep_log(server, partial, record)
        if not alive:
            last = f": {record.log[-1]}" if record.log else ""
            record.failure = f"{SERVER_DIED}{last}"
        whole = alive and record.load is not None and record.load.failure is None
        if whole and self.stays:
            return
        with timed(record.steps, "stop"):
            self.stop(clean=whole)

    def _keep_log(self, server: Server, partial: Path, record: Record) -> None:
        """Copy what the server logged since the last trial to the trial's folder; note errors."""
        log = partial / "server.err"
        if self.stays:
            with storing(log), server.error_log.open("rb") as whole, log.open("wb") as kept:
                whole.seek(self.log_read_bytes)
                shutil.copyfileobj(whole, kept)
                self.log_read_bytes = whole.tell()
                shutil.copyfile(server.error_log.with_name("my.cnf"), partial / "my.cnf")
        record.log = [f"{line.severity}: {line.text}" for line in log_findings(log)]

    def _left(self, *, clean: bool) -> None:
        """Note how the server left the data folder."""
        if self.copy is not None:
            self.copy.clean = clean

    def _forget_memory(self, server: Server) -> None:
        """A folder in memory isn't the server's own: it stays behind, with its parent."""
        if self.arm.tmpdir == "memory":
            remove_tree(server.tmpdir.parent)
