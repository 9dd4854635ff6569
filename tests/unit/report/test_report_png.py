"""Small PNGs show the same picture."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.report.charts import png
from dyno.report.charts.png import SIGNATURE, Pixels, smaller

Chunk = tuple[bytes, bytes]


def written(pixels: Pixels, *, filters: int = 1, colour: int = 6) -> bytes:
    """A PNG as a renderer would write it, every row with one filter."""
    height, width = pixels.shape[:2]
    stored = pixels.copy()
    if filters == 1:
        stored[:, 1:] = pixels[:, 1:] - pixels[:, :-1]
    rows = np.insert(stored.reshape(height, -1), 0, filters, axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return whole([(b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")])


def whole(chunks: list[Chunk]) -> bytes:
    return SIGNATURE + b"".join(
        struct.pack(">I", len(c)) + kind + c + struct.pack(">I", zlib.crc32(kind + c))
        for kind, c in chunks
    )


def chunks_of(data: bytes) -> dict[bytes, bytes]:
    found, at = {}, len(SIGNATURE)
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        found[data[at + 4 : at + 8]] = data[at + 8 : at + 8 + length]
        at += 12 + length
    return found


def shown(data: bytes) -> Pixels:
    """The colours of an indexed PNG."""
    chunks = chunks_of(data)
    width, height, depth, colour = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert (depth, colour) == (8, png.INDEXED)
    palette = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return palette[rows[:, 1:]]


@given(
    seed=st.integers(0, 2**32 - 1),
    width=st.integers(1, 20),
    height=st.integers(1, 12),
    filters=st.sampled_from([0, 1]),
)
def test_few_colours_come_through_exactly(seed: int, width: int, height: int, filters: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    assert (shown(smaller(written(pixels, filters=filters))) == pixels[..., :3]).all()


def test_of_many_colours_the_usual_ones_come_through_and_the_rest_nearly() -> None:
    pixels = np.full((100, 100, 4), 255, dtype=np.uint8)
    pixels[:5, :, 0] = np.arange(500, dtype=np.uint16).reshape(5, 100) // 2
    pixels[:5, :, 1] = np.arange(500, dtype=np.uint16).reshape(5, 100) % 2
    found = shown(smaller(written(pixels))).astype(int)
    assert (found[5:] == 255).all()
    assert abs(found - pixels[..., :3].astype(int)).max() <= 4


@pytest.mark.parametrize(("filters", "colour"), [(4, 6), (1, 2)])
def test_an_unknown_form_is_only_compressed(filters: int, colour: int) -> None:
    pixels = np.zeros((4, 4, 4), dtype=np.uint8)
    before = written(pixels, filters=filters, colour=colour)
    after = smaller(before)
    assert chunks_of(after)[b"IHDR"] == chunks_of(before)[b"IHDR"]
    data = [zlib.decompress(chunks_of(each)[b"IDAT"]) for each in (before, after)]
    assert data[0] == data[1]


def test_what_can_be_seen_through_stays_so() -> None:
    pixels = np.full((4, 4, 4), 128, dtype=np.uint8)
    assert b"PLTE" not in chunks_of(smaller(written(pixels)))
