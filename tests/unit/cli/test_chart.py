"""The terminal's small chart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dyno.cli.chart import bars


def label(value: float) -> str:
    return f"{value:g}"


def test_the_highest_value_fills_the_height_and_zero_differs_from_missing() -> None:
    assert bars([None, 0, 5, 10], width=4, height=2, label=label) == [
        "10 │   █",
        " 0 │ ▁██",
    ]


def test_half_a_line_is_half_a_block() -> None:
    assert bars([1, 4, 8], width=3, height=1, label=label) == ["8 │▁▄█"]


def test_the_newest_values_stand_at_the_right() -> None:
    (line,) = bars([8], width=4, height=1, label=label)
    assert line == "8 │   █"
    (line,) = bars([8, 8, 8, 1], width=2, height=1, label=label)
    assert line == "8 │█▁"


def test_nothing_but_zeros_or_gaps_is_drawn_without_a_division() -> None:
    assert bars([0, None], width=2, height=1, label=label) == ["0 │▁ "]
    assert bars([], width=2, height=2, label=label) == ["0 │  ", "0 │  "]


@given(
    values=st.lists(st.none() | st.floats(0, 1e12), max_size=80),
    width=st.integers(1, 70),
    height=st.integers(2, 6),
)
def test_every_line_has_the_same_width_and_a_taller_value_is_never_shorter(
    values: list[float | None], width: int, height: int
) -> None:
    lines = bars(values, width=width, height=height, label=label)
    assert len(lines) == height
    assert len({len(line) for line in lines}) == 1
    columns = list(zip(*(line.partition("│")[2] for line in lines), strict=True))
    assert len(columns) == width
    filled = [sum(" ▁▂▃▄▅▆▇█".index(cell) for cell in column) for column in columns]
    shown = [None] * (width - len(values)) + values[-width:]
    known = sorted((value, fill) for value, fill in zip(shown, filled, strict=True) if value
                   is not None)  # fmt: skip
    assert [fill for _, fill in known] == sorted(fill for _, fill in known)
    assert all(fill for _, fill in known)
