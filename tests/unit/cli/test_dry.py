"""Servers that are started before a search measures anything take no longer than its budget."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from dyno.cli import dry
from dyno.cli.progress import Screen
from dyno.errors import SpecError
from dyno.spec.experiment import Arm

ARM = Arm.model_validate({"name": "x", "server": "m"})


def test_starts_end_with_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes 40 s by a clock of the test's own, and no server is there."""
    now_s = 100.0

    def starts(arm: Arm, *, note: object) -> bool:
        nonlocal now_s
        now_s += 40
        return True

    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    monkeypatch.setattr(dry, "starts", starts)
    with Screen(Console(file=io.StringIO(), width=100)) as screen:
        tried = dry.DryStarts(screen, budget_s=60)
        assert tried(ARM)
        assert tried(ARM)
        with pytest.raises(
            SpecError, match=r"2 starts .* took all of the budget, 1 min; nothing"
        ) as no:
            tried(ARM)
    assert no.value.hint is not None
    assert (tried.count, tried.elapsed_s) == (2, 80)
