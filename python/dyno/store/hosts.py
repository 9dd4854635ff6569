"""Which hosts a run is made with, as hosts.json keeps it."""

from __future__ import annotations

from pathlib import Path

from dyno.spec.inventory import HostSet, Inventory
from dyno.store.part import Stored


class HostsUsed(Stored):
    """All hosts of the file, the name of the set that measures (None: all sets, or the first if its
    server host is the driver), and the folder of their certificates, None where they talk without.
    """

    inventory: Inventory
    set: str | None = None
    certificates: Path | None = None

    @property
    def chosen(self) -> list[HostSet]:
        """The sets that measure. Raises SpecError for a name that no set has."""
        first = self.inventory.set_named(self.set)
        if self.set is None and self.inventory.is_apart(first):
            return self.inventory.sets
        return [first]

    @property
    def is_apart(self) -> bool:
        """Whether servers run on other hosts than Dyno itself."""
        return self.inventory.is_apart(self.chosen[0])
