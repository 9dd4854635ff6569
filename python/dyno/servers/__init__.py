"""Servers: catalog, install, configure, start, stop, snapshot, log check.

Knows nothing of experiments, run folders or statistics. Everything here is measured nowhere: the
load is made by dynoload, and `dyno.client` is for administration only.
"""

from __future__ import annotations

from dyno.servers import snapshots
from dyno.servers.allocator import with_allocator
from dyno.servers.catalog import Entry, catalog
from dyno.servers.commands import (
    ServerRow,
    install_server,
    list_servers,
    remove_server,
    shell_argv,
    start_server,
    stop_server,
    wait_server,
)
from dyno.servers.datadir import create_data_dir
from dyno.servers.engines import engines_of
from dyno.servers.external import ExternalServer, Login, connect_external
from dyno.servers.install import (
    Progress,
    find_installation,
    install,
    install_tarball,
    refuse_unknown,
)
from dyno.servers.installation import Installation
from dyno.servers.log import LogLine, log_findings
from dyno.servers.options import Setting
from dyno.servers.plugins import with_plugins
from dyno.servers.reach import reach
from dyno.servers.schema import (
    ANYBODY,
    MARKER_TABLE,
    create_schema,
    drop_schema,
    is_schema,
    require_own_schema,
    schemas_made,
)
from dyno.servers.scratch import make_memory_dir, make_work_dir
from dyno.servers.server import START_S, WORK_S, ReadableServer, Server, start

__all__ = [
    "ANYBODY",
    "MARKER_TABLE",
    "START_S",
    "WORK_S",
    "Entry",
    "ExternalServer",
    "Installation",
    "LogLine",
    "Login",
    "Progress",
    "ReadableServer",
    "Server",
    "ServerRow",
    "Setting",
    "catalog",
    "connect_external",
    "create_data_dir",
    "create_schema",
    "drop_schema",
    "engines_of",
    "find_installation",
    "install",
    "install_server",
    "install_tarball",
    "is_schema",
    "list_servers",
    "log_findings",
    "make_memory_dir",
    "make_work_dir",
    "reach",
    "refuse_unknown",
    "remove_server",
    "require_own_schema",
    "schemas_made",
    "shell_argv",
    "snapshots",
    "start",
    "start_server",
    "stop_server",
    "wait_server",
    "with_allocator",
    "with_plugins",
]
