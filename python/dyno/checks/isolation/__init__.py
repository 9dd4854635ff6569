"""The isolation tests of the TPC-C specification (3.4.2.1 to 3.4.2.9), between two sessions.

They run the statements of the workload `tpcc` in its order, on their own rows.
"""

from __future__ import annotations

from dyno.checks.isolation.fixture import Fixture, add_rows, make_tables, remove_rows
from dyno.checks.isolation.run import LEVELS, IsolationTest, Level, run_tests
from dyno.checks.isolation.session import LOCK_WAIT_S

__all__ = [
    "LEVELS",
    "LOCK_WAIT_S",
    "Fixture",
    "IsolationTest",
    "Level",
    "add_rows",
    "make_tables",
    "remove_rows",
    "run_tests",
]
