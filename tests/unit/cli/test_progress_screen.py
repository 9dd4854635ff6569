"""A run's progress as it is drawn: plain lines, and the live display."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dyno.cli import progress
from dyno.cli.progress import Screen
from dyno.runner.progress import IntervalRead, TrialStep
from dyno.spec.events import Interval


class Clock:
    """Stands for the module `time` where the screen looks at it."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


class Second(IntervalRead):
    """A second whose figures are given, and which counts how often it is decoded."""

    decoded = 0

    @property
    def ops_per_s(self) -> float:
        return 1234.0 + self.event.index

    @property
    def p95_ms(self) -> float | None:  # type: ignore[override]
        Second.decoded += 1
        return 3.25

    @property
    def failed(self) -> int:
        return 2


def second(
    index: int = 0, *, retries: int = 0, backlog: int | None = None, duration_s: float = 1.0
) -> Second:
    return Second(
        Interval(
            event="interval",
            phase="measure",
            index=index,
            t_s=float(index),
            duration_s=duration_s,
            ops=[],
            retries=retries,
            backlog=backlog,
        )
    )


def step(position: int = 1, word: str = "measure", blocks: int | None = 8) -> TrialStep:
    return TrialStep(
        block=2,
        blocks=blocks,
        position=position,
        positions=6,
        arm="A",
        step=word,
        point="16 connections",
    )


def plain() -> tuple[Screen, io.StringIO]:
    out = io.StringIO()
    return Screen(Console(file=out, width=200)), out


def test_plain_lines_tell_ops_and_p95_at_most_every_ten_seconds(clock: Clock) -> None:
    screen, out = plain()
    Second.decoded = 0
    with screen:
        screen.step(step())
        for index in range(25):
            screen.interval(second(index))
            clock.now_s += 1
    lines = out.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(
        "block 2 of at most 8 · trial 1 of 6: 16 connections · A · measure 1 s"
    )
    assert "1,234 ops/s, p95 3.2 ms, 2 failed" in lines[0]
    assert "1,244 ops/s" in lines[1]
    assert "22 failed" in lines[1]
    assert Second.decoded == 3, "a percentile was decoded that nobody sees"


def test_a_slice_of_half_a_second_has_its_rate_and_its_length(clock: Clock) -> None:
    screen, out = plain()
    screen.step(step())
    screen.interval(second(duration_s=0.5))
    assert "measure 0.5 s  1,234 ops/s" in out.getvalue()


def test_retries_and_backlog_are_shown_where_there_are_any(clock: Clock) -> None:
    screen, out = plain()
    screen.step(step())
    screen.interval(second(retries=7, backlog=1500))
    assert "7 retries, backlog 1,500" in out.getvalue()


def test_blocks_that_nobody_knows_the_number_of_have_no_most(clock: Clock) -> None:
    screen, out = plain()
    screen.step(step(blocks=None))
    screen.interval(second())
    assert out.getvalue().startswith("block 2 · trial 1 of 6: ")


def test_the_drain_at_a_phases_end_is_not_a_second(clock: Clock) -> None:
    screen, out = plain()
    screen.step(step())
    screen.interval(second(0))
    clock.now_s += 60
    screen.interval(second(1, duration_s=0.02))
    last = out.getvalue().splitlines()[-1]
    assert "1,234 ops/s" in last
    assert "4 failed" in last


def test_another_trial_begins_with_nothing(clock: Clock) -> None:
    screen, out = plain()
    screen.step(step(1))
    screen.interval(second())
    clock.now_s += 60
    screen.step(step(2, "starting the server"))
    screen.trial_done(done=1, total=48, elapsed_s=60.0, eta_s=120.0)
    last = out.getvalue().splitlines()[-1]
    assert "ops/s" not in last
    assert "1 of at most 48 trials · 1 min · at most 2 min to go" in last


def test_loading_tells_rows_a_second_and_the_time_to_go(clock: Clock) -> None:
    screen, out = plain()
    screen.loading("A", "sbtest1", 0, 4_000_000)
    clock.now_s += 10
    screen.loading("A", "sbtest1", 1_000_000, 4_000_000)
    clock.now_s += 10
    screen.loading("B", "sbtest1", 500, 4_000_000)
    first, second_line, third = out.getvalue().splitlines()
    assert first == "loading sbtest1 for A: 0 of 4,000,000 rows"
    assert second_line.endswith("1,000,000 of 4,000,000 rows  100,000 rows/s · 30 s to go")
    assert "rows/s" not in third, "another arm's load has a rate of its own"


def test_more_rows_than_were_estimated_leave_no_negative_time(clock: Clock) -> None:
    screen, out = plain()
    screen.loading("A", "linktable", 0, 1000)
    clock.now_s += 10
    screen.loading("A", "linktable", 1010, 1000)
    assert out.getvalue().splitlines()[-1].endswith("1,010 of 1,010 rows  101 rows/s")


def test_a_note_is_never_held_back_nor_read_as_markup(clock: Clock) -> None:
    screen, out = plain()
    screen.note("[red]a[/red]")
    screen.note("b")
    assert out.getvalue() == "[red]a[/red]\nb\n"


def test_the_live_display_draws_both_charts_only_when_asked(clock: Clock) -> None:
    out = io.StringIO()
    console = Console(file=out, width=100, height=40, force_terminal=True, color_system=None)
    screen = Screen(console)
    with screen:
        assert screen.live is not None
        assert not screen.live.auto_refresh
        screen.step(step())
        for index in range(5):
            screen.interval(second(index))
            clock.now_s += 1
        screen.block_done(["A / B  1.01"])
        begin = len(out.getvalue())
        clock.now_s += 60
        assert len(out.getvalue()) == begin
    picture = out.getvalue()
    assert "1,238 ops/s │" in picture
    assert "3.2 ms │" in picture
    assert "█" in picture
    assert "A / B  1.01" in picture
    assert "measure 5 s" in picture


def test_redraws_are_no_more_than_four_a_second(clock: Clock) -> None:
    out = io.StringIO()
    screen = Screen(Console(file=out, width=100, height=40, force_terminal=True))
    with screen:
        screen.loading("A", "t", 1, 100)
        drawn = len(out.getvalue())
        screen.loading("A", "t", 2, 100)
        assert len(out.getvalue()) == drawn
        clock.now_s += 0.3
        screen.loading("A", "t", 3, 100)
        assert len(out.getvalue()) > drawn


def test_starts_are_counted_every_ten_seconds(clock: Clock) -> None:
    out = io.StringIO()
    with Screen(Console(file=out, width=100)) as screen:
        for number in range(1, 23):
            screen.trying(number)
            clock.now_s += 1
    said = "trying whether servers start with mixed settings: start {}"
    assert out.getvalue().splitlines() == [said.format(number) for number in (1, 11, 21)]
