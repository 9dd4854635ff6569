"""Making a drawn PNG small: indexed colours, and strong compression. For opaque drawings.

A drawing has few colours except at the edges of lines and letters. If there are more than an index
holds, the rarest ones become the nearest colour that is kept. Pillow could do it, but would be a
dependency for this alone.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS_MOST = 256
RGBA = 6
INDEXED = 3
# Filters of a row that are undone here: none, and the difference to the previous pixel.
FILTERS = {0, 1}
# The strongest level takes twice the time for 3 % less.
LEVEL = 8

Pixels = NDArray[np.uint8]


def smaller(png: bytes) -> bytes:
    """The same image in fewer bytes: about a third."""
    chunks = list(_chunks(png))
    head = chunks[0][1]
    data = zlib.decompress(b"".join(content for kind, content in chunks if kind == b"IDAT"))
    found = _pixels(head, data)
    if found is None:
        kept = [chunk for chunk in chunks if chunk[0] not in (b"IDAT", b"IEND")]
        return _whole([*kept, (b"IDAT", zlib.compress(data, LEVEL)), (b"IEND", b"")])
    colours, places = _indexed(found)
    rows = np.insert(places, 0, 0, axis=1)
    return _whole(
        [
            (b"IHDR", head[:9] + bytes((INDEXED,)) + head[10:]),
            *((kind, content) for kind, content in chunks if kind == b"pHYs"),
            (b"PLTE", colours.tobytes()),
            (b"IDAT", zlib.compress(rows.tobytes(), LEVEL)),
            (b"IEND", b""),
        ]
    )


def _pixels(head: bytes, data: bytes) -> Pixels | None:
    """Rows of red, green, blue and alpha; None for a format that the renderer doesn't write now."""
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", head)
    if (depth, colour, interlaced) != (8, RGBA, 0):
        return None
    rows = np.frombuffer(data, np.uint8).reshape(height, 1 + 4 * width)
    if not set(np.unique(rows[:, 0]).tolist()) <= FILTERS:
        return None
    stored = rows[:, 1:].reshape(height, width, 4)
    summed = np.cumsum(stored, axis=1, dtype=np.uint8)
    pixels = np.where((rows[:, 0] == 1)[:, None, None], summed, stored)
    return pixels if bool((pixels[..., 3] == 255).all()) else None


def _indexed(pixels: Pixels) -> tuple[Pixels, Pixels]:
    """The colours to keep, most used first, and each pixel's place among them."""
    packed = np.ascontiguousarray(pixels).view(np.uint32).ravel()
    # Neighbours are mostly alike: what is sorted is a few per cent of the pixels.
    starts = np.flatnonzero(np.concatenate(([True], packed[1:] != packed[:-1])))
    lengths = np.diff(starts, append=packed.size)
    found, where = np.unique(packed[starts], return_inverse=True)
    count = np.bincount(where, weights=lengths)
    every = found.view(np.uint8).reshape(-1, 4)[:, :3]
    kept = every[np.argsort(-count, kind="stable")[:COLOURS_MOST]]
    apart = (every[:, None, :].astype(np.int32) - kept[None].astype(np.int32)) ** 2
    nearest = apart.sum(axis=-1).argmin(axis=1).astype(np.uint8)
    return kept, np.repeat(nearest[where], lengths).reshape(pixels.shape[:2])


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += 12 + length


def _whole(chunks: list[tuple[bytes, bytes]]) -> bytes:
    return SIGNATURE + b"".join(
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )
