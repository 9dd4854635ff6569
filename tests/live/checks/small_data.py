"""Names that the tests of checks share."""

from __future__ import annotations

from collections.abc import Callable

from dyno.servers import AdminConnection

SCHEMA = "dyno_checks"
Made = Callable[[str], AdminConnection]
"""Makes the schema with the small data set in tables of an engine."""
