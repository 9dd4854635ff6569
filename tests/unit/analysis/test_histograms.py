"""Histograms decoded, added and asked: as the library does it one by one, only faster."""

from __future__ import annotations

import base64
import zlib

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from dyno.analysis.load.histograms import (
    PAYLOAD_MOST_BYTES,
    DamagedHistogramError,
    decode,
    merged,
)

HIGHEST_NS = 3_600_000_000_000
QUANTILES = [0.0, 0.1, 0.5, 0.95, 0.999, 1.0]
VALUES = st.lists(st.integers(1, HIGHEST_NS) | st.integers(1, 5000), min_size=1, max_size=40)


def made(values: list[int]) -> HdrHistogram:
    found = HdrHistogram(1, HIGHEST_NS, 3)
    for value in values:
        found.record_value(value)
    return found


@settings(max_examples=60)
@given(st.lists(VALUES, min_size=1, max_size=4))
def test_a_sum_has_the_quantiles_of_all_its_values(parts: list[list[int]]) -> None:
    whole = merged(made(part).encode().decode() for part in parts)
    values = sorted(value for part in parts for value in part)
    assert whole.count == len(values)
    reference = made(values)
    found = whole.quantiles_ms(QUANTILES)
    for quantile, ms in zip(QUANTILES[1:], found[1:], strict=True):
        exact = values[max(1, -(-round(quantile * 1000) * len(values) // 1000)) - 1]
        assert exact <= round(ms * 1e6) <= exact * 1.001 + 1
        expected = reference.get_value_at_percentile(100 * quantile)
        assert ms * 1e6 == pytest.approx(expected, rel=2e-3, abs=1) or quantile not in (0.5, 1.0)
    assert found == sorted(found)


def test_none_is_empty_and_has_no_quantile() -> None:
    nothing = merged([])
    assert nothing.count == 0
    with pytest.raises(ValueError, match="empty"):
        nothing.quantiles_ms([0.5])


def test_other_buckets_are_refused() -> None:
    other = HdrHistogram(1, 1000, 2)
    other.record_value(5)
    with pytest.raises(DamagedHistogramError, match="no histogram: 'HISTF"):
        decode(other.encode().decode())


def test_a_text_that_would_fill_the_memory_is_refused() -> None:
    packed = bytes(8) + zlib.compress(bytes(10 * PAYLOAD_MOST_BYTES))
    for text in ("", "x", "HISTFAAA", "\x1b[31m", "é", base64.b64encode(packed).decode()):
        with pytest.raises(DamagedHistogramError):
            decode(text)
