"""The run folder of a series:

    runs/<experiment>/<time>-<id>/
      plan.json host.json run.json rig.json findings.json report.html
      servers/NAME.json
      crashes/NNNN.json
      prices/NNNN.json

A crash is written when all is known of it, so what is there is finished. So is a measured price.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import RootModel

from dyno.errors import StoreError
from dyno.spec.series import SERIES_SCHEMA, Cell, Series
from dyno.store.crash import CRASH_SCHEMA, Crash, Rig
from dyno.store.files import storing, write_json
from dyno.store.priced import PRICED_SCHEMA, Priced
from dyno.store.reading import damaged, is_there, read_json, read_model
from dyno.store.run import RUN_SCHEMA, AnyRunFolder, RunState

_NUMBER = re.compile(r"([0-9]{4,6})\.json", re.ASCII)


class _Rigs(RootModel[dict[str, Rig]]):
    """rig.json: by kind of crash."""


def is_series(path: Path) -> bool:
    """Whether a folder is one of a series. Raises StoreError for a plan that can't be read."""
    if not is_there(path / "plan.json"):
        return False
    return read_json(path / "plan.json", schema=1_000_000).get("kind") == "durability"


class SeriesFolder(AnyRunFolder):
    """Reads and writes one."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.crashes_path = path / "crashes"
        self.prices_path = path / "prices"

    @classmethod
    def create(
        cls, path: Path, *, series: Series, host: dict[str, Any], state: RunState
    ) -> SeriesFolder:
        """A new folder. Raises StoreError if it exists."""
        with storing(path):
            (path / "crashes").mkdir(parents=True)
        folder = cls(path)
        document = series.model_dump(mode="json")
        write_json(path / "plan.json", document, schema=SERIES_SCHEMA)
        write_json(path / "host.json", host, schema=RUN_SCHEMA)
        folder.write_state(state)
        return folder

    def series(self) -> Series:
        """The plan. Raises StoreError."""
        return read_model(self.path / "plan.json", Series, schema=SERIES_SCHEMA)

    def write_rigs(self, rigs: dict[str, Rig]) -> None:
        """Replace rig.json."""
        document = {kind: rig.model_dump(mode="json") for kind, rig in rigs.items()}
        write_json(self.path / "rig.json", document, schema=RUN_SCHEMA)

    def rigs(self) -> dict[str, Rig]:
        """The self-tests, by kind of crash; {} before them."""
        path = self.path / "rig.json"
        return read_model(path, _Rigs, schema=RUN_SCHEMA).root if is_there(path) else {}

    def keep(self, crash: Crash) -> None:
        """Store a crash that is over."""
        path = self.crashes_path / f"{crash.number:04d}.json"
        write_json(path, crash.model_dump(mode="json"), schema=CRASH_SCHEMA)

    def crashes(self) -> Iterator[Crash]:
        """All that are over, in order. Raises StoreError for one that isn't in the plan."""
        planned = {number: cell for number, _, cell in self.series().turns()}
        for path in self._numbered(self.crashes_path):
            crash = read_model(path, Crash, schema=CRASH_SCHEMA)
            cell = Cell(arm=crash.arm, kind=crash.kind)
            self._refuse_others(path, "crash", crash.number, cell, planned)
            yield crash

    def keep_price(self, priced: Priced) -> None:
        """Store a measurement of an arm's throughput."""
        with storing(self.prices_path):
            self.prices_path.mkdir(exist_ok=True)
        path = self.prices_path / f"{priced.number:04d}.json"
        write_json(path, priced.model_dump(mode="json"), schema=PRICED_SCHEMA)

    def prices(self) -> Iterator[Priced]:
        """All measurements, in order. Raises StoreError for one that isn't in the plan."""
        if not is_there(self.prices_path):
            return
        turns = self.series().price_turns()
        planned = {number: (block, arm.name) for number, block, arm in turns}
        for path in self._numbered(self.prices_path):
            priced = read_model(path, Priced, schema=PRICED_SCHEMA)
            self._refuse_others(path, "price", priced.number, (priced.block, priced.arm), planned)
            yield priced

    def _numbered(self, folder: Path) -> list[Path]:
        try:
            names = sorted(path.name for path in folder.iterdir())
        except OSError as error:
            raise StoreError(
                f"{folder} can't be read: {error.strerror}",
                hint="is this a run folder, and is it whole?",
            ) from error
        return [folder / name for name in names if _NUMBER.fullmatch(name)]

    def _refuse_others(
        self, path: Path, what: str, number: int, found: Any, planned: Mapping[int, Any]
    ) -> None:
        """Raise StoreError unless the plan has that under that number."""
        if planned.get(number) != found or path.name != f"{number:04d}.json":
            raise damaged(path, f"{self.path / 'plan.json'} has no such {what}")
