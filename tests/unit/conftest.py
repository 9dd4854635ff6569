"""What holds for all unit tests: a chart that was drawn before isn't drawn again, since a drawing
takes up to a third of a second.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
import vl_convert


@pytest.fixture(autouse=True, scope="session")
def forget_drawings() -> Iterator[Callable[[], None]]:
    """For a test of whether the same chart is drawn alike again."""
    draw, paint = vl_convert.vegalite_to_svg, cache(vl_convert.svg_to_png)

    @cache
    def drawn(text: str) -> str:
        return draw(text)

    def cached(spec: dict[str, Any]) -> str:
        return drawn(json.dumps(spec))

    def forget() -> None:
        drawn.cache_clear()
        paint.cache_clear()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "vegalite_to_svg", cached)
        patch.setattr(vl_convert, "svg_to_png", paint)
        yield forget
