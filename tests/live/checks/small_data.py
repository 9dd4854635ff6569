"""Names that the tests of checks share."""

from __future__ import annotations

from collections.abc import Callable

from dyno.client import Connection

SCHEMA = "dyno_checks"
Made = Callable[[str], Connection]
"""Makes the schema with the small data set in tables of an engine."""
