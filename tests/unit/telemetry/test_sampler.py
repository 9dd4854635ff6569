"""The sampler on a scripted clock, and with collectors that misbehave."""

from __future__ import annotations

import threading
import time
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.telemetry import Column, Sampler
from dyno.telemetry.heartbeat import Heartbeat
from dyno.telemetry.sampler import next_index


class ScriptedClock:
    """Time passes in `wait` alone: as long as asked, plus the next lateness; then it stops."""

    def __init__(self, lateness_s: list[float], *, start_s: float = 1000.0) -> None:
        self.now_s = start_s
        self.lateness_s = list(lateness_s)
        self.due_s: list[float] = []

    def monotonic_s(self) -> float:
        return self.now_s

    def unix_ms(self) -> int:
        return 1_700_000_000_000 + round(self.now_s * 1000)

    def wait(self, stop: threading.Event, *, timeout_s: float) -> bool:
        if not self.lateness_s:
            return True
        self.due_s.append(self.now_s + timeout_s)
        self.now_s += timeout_s + self.lateness_s.pop(0)
        return False


class Scripted:
    """A collector `x` that does what the test says."""

    name = "x"
    columns = (Column("x_value", "1", "scripted"), Column("x_other", "1", "scripted"))

    def __init__(self, *script: dict[str, float | None] | Exception) -> None:
        self.script = list(script)
        self.unavailable: dict[str, str] = {}

    def sample(self) -> dict[str, float | None]:
        usual: dict[str, float | None] = {"x_value": 1.0, "x_other": 2.0}
        step = self.script.pop(0) if self.script else usual
        if isinstance(step, Exception):
            raise step
        return step


def run(
    clock: ScriptedClock, *collectors: Scripted, interval_s: float = 1.0, origin_s: float = 900.0
) -> tuple[Sampler, pl.DataFrame]:
    sampler = Sampler(collectors, interval_s=interval_s, origin_s=origin_s, clock=clock)
    sampler.start()
    return sampler, sampler.stop().frame


def test_instant_i_is_computed_from_i_however_late_each_wake_up_is() -> None:
    clock = ScriptedClock([0.004] * 500)
    sampler, frame = run(clock, interval_s=0.3)
    assert clock.due_s == pytest.approx([1000 + i * 0.3 for i in range(1, 501)], abs=1e-9)
    assert frame["t_s"].to_list()[1:-1] == pytest.approx(
        [100.004 + i * 0.3 for i in range(1, 501)], abs=1e-9
    )
    assert frame["heartbeat_late_ms"].to_list()[1:-1] == pytest.approx([4.0] * 500, abs=1e-6)
    assert sampler.stop().overhead.missed == 0


def test_a_stalled_host_loses_instants_and_says_how_many() -> None:
    sampler, frame = run(ScriptedClock([0.0, 3.4, 0.0]))
    # Due at 2, woken at 5.4: 3, 4 and 5 are past, the next is 6.
    assert frame["t_s"].to_list() == pytest.approx([100, 101, 105.4, 106, 106])
    assert frame["heartbeat_late_ms"].to_list() == pytest.approx([None, 0, 3400, 0, None])
    assert frame["heartbeat_missed"].to_list() == [None, 0, 0, 3, None]
    assert sampler.stop().overhead.missed == 3


@given(
    index=st.integers(0, 10**6),
    late_s=st.floats(0, 1e4),
    interval_s=st.floats(0.2, 60),
)
def test_the_next_instant_is_the_first_that_is_not_past(
    index: int, late_s: float, interval_s: float
) -> None:
    since_start_s = index * interval_s + late_s
    following = next_index(index, since_start_s=since_start_s, interval_s=interval_s)
    assert following > index
    assert following * interval_s >= since_start_s * (1 - 1e-12)
    assert following == index + 1 or (following - 1) * interval_s <= since_start_s * (1 + 1e-12)


def test_columns_types_and_both_clocks() -> None:
    _, frame = run(ScriptedClock([0.0]), Scripted())
    assert frame.schema == {
        "t_s": pl.Float64,
        "unix_ms": pl.Int64,
        "x_value": pl.Float64,
        "x_other": pl.Float64,
        "heartbeat_late_ms": pl.Float64,
        "heartbeat_missed": pl.Float64,
    }
    assert frame["unix_ms"].to_list() == [1_700_001_000_000, 1_700_001_001_000, 1_700_001_001_000]
    assert frame["x_other"].to_list() == [2.0, 2.0, 2.0]


def test_a_collector_that_raises_leaves_nulls_and_a_reason_and_the_others_go_on() -> None:
    broken = Scripted({"x_value": 1.0, "x_other": 2.0}, OSError(5, "Input/output error", "/p"))
    sampler, frame = run(ScriptedClock([0.0]), broken)
    assert frame["x_value"].to_list() == [1.0, None, 1.0]
    assert sampler.stop().unavailable["x_value"] == "/p: Input/output error"
    assert frame["heartbeat_late_ms"].to_list() == [None, 0, None]


def test_not_a_number_and_a_missing_name_become_null() -> None:
    _, frame = run(ScriptedClock([]), Scripted({"x_value": float("nan")}, {"x_other": None}))
    assert frame["x_value"].to_list() == [None, None]
    assert frame["x_other"].to_list() == [None, None]


def test_a_sampler_that_was_never_started_gives_an_empty_series() -> None:
    series = Sampler([Scripted()]).stop()
    assert series.frame.height == 0
    assert series.frame.schema["x_value"] == pl.Float64
    assert series.overhead.cpu_share_pct is None
    assert series.overhead.sample_ms_max is None


def test_mistakes_of_the_caller_are_refused_before_the_trial() -> None:
    with pytest.raises(ValueError, match=r"interval_s is 0\.1"):
        Sampler([], interval_s=0.1)
    with pytest.raises(ValueError, match="heartbeat_late_ms"):
        Sampler([Heartbeat()])
    sampler = Sampler([])
    sampler.start()
    with pytest.raises(RuntimeError):
        sampler.start()
    assert sampler.stop() is sampler.stop()


def test_a_collector_that_hangs_does_not_hold_the_trial_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dyno.telemetry.sampler._PATIENCE_S", 0.2)
    release = threading.Event()

    class Hanging(Scripted):
        def sample(self) -> dict[str, float | None]:
            release.wait(10)
            return super().sample()

    sampler = Sampler([Hanging()])
    begin_s = time.monotonic()
    sampler.start()
    series = sampler.stop()
    assert time.monotonic() - begin_s < 5
    assert series.frame.height == 0
    assert "still reading 0.2 s after the end" in series.unavailable["x_value"]
    release.set()


def test_start_waits_for_the_first_sample_and_stop_takes_the_last() -> None:
    sampler = Sampler([Scripted()], interval_s=60.0, origin_s=time.monotonic())
    sampler.start()
    after_start_s = time.monotonic()
    time.sleep(0.05)
    before_stop_s = time.monotonic()
    frame = sampler.stop().frame
    first_s, last_s = frame["t_s"]
    assert first_s >= 0
    assert last_s - first_s >= before_stop_s - after_start_s
    assert all(a < b for a, b in pairwise(frame["t_s"]))
