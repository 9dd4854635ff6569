"""What holds for all unit tests: a chart that was drawn before isn't drawn again, since a drawing
takes up to a third of a second.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import vl_convert


@pytest.fixture(autouse=True, scope="session")
def drawn_once() -> Iterator[None]:
    draw = vl_convert.vegalite_to_svg

    @cache
    def drawn(text: str) -> str:
        return draw(text)

    def cached(spec: dict[str, Any]) -> str:
        return drawn(json.dumps(spec))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "vegalite_to_svg", cached)
        yield
