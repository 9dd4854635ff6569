"""The data folder that each crash of an arm begins with: initialised, loaded, and shut down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dyno.errors import LoadError, ServerError
from dyno.home import size_bytes
from dyno.runner.dataset import engine_hint, make_schema
from dyno.runner.durability.crash import PHASE
from dyno.runner.load import run_load
from dyno.runner.subjects import SCHEMA, Subject, refuse_bad_load
from dyno.servers import (
    Installation,
    Server,
    Setting,
    create_data_dir,
    engines_of,
    start,
)
from dyno.spec.experiment import Arm
from dyno.spec.load_plan import LoadPlan, Phase, Target, Think

_CONNECTIONS_MORE = 20


@dataclass(frozen=True)
class Template:
    """An arm's server and its data folder."""

    arm: Arm
    installation: Installation
    subject: Subject
    path: Path
    tmpdir: Path
    logs: Path

    @property
    def engine(self) -> str:
        """Of the tables."""
        return self.arm.engine or "InnoDB"

    @property
    def settings(self) -> dict[str, Setting]:
        """The arm's, and room for the connections."""
        most = self.subject.load.connections + _CONNECTIONS_MORE
        return {"max_connections": most, **self.arm.settings}

    @property
    def size_bytes(self) -> int:
        """How large the folder is."""
        return size_bytes(self.path)

    def start(self, data: Path, logs: Path, *, timeout_s: float) -> Server:
        """A server of the arm on a copy. Raises ServerError."""
        return start(
            self.installation,
            data_dir=data,
            run_dir=logs,
            settings=self.settings,
            tmpdir=self.tmpdir,
            timeout_s=timeout_s,
        )

    def plan(self, server: Server, phase: Phase, *, seed: int, notes: Path | None) -> LoadPlan:
        """What dynoload does with it."""
        return LoadPlan(
            seed=seed,
            target=Target(socket=str(server.socket), database=SCHEMA),
            connections=self.subject.load.connections,
            phases=[phase],
            workload=self.subject.workload(self.engine, self.arm.create_options or "", notes),
        )

    def phase(self, duration_s: float) -> Phase:
        """The part of the load that counts, with its pauses."""
        think_s = self.subject.load.think
        think = Think(distribution="exponential", mean_s=think_s) if think_s is not None else None
        return Phase(name=PHASE, duration_s=duration_s, think=think)

    def make(self, *, timeout_s: float) -> None:
        """Make the folder. Raises ServerError, LoadError, BrokenDataError."""
        create_data_dir(self.installation, self.path, settings=self.arm.settings)
        server = self.start(self.path, self.logs, timeout_s=timeout_s)
        try:
            make_schema(server, SCHEMA, where=self.arm.name)
            result = run_load(self.plan(server, Phase(name="load"), seed=0, notes=None), self.logs)
            if result.failure:
                raise LoadError(
                    f"making the tables of {self.arm.name!r}: {result.failure}",
                    hint=engine_hint(result.failure, 'plugins = ["ha_…"] to the arm'),
                )
            refuse_bad_load(server, self.subject)
            if not server.stop():
                raise ServerError(f"{self.arm.name!r} didn't shut down after its tables were made")
        finally:
            server.kill()

    def has_engine(self, server: Server) -> bool:
        """Whether the server still has the engine of the tables. Raises ServerError."""
        return self.engine.lower() in engines_of(server)
