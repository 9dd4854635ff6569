"""What crashes of servers are about: what a load got acknowledged, and how it is looked for
afterwards. A file for each load; `registry` has them all.
"""

from __future__ import annotations

from dyno.runner.subjects.registry import SUBJECTS, subject_of
from dyno.runner.subjects.rules import check_rules, refuse_bad_load
from dyno.runner.subjects.subject import SCHEMA, Acknowledged, Looked, Subject

__all__ = [
    "SCHEMA",
    "SUBJECTS",
    "Acknowledged",
    "Looked",
    "Subject",
    "check_rules",
    "refuse_bad_load",
    "subject_of",
]
