"""What an earlier run found, from its findings.json."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from dyno.analysis.model import FINDINGS_SCHEMA, Findings
from dyno.analysis.verdicts.model import Compared
from dyno.errors import StoreError
from dyno.stats import Narrowed
from dyno.store.reading import read_json
from dyno.store.run import RunFolder


def read_findings(path: Path) -> Findings | None:
    """The stored findings of a complete run folder; None if there are none that can be read: an old
    run may be damaged, or from a newer Dyno.
    """
    try:
        RunFolder.open(path)
        document = read_json(path / "findings.json", schema=FINDINGS_SCHEMA)
        findings = Findings.model_validate(document)
    except (StoreError, ValidationError):
        return None
    return findings if findings.run.state == "complete" else None


def widest(findings: Findings) -> Compared | None:
    """The primary comparison whose blocks differ most, among those whose interval is wider than
    requested; None if there is none.
    """
    found = [
        c for c in findings.compared if c.primary and c.spread and c.spread.by != Narrowed.ENOUGH
    ]
    return max(found, key=lambda c: c.spread.block if c.spread else 0.0, default=None)
