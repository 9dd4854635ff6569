"""How the scheduler and the agents are started, so that they cost hardly anything.

An agent is a worker of the engine with its host's name.
"""

from __future__ import annotations

import sys

from dyno.hosts.certificates import Certificates
from dyno.spec.inventory import Host, Inventory

SCHEDULER = "scheduler"
CERTIFICATES = "DYNO_CERTIFICATES"
# Without a dashboard there is still a server for web pages: it has none, and nobody reaches it.
_NO_PAGES = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
_WORKER = ("--no-nanny", "--memory-limit", "0", "--nthreads", "2", "--death-timeout", "30")
# They would otherwise cost a host that measures 4 % of a core, and 200 wake-ups a second. The limit
# of TCP is the lowest that `distributed` takes.
_LEAN = {
    "WORKER__HTTP__ROUTES": "[]",
    "SCHEDULER__HTTP__ROUTES": "[]",
    "WORKER__PROFILE__ENABLED": "False",
    "WORKER__MEMORY__TARGET": "False",
    "WORKER__MEMORY__SPILL": "False",
    "WORKER__MEMORY__PAUSE": "False",
    "WORKER__MEMORY__TERMINATE": "False",
    "WORKER__MEMORY__MONITOR_INTERVAL": "10s",
    "ADMIN__TICK__INTERVAL": "1s",
    "ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
    "ADMIN__SYSTEM_MONITOR__GIL__ENABLED": "False",
    "SCHEDULER__WORK_STEALING": "False",
    "SCHEDULER__ACTIVE_MEMORY_MANAGER__START": "False",
    "SCHEDULER__ALLOWED_FAILURES": "0",
    "SCHEDULER__WORKER_TTL": "6s",
    "COMM__TIMEOUTS__TCP": "11s",
}


def lean_settings(keys: Certificates | None) -> dict[str, str]:
    """Variables of the environment that make the engine cheap, and closed to all without a
    certificate; and where this host's own is, for what an agent starts.
    """
    lean = _LEAN | {"COMM__REQUIRE_ENCRYPTION": str(keys is not None)}
    own = {CERTIFICATES: str(keys.folder)} if keys is not None else {}
    return {f"DASK_DISTRIBUTED__{key}": value for key, value in lean.items()} | own


def scheduler_command(inventory: Inventory, keys: Certificates | None) -> list[str]:
    """Where agents and drivers meet."""
    driver = inventory.driver
    place = ["--host", driver.address, "--port", str(inventory.engine.port)]
    if keys is not None:
        place += ["--protocol", "tls"]
    command = [sys.executable, "-m", "dask", "scheduler", *_certificate(keys, driver)]
    return [*command, *place, *_NO_PAGES, "--no-jupyter"]


def agent_command(
    inventory: Inventory, host: Host, keys: Certificates | None, *, python: str = sys.executable
) -> list[str]:
    """What runs on a load host, by a Python that has Dyno."""
    place = ["--host", host.address, "--worker-port", str(inventory.engine.worker_port)]
    command = [python, "-m", "dask", "worker", *_certificate(keys, host), inventory.scheduler]
    return [*command, *place, "--name", host.name, *_NO_PAGES, *_WORKER]


def _certificate(keys: Certificates | None, host: Host) -> list[str]:
    if keys is None:
        return []
    own = str(keys.of(host))
    return ["--tls-ca-file", str(keys.authority), "--tls-cert", own, "--tls-key", own]
