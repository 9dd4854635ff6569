"""Load generators: one on this host, or one load from several hosts, with the results together."""

from dyno.hosts.generator import Generator, LoadResult, events_in, result_of
from dyno.hosts.group import Group
from dyno.hosts.merge import merged
from dyno.hosts.split import split

__all__ = ["Generator", "Group", "LoadResult", "events_in", "merged", "result_of", "split"]
