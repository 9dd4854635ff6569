"""Estimates in the findings keep the keys that findings.json has had."""

from __future__ import annotations

import json
from typing import Annotated

import pytest
from pydantic import ValidationError

from dyno.analysis.part import Keys, WithEstimates
from dyno.stats import Estimate


class Load(WithEstimates):
    """Two estimates and what stands around them."""

    n: int
    kept: Annotated[Estimate | None, Keys("kept", "kept_low", "kept_high")]
    median: Annotated[Estimate | None, Keys("median", "low", "high", ends_last=True)] = None
    unit: str = "ms"


STORED = {"n": 3, "kept": 0.5, "kept_low": 0.4, "kept_high": 0.6, "median": 2.0, "unit": "ms"}
STORED |= {"low": 1.0, "high": 3.0}


def test_an_estimate_is_stored_under_its_three_keys_in_order() -> None:
    load = Load(n=3, kept=Estimate(0.5, (0.4, 0.6)), median=Estimate(2.0, (1.0, 3.0)))
    assert list(json.loads(load.model_dump_json()).items()) == list(STORED.items())
    assert load.model_dump(mode="json") == STORED
    assert Load.model_validate(STORED) == load


def test_what_is_not_known_is_null_and_never_0() -> None:
    unbounded = json.loads(Load(n=1, kept=Estimate(0.0)).model_dump_json())
    assert (unbounded["kept"], unbounded["kept_low"], unbounded["kept_high"]) == (0.0, None, None)
    assert (unbounded["median"], unbounded["low"]) == (None, None)
    assert Load.model_validate(unbounded) == Load(n=1, kept=Estimate(0.0))


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(ValidationError, match="kept_middle"):
        Load.model_validate(STORED | {"kept_middle": 0.5})
