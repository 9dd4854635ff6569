"""What makes a host unsteady, how much that matters there, and settings that steady it.

Only `tune` changes anything, and only what its caller names; `restore` puts it back.
"""

from __future__ import annotations

from dyno.host.knobs import KNOBS, Knob
from dyno.host.look import Finding, look
from dyno.host.tune import Change, Kept, changes, restore, tune, tuned

__all__ = [
    "KNOBS",
    "Change",
    "Finding",
    "Kept",
    "Knob",
    "changes",
    "look",
    "restore",
    "tune",
    "tuned",
]
