"""What `dyno hosts up` keeps running: the scheduler, and the agents that it can start."""

from __future__ import annotations

import shlex

from dyno.hosts.certificates import Certificates
from dyno.hosts.deploy import Deployed
from dyno.hosts.lean import SCHEDULER, agent_command, lean_settings, scheduler_command
from dyno.hosts.ssh import ssh_command
from dyno.spec.inventory import Host, Inventory


def all_commands(
    inventory: Inventory, keys: Certificates | None, deployed: Deployed
) -> dict[str, list[str]]:
    """Commands by the names of the hosts; none for a host that is elsewhere and has no `ssh`.

    Raises SpecError for a missing certificate.
    """
    if keys is not None:
        keys.require([inventory.driver, *(h for h in inventory.agent_hosts if h.is_loopback)])
    found = {SCHEDULER: scheduler_command(inventory, keys)}
    for host in inventory.agent_hosts:
        if host.ssh is not None:
            found[host.name] = _over_ssh(inventory, host, deployed)
        elif host.is_loopback:
            found[host.name] = agent_command(inventory, host, keys)
    return found


def _over_ssh(inventory: Inventory, host: Host, deployed: Deployed) -> list[str]:
    keys = deployed.certificates if inventory.is_encrypted else None
    words = [f"{name}={value}" for name, value in lean_settings(keys).items()]
    words += agent_command(inventory, host, keys, python=deployed.python)
    script = deployed.agent_script(host, shlex.join(["env", *words]))
    return ssh_command(host, inventory.engine.ssh_config, script)
