"""Differences that a search for causes is to explain."""

from __future__ import annotations

from dyno.spec.why import Explained, Factor


def target(**changes: object) -> Explained:
    given: dict[str, object] = {
        "run": "r",
        "experiment": "x",
        "comparison": {
            "numerator": {"arm": "b", "op": "q"},
            "denominator": {"arm": "a", "op": "q"},
        },
        "first": "a",
        "second": "b",
        "cost": 0.2,
        "cost_low": 0.18,
        "cost_high": 0.22,
        "n": 12,
        "seed": 1,
        "budget_trials": 500,
        "factors": [
            Factor(name="a", first={"a": "1"}, second={"a": "2"}),
            Factor(name="bin", first={"skip_log_bin": 1}, second={"log_bin": "x", "server_id": 1}),
        ],
        "server": True,
    }
    return Explained.model_validate(given | changes)
