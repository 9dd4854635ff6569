"""The server of an arm, installed with all that the arm asks for besides settings."""

from __future__ import annotations

from collections.abc import Callable

from dyno.home import Home
from dyno.servers import Installation, install, with_allocator, with_plugins
from dyno.spec.address import Address
from dyno.spec.experiment import Arm


def installed(arm: Arm, *, note: Callable[[str], None], home: Home | None = None) -> Installation:
    """The installation of an arm whose server Dyno starts. Raises ServerError."""
    assert not isinstance(arm.server, Address)
    found = install(arm.server.name, home=home, progress=note)
    found = with_plugins(found, arm.plugins, home=home, progress=note)
    return with_allocator(found, arm.allocator)
