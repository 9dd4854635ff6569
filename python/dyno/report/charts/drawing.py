"""Drawing a Vega-Lite document to SVG or PNG, and making the result small. No network is used.

Only invisible parts are dropped: decimals beyond a hundredth of a pixel, and names of classes and
roles inside a chart that is a single image to a screen reader.
"""

from __future__ import annotations

import math
import re
from typing import Any

import vl_convert

from dyno.report.charts.look import FONT
from dyno.report.charts.png import smaller

PNG_SCALE = 2.0
PNG_PIXELS_MOST = 2_800_000
# A path this long is a line of many points, for which a tenth of a pixel is enough.
LONG_PATH = 400

_SIZE = re.compile(r' width="([\d.]+)" height="([\d.]+)"')
_TAG = re.compile(r"<[^<>]*>")
_VALUE = re.compile(r'( [\w:-]+=)("[^"]*")')
_DECIMALS = re.compile(r"(\d+\.\d{2})\d+")
_DECIMAL = re.compile(r"(\d+\.\d)\d+")
_NEEDLESS = re.compile(
    rf' (?:class|role|aria-roledescription|aria-hidden)="[^"]*"| font-family="{re.escape(FONT)}"'
)
_EMPTY = (
    '<path d="M0,0h0v0h0Z" pointer-events="none"/>',
    "<g></g>",
    ' stroke-miterlimit="10"',
    ' opacity="1"',
)


def svg_of(spec: dict[str, Any]) -> str:
    """The document drawn as SVG on white."""
    drawn = _TAG.sub(_small, str(vl_convert.vegalite_to_svg(spec)))
    for empty in _EMPTY:
        drawn = drawn.replace(empty, "")
    return drawn.replace("<svg", f'<svg font-family="{FONT}"', 1)


def _small(tag: re.Match[str]) -> str:
    # Only inside tags, and there never in a label: texts may contain versions and figures.
    return _VALUE.sub(_rounded, _NEEDLESS.sub("", tag.group()))


def _rounded(attribute: re.Match[str]) -> str:
    name, value = attribute.groups()
    if name == " d=" and len(value) > LONG_PATH:
        return name + _DECIMAL.sub(r"\1", value)
    return name + (value if "aria-label" in name else _DECIMALS.sub(r"\1", value))


def png_of(svg: str) -> bytes:
    """A drawn SVG as PNG: at twice its size, or less if that would be very large."""
    size = _SIZE.search(svg)
    area_px = float(size.group(1)) * float(size.group(2)) if size else 1.0
    scale = max(1.0, min(PNG_SCALE, math.sqrt(PNG_PIXELS_MOST / area_px)))
    return smaller(bytes(vl_convert.svg_to_png(svg, scale=scale)))
