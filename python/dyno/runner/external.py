"""An arm on somebody else's server: reached at its address, used, never started or stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from dyno.errors import ServerError
from dyno.runner.bench import Bench, as_name
from dyno.runner.progress import Progress
from dyno.runner.record import Record
from dyno.servers import WORK_S, ExternalServer, ReadableServer, drop_schema
from dyno.spec.load_plan import Target
from dyno.store.trial import ServerRead


@dataclass(kw_only=True)
class ExternalBench(Bench):
    """`run`: the name of the run's folder, which owns the schema there."""

    is_ours: ClassVar[bool] = False
    run: str
    theirs: ExternalServer
    _made: bool = False

    @property
    def schema(self) -> str:
        """Other runs may be there, and arms may differ in engine: each run has its own schema for
        each arm.
        """
        name = f"dyno_{as_name(self.plan.name)}"
        return f"{name[:31]}_{as_name(self.run)[-25:]}_{self.plan.arms.index(self.arm)}"

    @property
    def owner(self) -> str:
        """This run alone."""
        return f"dyno {self.run}"[:64]

    @property
    def server(self) -> ReadableServer:
        """The server at the address."""
        return self.theirs

    @property
    def is_alive(self) -> bool:
        """Unknown without asking; whoever asks next will see."""
        return True

    @property
    def password(self) -> str | None:
        """That of the address's user."""
        return self.theirs.password

    def server_read(self) -> ServerRead:
        """The server by its address."""
        return ServerRead(
            name=str(self.theirs.address),
            product=self.theirs.product,
            version=self.theirs.version,
            fingerprint="",
            managed=False,
        )

    def target(self, server: ReadableServer) -> Target:
        """The address."""
        return Target.at(self.theirs.address, self.schema)

    def load_dataset(self, progress: Progress) -> None:
        """Load it into this run's schema, replacing what an interrupted run left there."""
        self._load_into(self.theirs, progress)
        if self.plan.writes:
            progress.note(
                f"{self.theirs.address}: the data of {self.arm.name} are loaded once and "
                "change with every trial, since Dyno can't restore them there"
            )

    def _make_schema(self, server: ReadableServer) -> None:
        super()._make_schema(server)
        self._made = True

    def serving(
        self, *, block: int, partial: Path, record: Record, say: Callable[[str], None]
    ) -> AbstractContextManager[None]:
        """Nothing is done to it."""
        return nullcontext()

    def begin_block(self, *, block: int, say: Callable[[str], None]) -> None:
        """Nothing: it already runs."""

    def start_again(self, *, run_dir: Path, crash: bool, timeout_s: float) -> bool:
        """Refused."""
        raise ServerError(f"{self.theirs.address} is somebody else's: Dyno doesn't restart it")

    def stop(self, *, clean: bool = True) -> None:
        """Nothing: it keeps running."""

    def leave(self) -> None:
        """Drop the schema. Raises ServerError if it stays there."""
        if not self._made:
            return
        try:
            with closing(self.theirs.admin(answer_s=WORK_S)) as connection:
                drop_schema(connection, self.schema, owner=self.owner)
        except ServerError as error:
            raise ServerError(
                f"the schema {self.schema!r} is left on {self.theirs.address}: {error.words}",
                hint=f"drop it there: DROP DATABASE {self.schema}",
            ) from error
