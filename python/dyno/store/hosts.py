"""Which hosts a run is made with, as hosts.json keeps it."""

from __future__ import annotations

from pathlib import Path

from dyno.spec.inventory import HostSet, Inventory
from dyno.store.part import Stored


class HostsUsed(Stored):
    """All hosts of the file, the name of the set that measures (None is the first), and the folder
    of their certificates, None where they talk without.
    """

    inventory: Inventory
    set: str | None = None
    certificates: Path | None = None

    @property
    def chosen(self) -> HostSet:
        """The set that measures. Raises SpecError for a name that no set has."""
        return self.inventory.set_named(self.set)
