"""File systems whose power can be pulled: what a server hadn't written to the disk is then gone.

Knows nothing of servers. Needs root: it mounts file systems in images that it makes itself, in a
mount namespace of its own.
"""

from __future__ import annotations

from dyno.power.disk import Disk, Tier
from dyno.power.namespace import enter_private_mounts
from dyno.power.rights import lacking
from dyno.power.selftest import SelfTest, self_test

__all__ = ["Disk", "SelfTest", "Tier", "enter_private_mounts", "lacking", "self_test"]
