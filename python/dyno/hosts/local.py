"""A load host that is this host."""

from __future__ import annotations

from pathlib import Path

from dyno.cpus import CpuSet
from dyno.hosts.generator import Generator
from dyno.spec.load_plan import LoadPlan


class LocalHost:
    """A dynoload here; `folder` is for its files."""

    def __init__(self, name: str, folder: Path, *, cpus: CpuSet | None = None) -> None:
        self.name = name
        self._folder = folder
        self._cpus = cpus
        self._running: Generator | None = None

    @property
    def generator(self) -> Generator:
        """The one that runs. Raises ValueError before `begin`."""
        if self._running is None:
            raise ValueError(f"{self.name} was never begun")
        return self._running

    def begin(self, plan: LoadPlan, password: str | None) -> None:
        """Start it."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._running = Generator(plan, self._folder, password=password, cpus=self._cpus)

    def hear(self, wait_s: float) -> list[bytes] | None:
        """Its lines since; None once it wrote all."""
        return self.generator.hear(wait_s)

    def go(self, at_ns: int) -> None:
        """Begin a phase at this instant."""
        self.generator.go(at_ns)

    def enough(self) -> None:
        """End the current phase."""
        self.generator.enough()

    def ended(self) -> tuple[int, str]:
        """Wait for its end: its exit code and what it wrote to stderr."""
        return self.generator.ended()

    def end(self) -> None:
        """Stop it, if it still runs."""
        if self._running is not None:
            self._running.end()
