"""Load generators: one on this host, or one load from several hosts, with the results together."""

from dyno.hosts.elsewhere import Elsewhere, LoadHost
from dyno.hosts.generator import (
    Generator,
    HostPart,
    LoadResult,
    events_in,
    result_of,
    write_plan,
)
from dyno.hosts.group import Group
from dyno.hosts.merge import merged
from dyno.hosts.split import split

__all__ = [
    "Elsewhere",
    "Generator",
    "Group",
    "HostPart",
    "LoadHost",
    "LoadResult",
    "events_in",
    "merged",
    "result_of",
    "split",
    "write_plan",
]
