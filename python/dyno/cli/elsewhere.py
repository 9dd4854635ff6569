"""`--hosts`: the hosts that make a run's load, and have its servers, in place of this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dyno.errors import LoadError, SpecError
from dyno.hosts.certificates import Certificates, certificates
from dyno.hosts.elsewhere import Elsewhere, FarSet
from dyno.hosts.split import refuse_unsplittable
from dyno.spec.address import Address
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
    for each in used.chosen:
        refuse_unsplittable(plan, len(each.load))
    if used.is_apart and any(isinstance(arm.server, Address) for arm in plan.arms):
        raise SpecError(
            "somebody else's server needs no server host",
            hint='leave out the role "driver", and name this host for servers',
        )
    return used


def refuse_hosts(file: Path | None) -> None:
    """Raise SpecError for a run whose servers crash."""
    if file is not None:
        raise SpecError(
            "--hosts is for measuring: servers crash under the load of their own host",
            hint="leave --hosts out",
        )


Others = Elsewhere | Sequence[FarSet] | None


@contextmanager
def joined_hosts(used: HostsUsed | None) -> Iterator[Others]:
    """Hold these hosts for a run; None for none. Raises as `joined` and `far_sets` do."""
    if used is None:
        yield None
        return
    keys = Certificates(used.certificates) if used.certificates else None
    engine = require_engine()
    if used.is_apart:
        with engine.far_sets(used.inventory, used.chosen, keys) as far:
            yield far
    else:
        with engine.joined(used.inventory, used.chosen[0].name, keys) as found:
            yield found


def facts_of(others: Others) -> dict[str, Any]:
    """What host.json keeps of them: the facts of the (first) servers' host, if that isn't this one,
    of each load host, and of each set's server host.
    """
    if others is None:
        return {}
    if isinstance(others, Elsewhere):
        return {"load_hosts": {each.name: each.read.facts for each in others.hosts}}
    loads = {name: read.facts for each in others for name, read in each.loads.items()}
    servers = {each.remote.name: each.read.facts for each in others}
    return {**others[0].read.facts, "load_hosts": loads, "server_hosts": servers}


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
