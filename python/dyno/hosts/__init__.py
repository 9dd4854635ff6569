"""One load from several hosts: which share each makes, and their results put together."""

from dyno.hosts.merge import merged
from dyno.hosts.split import split

__all__ = ["merged", "split"]
