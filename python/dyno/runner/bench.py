"""An arm ready to be measured: its server available, its dataset loaded.

Only the bench knows whether Dyno starts the server (`managed`) or someone else runs it
(`external`): trials, tasks and blocks only use this class.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from dyno.home import Home
from dyno.runner.data_checks import require_good_dataset
from dyno.runner.dataset import load_rows, make_schema
from dyno.runner.ground import Ground
from dyno.runner.progress import Progress
from dyno.runner.record import Record
from dyno.servers import ANYBODY, ReadableServer
from dyno.spec.experiment import Arm
from dyno.spec.load_plan import Target
from dyno.spec.plan import Plan
from dyno.store.storage import Loading
from dyno.store.trial import ServerRead


@dataclass(kw_only=True)
class Bench(ABC):
    """One arm's server and data.

    `proven`: the server has started with these settings before, so what fails next is a trial's
    failure. `loading`: a timed load of the data, until a trial has recorded it.
    """

    is_ours: ClassVar[bool]
    plan: Plan
    arm: Arm
    home: Home
    work: Path
    ground: Ground = field(default_factory=Ground)
    proven: bool = False
    loading: Loading | None = None

    @property
    @abstractmethod
    def schema(self) -> str:
        """The schema that the workload lives in; only ever one that Dyno created."""

    @property
    def owner(self) -> str:
        """Who may drop that schema."""
        return ANYBODY

    @property
    @abstractmethod
    def server(self) -> ReadableServer:
        """The server as it is now; a task may restart it. Valid only while there is one."""

    @property
    @abstractmethod
    def is_alive(self) -> bool:
        """Whether there is one, as far as can be seen without asking it."""

    @property
    def pid(self) -> int | None:
        """The server's process, if we may observe it."""
        return None

    @property
    def data_dir(self) -> Path | None:
        """Where the server's files are, if we may read them."""
        return None

    @property
    def disk(self) -> Path | None:
        """Where the server writes, if that is on this host."""
        return None

    @property
    def password(self) -> str | None:
        """What dynoload logs in with, if it needs one."""
        return None

    @property
    def stays(self) -> bool:
        """Whether a server outlives a trial."""
        return self.plan.protocol.restart != "trial"

    @abstractmethod
    def server_read(self) -> ServerRead:
        """The server as the trial records it."""

    @abstractmethod
    def target(self, server: ReadableServer) -> Target:
        """Where dynoload finds a server of this arm."""

    def trial_target(self, server: ReadableServer) -> Target:
        """Where whoever makes the load of trials finds it."""
        return self.target(server)

    @abstractmethod
    def load_dataset(self, progress: Progress) -> None:
        """Make sure that the dataset exists."""

    @abstractmethod
    def serving(
        self, *, block: int, partial: Path, record: Record, say: Callable[[str], None]
    ) -> AbstractContextManager[None]:
        """Around a trial: it has a server, which is checked at its end."""

    def load_again(self, progress: Progress) -> Loading | None:
        """Load the arm's data again and time it; None on a server that someone else runs."""
        return None

    @abstractmethod
    def begin_block(self, *, block: int, say: Callable[[str], None]) -> None:
        """Start what outlives a trial; `say` gets the arm's name if that takes a while."""

    @abstractmethod
    def start_again(self, *, run_dir: Path, crash: bool, timeout_s: float) -> bool:
        """Restart the server on its data as they are, for a task. Raises ServerError."""

    @abstractmethod
    def stop(self, *, clean: bool = True) -> None:
        """Stop the arm's server, if there is one that we may stop."""

    @abstractmethod
    def leave(self) -> None:
        """Remove what Dyno made on the server. Raises ServerError if it stays there."""

    def _load_into(self, server: ReadableServer, progress: Progress) -> None:
        progress.note(f"loading the dataset for {self.arm.name} ({self.arm.server})")
        self._make_schema(server)
        load_rows(
            self.plan,
            self.arm,
            self.target(server),
            password=self.password,
            progress=progress,
            disk=self.disk,
        )
        self._check_dataset(server, progress)

    def _check_dataset(self, server: ReadableServer, progress: Progress) -> None:
        require_good_dataset(self.plan, server, self.schema, arm=self.arm.name, say=progress.note)

    def _make_schema(self, server: ReadableServer) -> None:
        make_schema(server, self.schema, where=str(self.arm.server), owner=self.owner)


def as_name(text: str) -> str:
    """A text as a part of a schema's name."""
    return re.sub(r"[^a-z0-9_]", "_", text.lower())
