"""`--hosts`: the hosts that make a run's load in place of the server's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dyno.errors import LoadError, SpecError
from dyno.hosts import Elsewhere
from dyno.hosts.certificates import Certificates, certificates
from dyno.hosts.split import refuse_unsplittable
from dyno.spec.inventory import read_inventory
from dyno.spec.plan import Plan
from dyno.store.hosts import HostsUsed


def hosts_from(file: Path | None, set_name: str | None, plan: Plan) -> HostsUsed | None:
    """The hosts that a command line asks for; None without a file. Raises SpecError, also for a
    plan that they can't share.
    """
    if file is None:
        if set_name is not None:
            raise SpecError("--set goes with --hosts", hint="add --hosts and the file of hosts")
        return None
    inventory = read_inventory(file)
    keys = certificates(inventory, file)
    used = HostsUsed(inventory=inventory, set=set_name, certificates=keys.folder if keys else None)
    refuse_unsplittable(plan, len(used.chosen.load))
    return used


def refuse_hosts(file: Path | None) -> None:
    """Raise SpecError for a run whose servers crash."""
    if file is not None:
        raise SpecError(
            "--hosts is for measuring: servers crash under the load of their own host",
            hint="leave --hosts out",
        )


@contextmanager
def joined_hosts(used: HostsUsed | None) -> Iterator[Elsewhere | None]:
    """Hold these hosts for a run; None for none. Raises as `joined` does."""
    if used is None:
        yield None
        return
    keys = Certificates(used.certificates) if used.certificates else None
    with require_engine().joined(used.inventory, used.set, keys) as found:
        yield found


def require_engine() -> Any:
    """The module that talks to other hosts. Raises LoadError if what it needs isn't installed."""
    try:
        # Only here: a run on one host needs none of it, and it takes half a second.
        from dyno.hosts import engine
    except ModuleNotFoundError as error:
        raise LoadError(
            f"load from other hosts needs the package {error.name}",
            hint="pip install 'dyno-bench[hosts]'",
        ) from None
    return engine
