"""Load generators: one on this host, or one load from several hosts, with the results together."""

from dyno.hosts.generator import WRONG_PLAN, Generator, LoadResult
from dyno.hosts.group import Group, LoadHost
from dyno.hosts.local import LocalHost
from dyno.hosts.merge import merged
from dyno.hosts.split import split

__all__ = [
    "WRONG_PLAN",
    "Generator",
    "Group",
    "LoadHost",
    "LoadResult",
    "LocalHost",
    "merged",
    "split",
]
