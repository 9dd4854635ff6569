"""The packets of MySQL's protocol as a server sends them, right ones, for tests to spoil."""

from __future__ import annotations

import struct
from collections.abc import Sequence

CHALLENGE = b"abcdefghijklmnopqrst"
OK = b"\x00\x00\x00\x02\x00\x00\x00"
EOF = b"\xfe\x00\x00\x02\x00"
# An end of rows that promises another result.
EOF_AND_MORE = b"\xfe\x00\x00\x0a\x00"
TLS = 1 << 11
# All that a server of 2015 offers; no TLS, no DEPRECATE_EOF.
CAPABILITIES = 0x00FF_F7FF

Cell = str | bytes | None


def greeting(
    version: bytes = b"5.7.44-hostile",
    *,
    capabilities: int = CAPABILITIES,
    plugin: bytes = b"mysql_native_password",
    protocol: int = 10,
) -> bytes:
    return b"".join(
        (
            bytes([protocol]),
            version + b"\0",
            struct.pack("<I", 77),
            CHALLENGE[:8] + b"\0",
            struct.pack("<H", capabilities & 0xFFFF),
            bytes([33]),
            struct.pack("<H", 2),
            struct.pack("<H", capabilities >> 16),
            bytes([21]),
            bytes(10),
            CHALLENGE[8:] + b"\0",
            plugin + b"\0",
        )
    )


def error(code: int, message: bytes, state: bytes = b"HY000") -> bytes:
    return b"\xff" + struct.pack("<H", code) + b"#" + state + message


def switch(plugin: bytes) -> bytes:
    """Asks for another login plugin."""
    return b"\xfe" + plugin + b"\0" + CHALLENGE + b"\0"


def lenenc(text: bytes) -> bytes:
    size = len(text)
    if size < 251:
        return bytes([size]) + text
    if size < 1 << 16:
        return b"\xfc" + struct.pack("<H", size) + text
    return b"\xfd" + struct.pack("<I", size)[:3] + text


def column(name: bytes) -> bytes:
    """A column of text in UTF-8."""
    names = b"".join(lenenc(text) for text in (b"def", b"s", b"t", b"t", name, name))
    return names + b"\x0c" + struct.pack("<HIBHB", 33, 255, 253, 0, 0) + b"\0\0"


def row(cells: Sequence[Cell]) -> bytes:
    parts = []
    for cell in cells:
        text = cell.encode() if isinstance(cell, str) else cell
        parts.append(b"\xfb" if text is None else lenenc(text))
    return b"".join(parts)
