"""Who may talk to agents: those with a certificate of one authority, which all hosts know.

Whoever has one can run any code on every host. So the authority's own key is thrown away as soon as
each host has its certificate, and nobody can make another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dyno.errors import SpecError
from dyno.spec.inventory import Host, Inventory

_AUTHORITY = "authority.pem"


@dataclass(frozen=True)
class Certificates:
    """A folder with the authority's certificate, and that of each host with its key."""

    folder: Path

    @property
    def authority(self) -> Path:
        """What all hosts need."""
        return self.folder / _AUTHORITY

    def of(self, host: Host) -> Path:
        """What one host alone needs: its certificate and its key."""
        return self.folder / f"{host.name}.pem"

    def require(self, hosts: Iterable[Host]) -> None:
        """Raise SpecError unless those of these hosts are here."""
        for path in (self.authority, *map(self.of, hosts)):
            if not path.is_file():
                raise SpecError(
                    f"there is no certificate {path}",
                    hint="make all of them with dyno hosts setup, and copy them to their hosts",
                )


def certificates(inventory: Inventory, file: Path) -> Certificates | None:
    """Those of a file of hosts, which lie beside it; None where hosts talk without."""
    return Certificates(file.absolute().with_suffix(".tls")) if inventory.is_encrypted else None
