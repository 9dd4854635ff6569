"""Why, in a sentence for each arm: what a search has found, and what an op cost."""

from __future__ import annotations

from dyno.analysis.model import Findings
from dyno.report.section import Lines, Section

NOT_PROOFS = (
    "What an op cost, by function, by what it waited for, and by counters follows: reasons to look "
    "at, not proofs. dyno why finds by experiment which settings make the difference."
)


def section(findings: Findings) -> Section | None:
    """If a search has found causes, or an op's costs have intervals."""
    if not findings.why:
        return None
    first, *others = findings.why
    notes = Lines([NOT_PROOFS], "quiet", is_brief=False)
    return Section("why", "Why", [Lines(others), notes], says=first)
