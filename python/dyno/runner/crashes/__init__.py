"""Crashes of servers under load, and what they had acknowledged and lost: a series of them, arm by
arm and kind by kind, stored as each is over.
"""

from __future__ import annotations

from dyno.runner.crashes.series import execute_series
from dyno.runner.crashes.watch import Watch

__all__ = ["Watch", "execute_series"]
